#include "transformer/formats/huggingface/seq2seq_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "transformer/base/error.h"
#include "transformer/formats/huggingface/seq2seq_names.h"
#include "transformer/nn/positional_encoding.h"

namespace transformer::formats::seq2seq {
namespace {

using torch::Tensor;

[[noreturn]] void refuse(const char* key, const std::string& expected, const std::string& found) {
  throw InputError(fmt::format("{}: expected {}, found {}", key, expected, found));
}

class Converter {
 public:
  Converter(Weights& ours, const TheirTokens& tokens, std::int64_t positions, Config& config)
      : ours_(ours),
        tokens_(tokens),
        positions_(positions),
        config_(config),
        name_(about(config.family).name) {}

  Weights convert() {
    take_embeddings();
    take_output_bias();
    is_t5() ? remove_biases() : add_attention_biases(ours_, config_.model);
    resize_heads();
    if (!is_t5()) take_positions();
    const bool gated = nn::gate_of(config_.model.feed_forward) != nn::Gate::none;
    for (auto& [name, tensor] : ours_)
      theirs_.emplace(their_name(config_.family, name, gated), tensor.contiguous());
    return std::move(theirs_);
  }

 private:
  bool is_t5() const { return config_.family == Family::t5; }

  Tensor take(const std::string& name) { return ours_.extract(name).mapped(); }

  /// One matrix for both sides; T5's output may be another.
  void take_embeddings() {
    auto& model = config_.model;
    const bool one = ours_.contains("embedding.weight");
    auto embedding = take(one ? "embedding.weight" : "source_embedding.weight");
    size_ = embedding.size(0);
    if (!one && !torch::equal(take("target_embedding.weight"), embedding))
      refuse("model.tie", fmt::format("one embedding of source and target for {}", name_), "two");
    const auto output = ours_.contains("output.weight") ? take("output.weight") : embedding;
    const bool tied = torch::equal(output, embedding);
    if (!tied && !is_t5())
      refuse("model.tie", fmt::format("all for {}", name_), "another matrix of the output");
    model.tie = tied ? nn::Tie::all : nn::Tie::none;
    if (!tied) theirs_.emplace(kOutputName, tokens_.rows(output));
    if (is_t5()) {
      const auto root = std::sqrt(static_cast<double>(model.d_model));
      config_.scaled_output = tied;
      if (model.scale_embedding)
        embedding = embedding * root;
      else if (tied)
        ours_.at("decoder.norm.weight") = ours_.at("decoder.norm.weight") * root;
    }
    theirs_.emplace(embedding_names(config_.family).front(), tokens_.rows(embedding));
  }

  /// A begin that is left out has the only bias of a model that came in without any.
  void take_output_bias() {
    const auto ours = config_.model.output_bias ? take("output_bias") : torch::zeros({size_});
    const auto bias = tokens_.rows(ours).unsqueeze(0);
    if (about(config_.family).stores_positions)  // BART, which has both tables
      theirs_.emplace(kLogitsBias, bias);
    else if (bias.count_nonzero().item<std::int64_t>() != 0)
      refuse("model.output_bias", fmt::format("false for {}", name_), "true");
  }

  void remove_biases() {
    for (const auto& [name, tensor] : ours_) {
      if (!name.ends_with(".bias") || tensor.count_nonzero().item<std::int64_t>() == 0) continue;
      const bool attention = name.find("_attention.") != std::string::npos;
      refuse(attention ? "model.attention_bias" : "model.feed_forward",
             fmt::format("layers whose biases are zeros for {}", name_), fmt::format("'{}'", name));
    }
    std::erase_if(ours_, [](const auto& named) { return named.first.ends_with(".bias"); });
  }

  /// Both divide a score by the root of the size, or by 1.
  void resize_heads() {
    auto& model = config_.model;
    const auto size = is_t5() ? std::max(model.d_k, model.d_v) : model.d_model / model.heads;
    const auto factor = std::sqrt(static_cast<double>(model.attention_scale ? 1 : model.d_k) /
                                  static_cast<double>(is_t5() ? size : 1));
    pad_heads(ours_, model, size);
    model.attention_scale = !is_t5();
    if (factor == 1) return;
    for (auto& [name, tensor] : ours_)
      if (name.find("_attention.query.") != std::string::npos) tensor = tensor * factor;
  }

  void take_positions() {
    auto& model = config_.model;
    const bool learned = nn::are_learned_vectors(model.positions);
    if (!learned) model.max_positions = positions_;
    for (const std::string name : {"source_positions.weight", "target_positions.weight"}) {
      const auto rows = learned ? take(name) : nn::sinusoids(model.positions, positions_, model.d_model);
      if (about(config_.family).stores_positions)
        ours_.emplace(name, torch::cat({torch::zeros({kFirstPosition, model.d_model}), rows}));
      else
        check_unstored(name, rows);
    }
    model.positions = nn::Positions::learned;
  }

  void check_unstored(const std::string& name, const Tensor& rows) const {
    constexpr double kRounding = 1e-6;
    const auto theirs = unstored_positions(rows.size(0), rows.size(1));
    const auto difference = (rows - theirs).abs().max().item<double>();
    if (!(difference <= kRounding))
      refuse("model.positions",
             fmt::format("the sinusoids of an imported M2M-100 model, which count from {}, for {}",
                         kFirstPosition, name_),
             fmt::format("'{}' with other vectors", name));
  }

  Weights& ours_;
  const TheirTokens& tokens_;
  std::int64_t positions_;
  Config& config_;
  const char* name_;
  std::int64_t size_ = 0;  // of our vocabulary
  Weights theirs_;
};

}  // namespace

Tensor unstored_positions(std::int64_t rows, std::int64_t d_model) {
  return nn::sinusoids(nn::Positions::tensor2tensor, rows + kFirstPosition, d_model).slice(0, kFirstPosition);
}

Weights their_weights(Weights ours, const TheirTokens& tokens, std::int64_t positions, Config& config) {
  return Converter(ours, tokens, positions, config).convert();
}

}  // namespace transformer::formats::seq2seq
