#include "transformer/formats/huggingface/seq2seq_export.h"

#include "transformer/base/special_tokens.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/formats/huggingface/seq2seq_structure.h"
#include "transformer/formats/huggingface/seq2seq_token_files.h"
#include "transformer/formats/huggingface/seq2seq_weights.h"
#include "transformer/formats/json_file.h"
#include "transformer/formats/marian/marian_generation.h"

namespace transformer::formats {
namespace seq2seq {
namespace {

/// The special token whose row our begin has, as of models that came in without a begin of their own.
std::optional<std::int32_t> doubled_by_begin(const torch::Tensor& embedding) {
  for (const auto id : {kEos, kPad, kUnknown})
    if (torch::equal(embedding[kBos], embedding[id])) return id;
  return std::nullopt;
}

TheirTokens tokens_of(const checkpoints::LoadedModel& model, Family family) {
  return their_tokens(model.tokenizers, family,
                      doubled_by_begin(model.encoder_decoder()->target_embedding->weight));
}

}  // namespace
}  // namespace seq2seq

void check_seq2seq(const checkpoints::LoadedModel& model) {
  seq2seq::tokens_of(model, seq2seq::family_for(model.experiment.model));
}

void write_seq2seq(const checkpoints::LoadedModel& model, const std::filesystem::path& folder) {
  using namespace seq2seq;
  const auto& experiment = model.experiment;
  Config config{
      .family = family_for(experiment.model), .model = experiment.model, .decode = experiment.decode};
  const auto tokens = tokens_of(model, config.family);
  config.vocabulary = std::ssize(tokens.ours);
  config.pad = tokens.pad;
  config.end = tokens.end;
  config.start = tokens.start;
  config.source_first = tokens.source_first;
  config.first = tokens.first;
  const auto longest = position_count(experiment);
  const auto theirs = their_weights(weights_of(model.encoder_decoder()), tokens, longest, config);
  checkpoints::save_safetensors(folder / checkpoints::kWeightsFile, {theirs.begin(), theirs.end()},
                                {{"format", "pt"}});
  write_json(folder / "config.json", config_json(config));
  write_json(folder / "generation_config.json", generation_json(config, longest));
  write_tokens(model.tokenizers, tokens, models::longest_sequence(experiment.model), folder);
}

}  // namespace transformer::formats
