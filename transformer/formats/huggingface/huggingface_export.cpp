#include "transformer/formats/huggingface/huggingface_export.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/formats/huggingface/encoder_export.h"
#include "transformer/formats/huggingface/huggingface_import.h"
#include "transformer/formats/huggingface/huggingface_vocabulary.h"
#include "transformer/formats/huggingface/seq2seq_export.h"
#include "transformer/formats/json_file.h"
#include "transformer/runtime/device.h"

namespace transformer::formats {
namespace huggingface {
namespace {

using torch::Tensor;

/// Ids whose bias says that they are never produced. Any other bias is refused.
std::set<std::int64_t> suppressed_by(const Tensor& bias, Family family) {
  std::set<std::int64_t> ids;
  for (std::int64_t id = 0; id < bias.size(0); ++id) {
    const auto value = bias[id].item<float>();
    if (value <= kNever)
      ids.insert(id);
    else if (value != 0)
      throw InputError(
          fmt::format("model.output_bias: expected false for {}, found true", about(family).model));
  }
  return ids;
}

/// Removes the biases of feed-forward layers where all are zeros. Returns whether they stay.
bool keep_biases(Weights& weights, Family family) {
  const auto is_bias = [](const std::string& name) {
    return name.ends_with(".bias") && name.find(".feed_forward.") != std::string::npos;
  };
  for (const auto& [name, tensor] : weights) {
    if (!is_bias(name) || tensor.count_nonzero().item<std::int64_t>() == 0) continue;
    if (!about(family).mlp_bias)
      throw InputError(fmt::format("model.feed_forward: expected layers without biases for {}, found '{}'",
                                   about(family).model, name));
    return true;
  }
  if (family == Family::gpt2) return true;
  std::erase_if(weights, [&](const auto& named) { return is_bias(named.first); });
  return false;
}

}  // namespace
}  // namespace huggingface

void check_huggingface(const checkpoints::LoadedModel& model) {
  if (models::kind_of(model.experiment.model) == models::kEncoder) return check_encoder(model);
  if (!model.experiment.model.kind) return check_seq2seq(model);
  huggingface::family_for(model.experiment.model);
}

void write_huggingface(const checkpoints::LoadedModel& model, const std::filesystem::path& folder) {
  using namespace huggingface;
  if (models::kind_of(model.experiment.model) == models::kEncoder) return write_encoder(model, folder);
  if (!model.experiment.model.kind) return write_seq2seq(model, folder);
  Config config{.model = model.experiment.model};
  config.family = family_for(config.model);
  Weights weights;
  for (const auto& [name, tensor] : checkpoints::named_parameters(model.model))
    weights.emplace(name, tensor.detach().to(torch::kCPU, torch::kFloat).contiguous());
  if (config.model.output_bias)
    config.suppressed = suppressed_by(weights.extract("output_bias").mapped(), config.family);
  config.suppressed.insert({kPad, kBos});
  config.mlp_bias = keep_biases(weights, config.family);
  if (config.family == Family::gpt2) add_attention_biases(weights, config.model);
  config.vocabulary = model.model->vocabulary().target;
  config.longest = models::longest_sequence(config.model)
                       .value_or(std::max(model.experiment.data.block, model.experiment.data.max_tokens + 1));
  const bool stream = model.experiment.data.block > 0;
  config.special = {.pad = kPad, .begin = stream ? kEos : kBos, .end = kEos};
  write_vocabulary(*model.tokenizers.target, stream ? kEos : kBos, folder);
  const auto theirs = to_theirs(weights, config.family, config.model);
  checkpoints::save_safetensors(folder / checkpoints::kWeightsFile, {theirs.begin(), theirs.end()},
                                {{"format", "pt"}});
  write_json(folder / "config.json", config_json(config));
  write_json(folder / "generation_config.json", generation_json(config));
}

Candidate read_huggingface(const std::filesystem::path& folder, const torch::Device& device) {
  auto loaded = import_huggingface(folder);
  runtime::move_to(*loaded.model, device);
  return candidate_of(loaded.model, loaded.tokenizers.source);
}

}  // namespace transformer::formats
