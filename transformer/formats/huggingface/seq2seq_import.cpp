#include "transformer/formats/huggingface/seq2seq_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/formats/huggingface/seq2seq_names.h"
#include "transformer/formats/huggingface/seq2seq_vocabulary.h"
#include "transformer/formats/huggingface/seq2seq_weights.h"
#include "transformer/formats/imported_experiment.h"
#include "transformer/formats/safetensors/folder_tensors.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/models/size.h"

namespace transformer::formats {
namespace seq2seq {
namespace {

namespace fs = std::filesystem;
using torch::Tensor;

class Seq2SeqImporter {
 public:
  explicit Seq2SeqImporter(const fs::path& folder) : folder_(folder), config_(read_config(folder)) {}

  checkpoints::LoadedModel import() {
    FolderTensors tensors(folder_);
    auto& options = config_.model;
    read_matrices(tensors);
    const models::VocabularySizes theirs{config_.vocabulary, config_.vocabulary};
    const auto positions = nn::are_learned_vectors(options.positions) ? 2 * options.max_positions : 0;
    // One matrix may become three, and positions need not be stored.
    tensors.check_size(models::count_parameters(options, theirs).total(), 3,
                       (positions + 8) * options.d_model);
    vocabulary_ = read_vocabulary(folder_, config_);
    const auto bias = output_bias_of(vocabulary_.numbering, read_bias(tensors));
    options.output_bias = bias.defined();
    const models::VocabularySizes sizes{vocabulary_.numbering.size(), vocabulary_.numbering.size()};
    models::EncoderDecoder model(options, sizes);
    assign(model, tensors, bias);
    ignore_what_nobody_reads(tensors);
    tensors.check_all_used(about(config_.family).name);
    model->eval();
    return {.directory = folder_,
            .experiment = experiment(),
            .tokenizers = tokenizers(),
            .model = std::move(model)};
  }

 private:
  void read_matrices(FolderTensors& tensors) {
    const auto& names = embedding_names(config_.family);
    const std::vector<std::int64_t> shape{config_.vocabulary, config_.model.d_model};
    embedding_ = tensors.take_first(names, shape);
    for (const auto* name : names) tensors.take_repeated(name, embedding_);
    output_ = tensors.has(kOutputName) ? tensors.take(kOutputName, shape) : embedding_;
    const bool tied = torch::equal(output_, embedding_);
    if (!tied && config_.family != Family::t5) tensors.take_repeated(kOutputName, embedding_);
    config_.model.tie = tied ? nn::Tie::all : nn::Tie::none;
  }

  /// Of the logits, by their ids.
  Tensor read_bias(FolderTensors& tensors) const {
    const auto size = config_.vocabulary;
    return tensors.has(kLogitsBias) ? tensors.take(kLogitsBias, {1, size})[0] : torch::zeros({size});
  }

  /// Learned vectors of a side, from the file, or the sinusoids that it leaves out.
  Tensor positions_of(FolderTensors& tensors, const std::string& name) const {
    const auto rows = config_.model.max_positions, width = config_.model.d_model;
    if (!about(config_.family).stores_positions) return unstored_positions(rows, width);
    return tensors.take(their_name(config_.family, name, /*gated=*/false), {rows + kFirstPosition, width})
        .slice(0, kFirstPosition);
  }

  Tensor take(FolderTensors& tensors, const std::string& name, const Tensor& ours) const {
    const bool t5 = config_.family == Family::t5;
    if (t5 && name.ends_with(".bias")) return torch::zeros_like(ours);
    const bool gated = nn::about(config_.model.feed_forward).gate != nn::Gate::none;
    auto theirs = tensors.take(their_name(config_.family, name, gated), ours.sizes().vec());
    if (config_.scaled_output && name.starts_with("decoder.norm."))
      theirs = theirs / std::sqrt(static_cast<double>(config_.model.d_model));
    return theirs;
  }

  void assign(models::EncoderDecoder& model, FolderTensors& tensors, const Tensor& bias) const {
    const torch::NoGradGuard no_gradients;
    const auto embedding = vocabulary_.numbering.renumbered(embedding_);
    for (auto& parameter : model->named_parameters()) {
      const auto& name = parameter.key();
      auto& weight = parameter.value();
      if (name == "output_bias")
        weight.copy_(bias);
      else if (name == "output.weight")
        weight.copy_(vocabulary_.numbering.renumbered(output_));
      else if (name.ends_with("embedding.weight"))
        weight.copy_(embedding);
      else if (name.ends_with("_positions.weight"))
        weight.copy_(positions_of(tensors, name));
      else
        weight.copy_(take(tensors, name, weight));
    }
  }

  /// What older files hold besides.
  void ignore_what_nobody_reads(FolderTensors& tensors) const {
    tensors.ignore("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
    for (const auto* stack : {"encoder", "decoder"})
      tensors.ignore(fmt::format("model.{}.embed_positions.weights", stack));
  }

  /// The piece of an id of theirs.
  std::string piece_of(const std::optional<std::int64_t>& id) const {
    if (!id) return {};
    const auto& [theirs, pieces, copy] = vocabulary_.numbering;
    return pieces[static_cast<std::size_t>(std::ranges::find(theirs, *id) - theirs.begin())];
  }

  checkpoints::Tokenizers tokenizers() const {
    const auto with = [](const std::shared_ptr<const data::Tokenizer>& one, const std::string& begin) {
      return begin.empty() ? one : std::make_shared<const data::Tokenizer>(one->with_begin(begin));
    };
    const auto& own = vocabulary_.tokenizers;
    const auto first = config_.source_first ? piece_of(config_.source_first) : vocabulary_.language;
    const auto second = piece_of(config_.first);
    const auto source = with(own.source, first);
    return {source, own.source == own.target && first == second ? source : with(own.target, second)};
  }

  config::Experiment experiment() const {
    config::Experiment result;
    result.model = config_.model;
    result.decode = config_.decode;
    auto& data = result.data;
    data.vocabulary = std::max<std::int64_t>(vocabulary_.numbering.size(), 8);
    data.normalization = data::NormalizationRule::identity;
    return checked_experiment(std::move(result), folder_ / "config.json");
  }

  fs::path folder_;
  Config config_;
  Vocabulary vocabulary_;
  Tensor embedding_, output_;
};

}  // namespace
}  // namespace seq2seq

checkpoints::LoadedModel import_seq2seq(const std::filesystem::path& folder) {
  return seq2seq::Seq2SeqImporter(folder).import();
}

}  // namespace transformer::formats
