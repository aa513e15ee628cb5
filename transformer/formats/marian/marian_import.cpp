#include "transformer/formats/marian/marian_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/config/validate.h"
#include "transformer/config/yaml.h"
#include "transformer/formats/marian/marian_config.h"
#include "transformer/formats/marian/marian_names.h"
#include "transformer/formats/marian/marian_vocabulary.h"
#include "transformer/formats/safetensors/folder_tensors.h"
#include "transformer/models/size.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;
using torch::Tensor;

/// By how much a stored table of sinusoids may differ from ours, for having been computed otherwise.
constexpr double kSinusoidTolerance = 1e-4;

class MarianImporter {
 public:
  explicit MarianImporter(const fs::path& folder) : files_{folder} {
    config_ = read_marian_config(files_);
    tokenizer_ = read_marian_tokenizer_config(files_);
    vocabularies_ = read_marian_vocabularies(files_, config_, tokenizer_);
  }

  checkpoints::LoadedModel import() {
    FolderTensors tensors(files_.folder);
    auto& options = config_.model;
    const models::VocabularySizes sizes{vocabularies_.source.size(), vocabularies_.target.size()};
    read_positions(tensors);
    const auto bias = read_bias(tensors);
    options.output_bias = bias.defined();
    // A matrix may become three.
    tensors.check_size(models::count_parameters(options, sizes).total(), 4, 4 * options.d_model);
    models::EncoderDecoder model(options, sizes);
    assign(model, tensors, bias);
    tensors.check_all_used("a Marian model");
    model->eval();
    return {.directory = files_.folder,
            .experiment = experiment(),
            .tokenizers = tokenizers(),
            .model = std::move(model)};
  }

 private:
  /// Sinusoids, which files of today do not hold, or any other vectors.
  void read_positions(FolderTensors& tensors) {
    config_.model.positions = nn::Positions::halves;
    const bool stored = config_.stored_positions || tensors.has(kMarianSourcePositions) ||
                        tensors.has(kMarianTargetPositions);
    if (!stored) return;
    const auto d_model = config_.model.d_model;
    source_positions_ = tensors.take(kMarianSourcePositions, {-1, d_model});
    target_positions_ = tensors.take(kMarianTargetPositions, {source_positions_.size(0), d_model});
    const auto length = source_positions_.size(0);
    if (d_model % 2 == 0) {
      const auto expected = nn::sinusoids(nn::Positions::halves, length, d_model);
      const auto equal = [&](const Tensor& found) {
        return length == 0 || (found - expected).abs().max().item<double>() < kSinusoidTolerance;
      };
      if (equal(source_positions_) && equal(target_positions_)) return;
    }
    config_.model.positions = nn::Positions::learned;
    config_.model.max_positions = length;
  }

  /// The bias of the logits in our numbering, or nothing where it would be all zeros.
  Tensor read_bias(FolderTensors& tensors) {
    const auto target = config_.vocabulary.target;
    auto theirs =
        tensors.has(kMarianBias) ? tensors.take(kMarianBias, {1, target})[0] : torch::zeros({target});
    return output_bias_of(vocabularies_.target, theirs);
  }

  /// Source embedding, target embedding and output projection.
  std::map<std::string, Tensor> matrices(FolderTensors& tensors) {
    const auto source_rows = config_.vocabulary.source, target_rows = config_.vocabulary.target;
    const auto d_model = config_.model.d_model;
    Tensor source, target, output;
    if (nn::ties_embeddings(config_.model.tie)) {
      source = tensors.take_first({kMarianShared, kMarianSource, kMarianTarget, kMarianOutput},
                                  {source_rows, d_model});
      target = output = source;
      for (const auto* repeated : {kMarianSource, kMarianTarget, kMarianOutput, kMarianShared})
        tensors.take_repeated(repeated, source);
    } else {
      if (config_.shared_embeddings) {
        source = tensors.take_first({kMarianSource, kMarianTarget, kMarianShared}, {source_rows, d_model});
        target = source;
        for (const auto* repeated : {kMarianTarget, kMarianShared}) tensors.take_repeated(repeated, source);
      } else {
        source = tensors.take(kMarianSource, {source_rows, d_model});
        target = tensors.take(kMarianTarget, {target_rows, d_model});
        tensors.ignore(kMarianShared);
      }
      output = config_.tied_output ? target : tensors.take(kMarianOutput, {target_rows, d_model});
      tensors.take_repeated(kMarianOutput, output);
    }
    source = vocabularies_.source.renumbered(source);
    return {{"embedding.weight", source},
            {"source_embedding.weight", source},
            {"target_embedding.weight", vocabularies_.target.renumbered(target)},
            {"output.weight", vocabularies_.target.renumbered(output)}};
  }

  void assign(models::EncoderDecoder& model, FolderTensors& tensors, const Tensor& bias) {
    const torch::NoGradGuard no_gradients;
    auto others = matrices(tensors);
    others.emplace("output_bias", bias);
    others.emplace("source_positions.weight", source_positions_);
    others.emplace("target_positions.weight", target_positions_);
    for (auto& parameter : model->named_parameters()) {
      auto& weight = parameter.value();
      weight.copy_(is_layer_parameter(parameter.key())
                       ? tensors.take(marian_layer_name(parameter.key()), weight.sizes().vec())
                       : others.at(parameter.key()));
    }
  }

  /// One for both languages where two would be the same.
  checkpoints::Tokenizers tokenizers() const {
    const auto& [source, target] = vocabularies_.tokenizers;
    const bool same =
        source->serialized() == target->serialized() && source->all_pieces() == target->all_pieces();
    return same ? checkpoints::Tokenizers{source, source} : vocabularies_.tokenizers;
  }

  config::Experiment experiment() const {
    config::Experiment result;
    result.model = config_.model;
    result.decode = config_.decode;
    auto& data = result.data;
    data.shared_vocabulary = vocabularies_.source.pieces == vocabularies_.target.pieces;
    data.vocabulary = std::max<std::int64_t>(vocabularies_.source.size(), 8);
    if (const auto longest = models::longest_sequence(result.model))
      data.max_tokens = std::min(data.max_tokens, *longest - 1);
    const auto usable = [](const std::string& language) {
      return !language.empty() && language.find('/') == std::string::npos;
    };
    if (usable(tokenizer_.source) && usable(tokenizer_.target) && tokenizer_.source != tokenizer_.target) {
      data.source = tokenizer_.source;
      data.target = tokenizer_.target;
    }
    // What is not valid as configuration must not be written as one.
    if (const auto problem = config::find_problem(result))
      throw InputError(fmt::format("{}: gives '{}': {}", files_.config().string(), problem->keys.front(),
                                   problem->message));
    return config::parse_experiment(config::to_yaml(result), files_.config());
  }

  MarianFiles files_;
  MarianConfig config_;
  MarianTokenizerConfig tokenizer_;
  MarianVocabularies vocabularies_;
  Tensor source_positions_, target_positions_;
};

}  // namespace

checkpoints::LoadedModel import_marian(const fs::path& folder) {
  return MarianImporter(folder).import();
}

std::vector<std::string> ignored_marian_settings(const fs::path& folder) {
  return ignored_marian_settings(MarianFiles{folder});
}

}  // namespace transformer::formats
