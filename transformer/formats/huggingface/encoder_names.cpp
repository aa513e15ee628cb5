#include "transformer/formats/huggingface/encoder_names.h"

#include <array>
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
/// Behind the front.
constexpr std::array kEmbeddings{Renaming{"embedding.", "embeddings.word_embeddings."},
                                 Renaming{"positions.", "embeddings.position_embeddings."},
                                 Renaming{"segments.", "embeddings.token_type_embeddings."},
                                 Renaming{"embedding_norm.", "embeddings.LayerNorm."}};

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

std::span<const Renaming> outputs_of(Family family) {
  switch (family) {
    case Family::bert:
      return kBertOutput;
    case Family::roberta:
    case Family::xlm_roberta:
      return kRobertaOutput;
    case Family::distilbert:
      return kDistilOutput;
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
  }
  no_such_choice();
}

std::string their_name(Family family, models::Head head, std::string_view ours) {
  constexpr std::string_view kLayers = "encoder.layers.", kLabels = "head.output.";
  const bool distilbert = family == Family::distilbert;
  if (ours.starts_with(kLayers)) {
    ours.remove_prefix(kLayers.size());
    const auto number = ours.substr(0, ours.find('.') + 1);
    ours.remove_prefix(number.size());
    return front_of(family) +
           std::string(distilbert ? "transformer.layer." : "encoder.layer.")
               .append(number)
               .append(distilbert ? renamed(kDistilLayer, ours) : renamed(kBertLayer, ours));
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
