#include "transformer/formats/huggingface/encoder_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/data/scored_pieces.h"
#include "transformer/formats/huggingface/encoder_names.h"
#include "transformer/formats/huggingface/encoder_vocabulary.h"
#include "transformer/formats/imported_experiment.h"
#include "transformer/formats/json_object.h"
#include "transformer/formats/safetensors/folder_tensors.h"
#include "transformer/models/kinds.h"
#include "transformer/models/size.h"

namespace transformer::formats {
namespace encoders {
namespace {

namespace fs = std::filesystem;
using models::Head;
using torch::Tensor;

class Importer {
 public:
  explicit Importer(const fs::path& folder) : folder_(folder), config_(read_config(folder)) {}

  checkpoints::LoadedModel import() {
    FolderTensors tensors(folder_);
    front_ = front_of(config_.family);
    if (!tensors.has(stored(tensors, front_ + "embeddings.word_embeddings.weight"))) front_.clear();
    const auto labels = std::ssize(config_.labels) + kEos + 1;
    const auto head = options().encoder.head;
    const models::VocabularySizes theirs{config_.vocabulary,
                                         head == Head::none ? config_.vocabulary : labels};
    // Before a vocabulary is made that the file cannot fill.
    auto stored = options();
    stored.encoder_layers = config_.stored_layers();
    tensors.check_size(models::count_parameters(stored, theirs).total(), 2, 0);
    auto vocabulary = read_vocabulary(folder_, config_);
    numbering_ = std::move(vocabulary.numbering);
    checkpoints::LoadedModel loaded{.directory = folder_,
                                    .experiment = experiment(*vocabulary.tokenizer),
                                    .tokenizers = {vocabulary.tokenizer, vocabulary.tokenizer}};
    if (head != Head::none) loaded.tokenizers.target = tokenizer_of_labels();
    loaded.model = models::make(options(), loaded.tokenizers.sizes());
    assign(loaded.model, tensors);
    loaded.model->eval();
    return loaded;
  }

 private:
  const models::ModelOptions& options() const { return config_.options; }

  std::shared_ptr<const data::Tokenizer> tokenizer_of_labels() const {
    return std::make_shared<const data::Tokenizer>(
        data::Tokenizer::of_content(data::word_model(config_.labels), folder_ / "config.json"));
  }

  /// The name in the file of one with the front: older files call a norm's tensors gamma and beta, and some
  /// have no front.
  std::string stored(const FolderTensors& tensors, std::string name) const {
    const std::string full_front = front_of(config_.family);
    if (front_.empty() && name.starts_with(full_front)) name = name.substr(full_front.size());
    if (tensors.has(name)) return name;
    constexpr std::array kOlder{std::pair{".weight", ".gamma"}, std::pair{".bias", ".beta"}};
    for (const auto& [now, then] : kOlder) {
      if (!name.ends_with(now)) continue;
      const auto older = name.substr(0, name.size() - std::string_view(now).size()) + then;
      if (tensors.has(older)) return older;
    }
    return name;
  }

  /// Of a parameter of ours.
  Tensor take(FolderTensors& tensors, const std::string& name, std::vector<std::int64_t> shape) const {
    const auto theirs = [&](const std::string& ours) { return stored(tensors, their_name(config_, ours)); };
    const auto place = theirs(name);
    if (!config_.predicts() && (name.starts_with("output_transform.") || name.starts_with("output_norm.")))
      return of_nobody(tensors, name, shape);
    if (name == "embedding.weight" || name == "output.weight") {
      const auto rows = tensors.take(place, {config_.vocabulary, shape[1]});
      if (name == "embedding.weight" && config_.options.tie == nn::Tie::all)
        tensors.take_repeated(theirs("output.weight"), rows);
      return numbering_.renumbered(rows);
    }
    if (name == "output_bias") return output_bias(tensors, place);
    if (name != "positions.weight") return tensors.take(place, shape);
    auto rows = tensors.take(place, {shape[0] + config_.unused_positions, shape[1]})
                    .slice(0, config_.unused_positions);
    if (config_.adds_one_segment) rows = rows + tensors.take(theirs("segments.weight"), {1, shape[1]});
    return rows;
  }

  /// In front of logits that nobody trained: the way from embeddings to states, backwards.
  Tensor of_nobody(FolderTensors& tensors, const std::string& name,
                   const std::vector<std::int64_t>& shape) const {
    if (name == "output_norm.weight") return torch::ones(shape);
    if (name != "output_transform.weight") return torch::zeros(shape);
    const auto inwards = stored(tensors, their_name(config_, "embedding_projection.weight"));
    return tensors.take(inwards, {shape[1], shape[0]}).t();
  }

  /// place: a name from before the decoder had it. Then both may be there, and the decoder's counts.
  Tensor output_bias(FolderTensors& tensors, const std::string& place) const {
    const auto decoder = place.substr(0, place.size() - std::string_view("bias").size()) + "decoder.bias";
    const auto bias = tensors.take(tensors.has(decoder) ? decoder : place, {config_.vocabulary});
    if (options().tie == nn::Tie::all)
      tensors.take_repeated(place, bias);
    else
      tensors.ignore(place);
    return numbering_.renumbered(bias);
  }

  void assign(models::AnyModel& model, FolderTensors& tensors) const {
    const torch::NoGradGuard no_gradients;
    for (auto& parameter : model->named_parameters()) {
      auto& weight = parameter.value();
      weight.copy_(take(tensors, parameter.key(), weight.sizes().vec()));
    }
    for (const std::string name :
         {"embeddings.position_ids", "embeddings.token_type_ids", "pooler.dense.weight", "pooler.dense.bias",
          "pooler.weight", "pooler.bias"})
      tensors.ignore(front_ + name);
    for (const auto* name : {"cls.seq_relationship.weight", "cls.seq_relationship.bias",
                             "sop_classifier.classifier.weight", "sop_classifier.classifier.bias"})
      tensors.ignore(name);
    tensors.check_all_used(config_.model.c_str());
  }

  config::Experiment experiment(const data::Tokenizer& tokenizer) const {
    config::Experiment result;
    result.model = options();
    auto& data = result.data;
    const auto head = options().encoder.head;
    data.examples = head == Head::none   ? data::ExampleKind::documents
                    : head == Head::span ? data::ExampleKind::answers
                                         : data::ExampleKind::labelled;
    data.masks = head == Head::none && tokenizer.id_of(data::kMaskPiece) != kUnknown;
    data.vocabulary = std::max<std::int64_t>(tokenizer.size(), 8);
    data.normalization = data::NormalizationRule::identity;
    data.max_tokens = std::max<std::int64_t>(std::min(data.max_tokens, options().max_positions - 2), 1);
    return checked_experiment(std::move(result), folder_ / "config.json");
  }

  fs::path folder_;
  Config config_;
  std::string front_;
  PieceNumbering numbering_;
};

}  // namespace
}  // namespace encoders

checkpoints::LoadedModel import_encoder(const std::filesystem::path& folder) {
  return encoders::Importer(folder).import();
}

std::optional<SharedLayers> shared_layers(const std::filesystem::path& folder) {
  const auto albert = encoders::name_of(encoders::Family::albert);
  if (JsonObject(folder / "config.json").text("model_type").value_or("") != albert) return std::nullopt;
  const auto config = encoders::read_config(folder);
  if (config.stored_layers() == config.options.encoder_layers) return std::nullopt;
  return SharedLayers{config.stored_layers(), config.options.encoder_layers};
}

}  // namespace transformer::formats
