#include "transformer/models/tensors.h"

#include <map>
#include <tuple>
#include <utility>

#include "transformer/kernels/relative_bucket.h"
#include "transformer/variants/registry.h"

namespace transformer::models {
namespace {

using variants::Kind;
using variants::Role;

/// The parts of a stack, and the steps of one of its layers.
struct StackParts {
  ModelPart self_attention, feed_forward, norms;
  std::int64_t steps;
};
constexpr StackParts kEncoder{ModelPart::encoder_self_attention, ModelPart::encoder_feed_forward,
                              ModelPart::encoder_norms, 2};
constexpr StackParts kDecoder{ModelPart::decoder_self_attention, ModelPart::decoder_feed_forward,
                              ModelPart::decoder_norms, 3};
constexpr StackParts kDecoderAlone{ModelPart::decoder_self_attention, ModelPart::decoder_feed_forward,
                                   ModelPart::decoder_norms, 2};

/// Rows are added as LibTorch lists parameters: a module's own, then those of its parts.
class Table {
 public:
  Table(const ModelOptions& options, const VocabularySizes& vocabulary)
      : o_(options), embedded_(as_wide_as_embeddings(options)), words_(vocabulary) {}

  std::vector<TensorInfo> make() {
    const auto stacks = stacks_of(o_);
    !stacks.encoder ? decoder_alone() : stacks.decoder ? encoder_decoder() : encoder_alone();
    return std::move(rows_);
  }

 private:
  void encoder_decoder() {
    const std::int64_t source = 0, target = 1 + 2 * o_.encoder_layers,
                       output = target + 1 + 3 * o_.decoder_layers;
    const bool shared = nn::ties_embeddings(o_.tie);
    at(ModelPart::output_projection, output);
    if (o_.output_bias) add("output_bias", {words_.target});
    at(ModelPart::embeddings, source);
    add(shared ? "embedding.weight" : "source_embedding.weight", {words_.source, o_.d_model});
    at(ModelPart::embeddings, target);
    if (!shared) add("target_embedding.weight", {words_.target, o_.d_model});
    at(ModelPart::output_projection, output);
    if (!nn::ties_output(o_.tie)) add("output.weight", {words_.target, o_.d_model});
    at(ModelPart::positions, source);
    positions("source_positions");
    at(ModelPart::positions, target);
    positions("target_positions");
    at(ModelPart::encoder_norms, source);
    if (o_.embedding_norm) norm("source_embedding_norm");
    at(ModelPart::decoder_norms, target);
    if (o_.embedding_norm) norm("target_embedding_norm");
    stack("encoder", Role::encoder, kEncoder, source, o_.encoder_layers);
    stack("decoder", Role::decoder, kDecoder, target, o_.decoder_layers);
  }

  void decoder_alone() {
    const std::int64_t text = 0, output = 1 + kDecoderAlone.steps * o_.decoder_layers;
    at(ModelPart::output_projection, output);
    if (o_.output_bias) add("output_bias", {words_.target});
    at(ModelPart::embeddings, text);
    add("embedding.weight", {words_.target, o_.d_model});
    at(ModelPart::output_projection, output);
    if (!nn::ties_output(o_.tie)) add("output.weight", {words_.target, o_.d_model});
    at(ModelPart::positions, text);
    positions("positions");
    at(ModelPart::decoder_norms, text);
    if (o_.embedding_norm) norm("embedding_norm");
    stack("decoder", Role::decoder, kDecoderAlone, text, o_.decoder_layers);
  }

  void encoder_alone() {
    const std::int64_t text = 0, output = 1 + kEncoder.steps * o_.encoder_layers;
    const bool masks = o_.encoder.head == Head::none;
    const auto size = embedded_.d_model;
    at(ModelPart::output_projection, output);
    if (masks && o_.output_bias) add("output_bias", {words_.target});
    at(ModelPart::embeddings, text);
    add("embedding.weight", {words_.source, size});
    at(ModelPart::output_projection, output);
    if (masks && !nn::ties_output(o_.tie)) add("output.weight", {words_.target, size});
    at(ModelPart::positions, text);
    positions("positions");
    at(ModelPart::embeddings, text);
    if (o_.encoder.segments > 0) add("segments.weight", {o_.encoder.segments, size});
    at(ModelPart::encoder_norms, text);
    if (o_.embedding_norm) norm("embedding_norm", embedded_);
    at(ModelPart::embeddings, text);
    if (o_.encoder.embedding_size > 0) linear("embedding_projection", size, o_.d_model, /*bias=*/true);
    stack("encoder", Role::encoder, kEncoder, text, o_.encoder_layers);
    at(ModelPart::output_projection, output);
    if (masks && o_.encoder.output_transform) {
      linear("output_transform", o_.d_model, size, /*bias=*/true);
      norm("output_norm", embedded_);
    }
    if (is_of_texts(o_.encoder.head)) linear("head.dense", o_.d_model, o_.d_model, /*bias=*/true);
    if (!masks) linear("head.output", o_.d_model, outputs_of(o_, words_), /*bias=*/true);
  }

  /// What follows is of that part and step.
  void at(ModelPart part, std::int64_t step) { part_ = part, step_ = step; }

  void add(std::string name, std::vector<std::int64_t> shape, bool is_trained = true) {
    rows_.push_back({.name = std::move(name),
                     .shape = std::move(shape),
                     .part = part_,
                     .step = step_,
                     .is_trained = is_trained});
  }

  void linear(const std::string& name, std::int64_t from, std::int64_t to, bool bias) {
    add(name + ".weight", {to, from});
    if (bias) add(name + ".bias", {to});
  }

