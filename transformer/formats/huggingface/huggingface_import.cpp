#include "transformer/formats/huggingface/huggingface_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/formats/huggingface/encoder_import.h"
#include "transformer/formats/huggingface/huggingface_vocabulary.h"
#include "transformer/formats/huggingface/seq2seq_import.h"
#include "transformer/formats/imported_experiment.h"
#include "transformer/formats/json_object.h"
#include "transformer/formats/safetensors/folder_tensors.h"
#include "transformer/models/kinds.h"
#include "transformer/models/size.h"

namespace transformer::formats {
namespace huggingface {
namespace {

namespace fs = std::filesystem;
using Form = TheirTensor::Form;
using torch::Tensor;

class Importer {
 public:
  explicit Importer(const fs::path& folder) : folder_(folder), config_(read_config(folder)) {}

  checkpoints::LoadedModel import() {
    FolderTensors tensors(folder_);
    // Before a vocabulary is made that the file cannot fill. New are biases of feed-forward layers, which are
    // less than their matrices, and a few rows.
    const models::VocabularySizes theirs{config_.vocabulary, config_.vocabulary};
    tensors.check_size(models::count_parameters(options(), theirs).total(), 4, 8 * options().d_model);
    numbering_ = read_numbering(folder_, config_);
    options().output_bias = is_any_hidden();
    checkpoints::LoadedModel loaded{.directory = folder_,
                                    .experiment = experiment(),
                                    .tokenizers = {numbering_.tokenizer, numbering_.tokenizer}};
    loaded.model = models::make(options(), loaded.tokenizers.sizes());
    assign(loaded.model, tensors);
    loaded.model->eval();
    return loaded;
  }

 private:
  models::ModelOptions& options() { return config_.model; }

  /// Whether no text may get the id. Padding and begin never come.
  bool is_hidden(std::int64_t ours) const {
    if (ours == kPad || ours == kBos) return false;
    const auto theirs = numbering_.theirs[static_cast<std::size_t>(ours)];
    return (ours == kUnknown && theirs == Numbering::kNew) || config_.suppressed.contains(theirs);
  }
  bool is_any_hidden() const {
    for (std::int64_t id = 0; id < std::ssize(numbering_.theirs); ++id)
      if (is_hidden(id)) return true;
    return false;
  }

  Tensor output_bias() const {
    auto bias = torch::zeros({std::ssize(numbering_.theirs)});
    for (std::int64_t id = 0; id < bias.size(0); ++id)
      if (is_hidden(id)) bias[id] = kNever;
    return bias;
  }

  /// Of a parameter of ours.
  Tensor take(FolderTensors& tensors, const std::string& name, std::vector<std::int64_t> shape) {
    const auto place = their_tensor(config_.family, name);
    if (!place) return output_bias();
    const bool is_bias = name.ends_with(".bias");
    if (is_bias && !config_.mlp_bias && name.find(".feed_forward.") != std::string::npos)
      return torch::zeros(shape);
    if (name == "embedding.weight" || name == "output.weight") {
      const auto rows = tensors.take(stored(tensors, place->name), {config_.vocabulary, shape[1]});
      if (nn::ties_output(options().tie)) tensors.take_repeated("lm_head.weight", rows);
      return numbering_.renumbered(rows);
    }
    if (place->form == Form::third) shape[0] *= 3;
    if (place->form == Form::third || place->form == Form::transposed) std::ranges::reverse(shape);
    return to_ours(tensors.take(stored(tensors, place->name), shape), *place, config_.family, options());
  }

  /// GPT-2's first files have no common front of names.
  std::string stored(const FolderTensors& tensors, const std::string& name) const {
    constexpr std::string_view kFront = "transformer.";
    if (config_.family != Family::gpt2 || tensors.has("transformer.wte.weight") || !name.starts_with(kFront))
      return name;
    return name.substr(kFront.size());
  }

  void assign(models::AnyModel& model, FolderTensors& tensors) {
    const torch::NoGradGuard no_gradients;
    for (auto& parameter : model->named_parameters()) {
      auto& weight = parameter.value();
      weight.copy_(take(tensors, parameter.key(), weight.sizes().vec()));
    }
    for (std::int64_t i = 0; i < options().decoder_layers; ++i) {  // what older files hold and nobody learnt
      tensors.ignore(fmt::format("model.layers.{}.self_attn.rotary_emb.inv_freq", i));
      for (const auto* mask : {"bias", "masked_bias"})
        tensors.ignore(stored(tensors, fmt::format("transformer.h.{}.attn.{}", i, mask)));
    }
    tensors.check_all_used(about(config_.family).model);
  }

  config::Experiment experiment() {
    config::Experiment result;
    result.model = options();
    auto& data = result.data;
    data.examples = data::ExampleKind::documents;
    data.vocabulary = std::max<std::int64_t>(std::ssize(numbering_.theirs), 8);
    data.normalization = data::NormalizationRule::identity;
    const auto& special = config_.special;
    if (special.begin == special.end) data.block = config_.longest;
    return checked_experiment(std::move(result), folder_ / "config.json");
  }

  fs::path folder_;
  Config config_;
  Numbering numbering_;
};

}  // namespace
}  // namespace huggingface

namespace {

/// What reads each model_type; decoders are read by all others' reader, which refuses unknown ones.
struct TypeReader {
  const char* type;
  checkpoints::LoadedModel (*import)(const std::filesystem::path& folder);
};
constexpr std::array kTypeReaders{
    TypeReader{"bert", import_encoder},        TypeReader{"roberta", import_encoder},
    TypeReader{"xlm-roberta", import_encoder}, TypeReader{"distilbert", import_encoder},
    TypeReader{"albert", import_encoder},      TypeReader{"t5", import_seq2seq},
    TypeReader{"mt5", import_seq2seq},         TypeReader{"m2m_100", import_seq2seq},
    TypeReader{"bart", import_seq2seq},        TypeReader{"mbart", import_seq2seq}};

}  // namespace

checkpoints::LoadedModel import_huggingface(const std::filesystem::path& folder) {
  const auto type = JsonObject(folder / "config.json").text("model_type").value_or("");
  const auto* reader = std::ranges::find(kTypeReaders, type, [](const auto& row) { return row.type; });
  if (reader != kTypeReaders.end()) return reader->import(folder);
  return huggingface::Importer(folder).import();
}

bool is_marian_folder(const std::filesystem::path& folder) {
  const auto file = folder / "config.json";
  return !exists(file) || JsonObject(file).text("model_type").value_or("marian") == "marian";
}

}  // namespace transformer::formats
