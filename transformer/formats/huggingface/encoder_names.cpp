#include "transformer/formats/huggingface/encoder_names.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <span>
#include <stdexcept>

namespace transformer::formats::encoders {
namespace {

struct Renaming {
  std::string_view ours, theirs;
};

constexpr std::array kBertLayer{Renaming{"self_attention.query.", "attention.self.query."},
                                Renaming{"self_attention.key.", "attention.self.key."},
                                Renaming{"self_attention.value.", "attention.self.value."},
                                Renaming{"self_attention.output.", "attention.output.dense."},
                                Renaming{"self_attention_residual.norm.", "attention.output.LayerNorm."},
                                Renaming{"feed_forward.inner.", "intermediate.dense."},
                                Renaming{"feed_forward.outer.", "output.dense."},
                                Renaming{"feed_forward_residual.norm.", "output.LayerNorm."}};
constexpr std::array kDistilLayer{Renaming{"self_attention.query.", "attention.q_lin."},
                                  Renaming{"self_attention.key.", "attention.k_lin."},
                                  Renaming{"self_attention.value.", "attention.v_lin."},
                                  Renaming{"self_attention.output.", "attention.out_lin."},
                                  Renaming{"self_attention_residual.norm.", "sa_layer_norm."},
                                  Renaming{"feed_forward.inner.", "ffn.lin1."},
                                  Renaming{"feed_forward.outer.", "ffn.lin2."},
                                  Renaming{"feed_forward_residual.norm.", "output_layer_norm."}};
constexpr std::array kAlbertLayer{Renaming{"self_attention.query.", "attention.query."},
                                  Renaming{"self_attention.key.", "attention.key."},
                                  Renaming{"self_attention.value.", "attention.value."},
                                  Renaming{"self_attention.output.", "attention.dense."},
                                  Renaming{"self_attention_residual.norm.", "attention.LayerNorm."},
                                  Renaming{"feed_forward.inner.", "ffn."},
                                  Renaming{"feed_forward.outer.", "ffn_output."},
                                  Renaming{"feed_forward_residual.norm.", "full_layer_layer_norm."}};
/// Behind the front.
constexpr std::array kEmbeddings{Renaming{"embedding.", "embeddings.word_embeddings."},
                                 Renaming{"positions.", "embeddings.position_embeddings."},
                                 Renaming{"segments.", "embeddings.token_type_embeddings."},
                                 Renaming{"embedding_norm.", "embeddings.LayerNorm."},
                                 Renaming{"embedding_projection.", "encoder.embedding_hidden_mapping_in."}};

constexpr std::array kBertOutput{Renaming{"output_transform.", "cls.predictions.transform.dense."},
                                 Renaming{"output_norm.", "cls.predictions.transform.LayerNorm."},
                                 Renaming{"output_bias", "cls.predictions.bias"},
                                 Renaming{"output.", "cls.predictions.decoder."},
                                 Renaming{"head.dense.", "bert.pooler.dense."}};
constexpr std::array kRobertaOutput{
    Renaming{"output_transform.", "lm_head.dense."}, Renaming{"output_norm.", "lm_head.layer_norm."},
    Renaming{"output_bias", "lm_head.bias"}, Renaming{"output.", "lm_head.decoder."},
    Renaming{"head.dense.", "classifier.dense."}};
constexpr std::array kDistilOutput{
    Renaming{"output_transform.", "vocab_transform."}, Renaming{"output_norm.", "vocab_layer_norm."},
    Renaming{"output_bias", "vocab_projector.bias"}, Renaming{"output.", "vocab_projector."}};
constexpr std::array kAlbertOutput{
    Renaming{"output_transform.", "predictions.dense."}, Renaming{"output_norm.", "predictions.LayerNorm."},
    Renaming{"output_bias", "predictions.bias"}, Renaming{"output.", "predictions.decoder."},
    Renaming{"head.dense.", "albert.pooler."}};

std::span<const Renaming> outputs_of(Family family) {
  switch (family) {
    case Family::bert:
      return kBertOutput;
    case Family::roberta:
    case Family::xlm_roberta:
      return kRobertaOutput;
    case Family::distilbert:
      return kDistilOutput;
    case Family::albert:
      return kAlbertOutput;
  }
  no_such_choice();
}

std::string renamed(std::span<const Renaming> table, std::string_view ours) {
  for (const auto& row : table)
    if (ours.starts_with(row.ours)) return std::string(row.theirs).append(ours.substr(row.ours.size()));
  return {};
}

}  // namespace

const char* front_of(Family family) {
  switch (family) {
    case Family::bert:
      return "bert.";
    case Family::roberta:
    case Family::xlm_roberta:
      return "roberta.";
    case Family::distilbert:
      return "distilbert.";
    case Family::albert:
      return "albert.";
  }
  no_such_choice();
}

namespace {

/// layer: of ours. ours: behind the layer's number
std::string name_in_layer(const Config& config, std::int64_t layer, std::string_view ours) {
  switch (config.family) {
    case Family::bert:
    case Family::roberta:
    case Family::xlm_roberta:
      return fmt::format("encoder.layer.{}.{}", layer, renamed(kBertLayer, ours));
    case Family::distilbert:
      return fmt::format("transformer.layer.{}.{}", layer, renamed(kDistilLayer, ours));
    case Family::albert: {
      // A group of layers computes several times in a row, in this order of roundings.
      const auto times = static_cast<double>(config.options.encoder_layers / config.in_group);
      const auto group = static_cast<std::int64_t>(static_cast<double>(layer / config.in_group) /
                                                   (times / static_cast<double>(config.groups)));
      return fmt::format("encoder.albert_layer_groups.{}.albert_layers.{}.{}", group, layer % config.in_group,
                         renamed(kAlbertLayer, ours));
    }
  }
  no_such_choice();
}

}  // namespace

std::string their_name(const Config& config, std::string_view ours) {
  constexpr std::string_view kLayers = "encoder.layers.", kLabels = "head.output.";
  const auto family = config.family;
  const auto head = config.options.encoder.head;
  if (ours.starts_with(kLayers)) {
    ours.remove_prefix(kLayers.size());
    const auto size = ours.find('.');
    std::int64_t layer = 0;
    std::from_chars(ours.data(), ours.data() + size, layer);
    return front_of(family) + name_in_layer(config, layer, ours.substr(size + 1));
  }
  if (ours.starts_with(kLabels)) {
    const auto* layer = head == models::Head::span                        ? "qa_outputs."
                        : models::is_of_texts(head) && is_roberta(family) ? "classifier.out_proj."
                                                                          : "classifier.";
    return layer + std::string(ours.substr(kLabels.size()));
  }
  if (auto name = renamed(kEmbeddings, ours); !name.empty()) return front_of(family) + name;
  if (auto name = renamed(outputs_of(family), ours); !name.empty()) return name;
  throw std::logic_error("no tensor of theirs: " + std::string(ours));
}

}  // namespace transformer::formats::encoders