  /// Counted once for each kind of place, as a module is made for it.
  void variant(const std::string& name, const variants::Choice& choice, Kind kind, const ModelOptions& of,
               Role role = Role::encoder) {
    const auto [found, is_new] = counted_.try_emplace({kind, role, of.d_model});
    if (is_new) found->second = variants::count_parameters({choice, place_of(of, role)}, kind);
    if (found->second == 0) return;
    add(name + ".variant", {found->second});
    rows_.back().is_variant = true;
  }

  void positions(const std::string& name) {
    if (o_.variants.positions)
      variant(name, o_.variants.positions, Kind::positions, embedded_);
    else if (nn::are_learned_vectors(o_.positions))
      add(name + ".weight", {o_.max_positions, embedded_.d_model});
  }

  void attention(const std::string& name, Role role) {
    const auto queries = o_.heads * o_.d_k, results = o_.heads * o_.d_v;
    const auto keys = kv_heads_of(o_) * o_.d_k, values = kv_heads_of(o_) * o_.d_v;
    if (o_.attention_score == nn::AttentionScore::additive) add(name + ".score_weight", {o_.heads, o_.d_k});
    if (nn::are_relative_vectors(o_.positions) && variants::is_self_attention(role)) {
      add(name + ".distance_keys", {2 * o_.relative_distance + 1, o_.d_k});
      add(name + ".distance_values", {2 * o_.relative_distance + 1, o_.d_v});
    }
    linear(name + ".query", o_.d_model, queries, o_.attention_bias);
    linear(name + ".key", o_.d_model, keys, o_.attention_bias);
    linear(name + ".value", o_.d_model, values, o_.attention_bias);
    linear(name + ".output", results, o_.d_model, o_.attention_bias);
    if (o_.variants.attention) variant(name, o_.variants.attention, Kind::attention, o_, role);
    if (!o_.qk_norm) return;
    add(name + ".norm_of_queries.weight", {o_.d_k});
    add(name + ".norm_of_keys.weight", {o_.d_k});
  }

  void feed_forward(const std::string& name) {
    if (o_.variants.feed_forward) return variant(name, o_.variants.feed_forward, Kind::feed_forward, o_);
    linear(name + ".inner", o_.d_model, o_.d_ff, /*bias=*/true);
    if (nn::gate_of(o_.feed_forward) != nn::Gate::none)
      linear(name + ".gate", o_.d_model, o_.d_ff, /*bias=*/true);
    linear(name + ".outer", o_.d_ff, o_.d_model, /*bias=*/true);
  }

  void norm(const std::string& name) { norm(name, o_); }

  /// of: options whose d_model is what it normalises.
  void norm(const std::string& name, const ModelOptions& of) {
    if (o_.variants.norm) return variant(name, o_.variants.norm, Kind::norm, of);
    if (nn::weights_of(o_.norm_type) > 0) add(name + ".weight", {of.d_model});
    if (nn::weights_of(o_.norm_type) > 1) add(name + ".bias", {of.d_model});
    if (nn::statistics_of(o_.norm_type) == 0) return;
    add(name + ".mean", {of.d_model}, /*is_trained=*/false);
    add(name + ".variance", {of.d_model}, /*is_trained=*/false);
  }

  void residual(const std::string& sublayer) {
    norm(sublayer + "_residual.norm");
    if (nn::norm_comes_twice(o_.norm)) norm(sublayer + "_residual.norm_of_result");
  }

  /// embedding: its step, behind which those of the layers follow.
  void stack(const std::string& name, Role role, const StackParts& parts, std::int64_t embedding,
             std::int64_t layers) {
    at(ModelPart::positions, embedding + 1);
    if (nn::about(o_.positions).score_bias == nn::ScoreBias::buckets)
      add(name + ".positions.weight", {kernels::kRelativeBuckets, o_.heads});
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      const auto prefix = name + ".layers." + std::to_string(layer) + ".";
      auto step = embedding + layer * parts.steps;
      at(parts.self_attention, ++step);
      attention(prefix + "self_attention", role);
      at(parts.norms, step);
      residual(prefix + "self_attention");
      if (parts.steps > 2) {
        at(ModelPart::decoder_cross_attention, ++step);
        attention(prefix + "source_attention", Role::source);
        at(parts.norms, step);
        if (!o_.parallel_sublayers) residual(prefix + "source_attention");
      }
      if (!nn::exists(o_.feed_forward)) continue;
      at(parts.feed_forward, ++step);
      feed_forward(prefix + "feed_forward");
      at(parts.norms, step);
      if (!o_.parallel_sublayers) residual(prefix + "feed_forward");
    }
    at(parts.norms, embedding + layers * parts.steps);
    if (nn::norm_comes_first(o_.norm)) norm(name + ".norm");
  }

  const ModelOptions& o_;
  const ModelOptions embedded_;  // as wide as embeddings
  const VocabularySizes& words_;
  ModelPart part_ = ModelPart::embeddings;
  std::int64_t step_ = 0;
  std::map<std::tuple<Kind, Role, std::int64_t>, std::int64_t> counted_;
  std::vector<TensorInfo> rows_;
};

}  // namespace

std::int64_t TensorInfo::numbers() const {
  std::int64_t product = 1;
  for (const auto size : shape) product *= size;
  return product;
}

std::vector<TensorInfo> tensors_of(const ModelOptions& options, const VocabularySizes& vocabulary) {
  return Table(options, vocabulary).make();
}

}  // namespace transformer::models
