#include "transformer/engine/packed_model.h"

#include <fmt/format.h>

#include <cmath>

#include "transformer/base/error.h"
#include "transformer/engine/packing.h"
#include "transformer/engine/positions.h"
#include "transformer/engine/support.h"

namespace transformer::engine {
namespace {

/// Positions that are computed once for all decoders: enough for nearly all sentences.
constexpr std::int64_t kPositions = 256;

}  // namespace

PackedModel::PackedModel(const models::ModelOptions& options, const models::VocabularySizes& vocabulary,
                         const Weights& weights, Precision precision, kernels::Isa isa)
    : options_(options),
      vocabulary_(vocabulary),
      precision_(precision),
      isa_(isa),
      shape_(shape_of(options)) {
  if (const auto option = unsupported(options_))
    throw InputError(
        fmt::format("{}: expected an option that the engine for CPUs knows, found another", *option));
  const Packer packer(options_, vocabulary_, shape_, precision, weights);

  const bool tied = nn::ties_embeddings(options_.tie);
  const std::string source = tied ? "embedding.weight" : "source_embedding.weight";
  const std::string target = tied ? source : "target_embedding.weight";
  const auto scale = static_cast<float>(std::sqrt(static_cast<double>(options_.d_model)));
  const auto embedding = [&](const std::string& name) {
    return std::make_shared<const VectorTable>(packer.table(name, scale));
  };
  source_embedding = embedding(source);
  target_embedding = tied ? source_embedding : embedding(target);
  if (nn::are_learned_vectors(options_.positions)) {
    source_positions = packer.table("source_positions.weight", 1.0F);
    target_positions = packer.table("target_positions.weight", 1.0F);
  } else {
    source_positions = computed_positions(options_, kPositions);
    target_positions = computed_positions(options_, kPositions);
  }

  const auto residual = [&](const std::string& sublayer) { return packer.norm(sublayer + "_residual.norm"); };
  for (std::int64_t i = 0; i < options_.encoder_layers; ++i) {
    const auto layer = fmt::format("encoder.layers.{}.", i);
    const auto self = layer + "self_attention", feed_forward = layer + "feed_forward";
    encoder.push_back({packer.self_attention(self), residual(self), packer.feed_forward(feed_forward),
                       residual(feed_forward)});
  }
  std::vector<std::string> cross_attentions;
  for (std::int64_t i = 0; i < options_.decoder_layers; ++i) {
    const auto layer = fmt::format("decoder.layers.{}.", i);
    const auto self = layer + "self_attention", feed_forward = layer + "feed_forward";
    const auto cross = cross_attentions.emplace_back(layer + "source_attention");
    decoder.push_back({packer.self_attention(self), residual(self), packer.cross_attention(cross),
                       residual(cross), packer.feed_forward(feed_forward), residual(feed_forward)});
  }
  if (nn::norm_comes_first(options_.norm)) {
    encoder_norm = packer.norm("encoder.norm");
    decoder_norm = packer.norm("decoder.norm");
  }
  source_key_values = packer.key_values(cross_attentions);
  output = packer.output(nn::ties_output(options_.tie) ? target : "output.weight",
                         options_.output_bias ? "output_bias" : "");
}

}  // namespace transformer::engine
