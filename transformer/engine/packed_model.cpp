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

constexpr const char* kResidualNorm = "_residual.norm";

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

  const bool source = models::stacks_of(options_).encoder;
  const bool tied = nn::ties_embeddings(options_.tie);
  const std::string embedding_of_source = tied ? "embedding.weight" : "source_embedding.weight";
  const std::string embedding = tied || !source ? "embedding.weight" : "target_embedding.weight";
  const auto scale =
      options_.scale_embedding ? static_cast<float>(std::sqrt(static_cast<double>(options_.d_model))) : 1.0F;
  const auto table_of = [&](const std::string& name) {
    return std::make_shared<const VectorTable>(packer.table(name, scale));
  };
  const auto positions_of = [&](const std::string& name) {
    return nn::are_learned_vectors(options_.positions) ? packer.table(name + ".weight", 1.0F)
                                                       : computed_positions(options_, kPositions);
  };
  target_embedding = table_of(embedding);
  target_positions = positions_of(source ? "target_positions" : "positions");
  if (source) {
    source_embedding = tied ? target_embedding : table_of(embedding_of_source);
    source_positions = positions_of("source_positions");
    pack_encoder(packer);
  }
  pack_decoder(packer);
  output = packer.output(nn::ties_output(options_.tie) ? embedding : "output.weight",
                         options_.output_bias ? "output_bias" : "");
}

void PackedModel::pack_encoder(const Packer& packer) {
  for (std::int64_t i = 0; i < options_.encoder_layers; ++i) {
    const auto layer = fmt::format("encoder.layers.{}.", i);
    const auto self = layer + "self_attention", feed_forward = layer + "feed_forward";
    encoder.push_back({packer.self_attention(self), packer.norm(self + kResidualNorm),
                       packer.feed_forward(feed_forward), packer.norm(feed_forward + kResidualNorm)});
  }
  if (nn::norm_comes_first(options_.norm)) encoder_norm = packer.norm("encoder.norm");
  if (options_.embedding_norm) source_embedding_norm = packer.norm("source_embedding_norm");
  source_buckets = packer.buckets("encoder");
}

void PackedModel::pack_decoder(const Packer& packer) {
  const bool source = models::stacks_of(options_).encoder;
  std::vector<std::string> cross_attentions;
  for (std::int64_t i = 0; i < options_.decoder_layers; ++i) {
    const auto layer = fmt::format("decoder.layers.{}.", i);
    const auto self = layer + "self_attention", feed_forward = layer + "feed_forward";
    PackedDecoderLayer packed{.self_attention = packer.self_attention(self),
                              .self_attention_residual = packer.norm(self + kResidualNorm),
                              .feed_forward = packer.feed_forward(feed_forward),
                              .feed_forward_residual = packer.norm(feed_forward + kResidualNorm)};
    if (source) {
      const auto cross = cross_attentions.emplace_back(layer + "source_attention");
      packed.cross_attention = packer.cross_attention(cross);
      packed.cross_attention_residual = packer.norm(cross + kResidualNorm);
    }
    decoder.push_back(std::move(packed));
  }
  if (nn::norm_comes_first(options_.norm)) decoder_norm = packer.norm("decoder.norm");
  if (options_.embedding_norm)
    target_embedding_norm = packer.norm(source ? "target_embedding_norm" : "embedding_norm");
  target_buckets = packer.buckets("decoder");
  if (source) source_key_values = packer.key_values(cross_attentions);
}

}  // namespace transformer::engine
