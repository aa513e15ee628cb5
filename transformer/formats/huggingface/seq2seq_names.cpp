#include "transformer/formats/huggingface/seq2seq_names.h"

#include <string_view>
#include <utility>

#include "transformer/formats/marian/marian_names.h"

namespace transformer::formats::seq2seq {
namespace {

void replace_first(std::string& text, std::string_view from, std::string_view to) {
  if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
}

/// Sublayers are numbered: attention, the decoder's attention to the source, feed-forward.
std::string t5_name(std::string ours, bool gated) {
  const bool decoder = ours.starts_with("decoder.");
  const std::string last = decoder ? ".layer.2." : ".layer.1.";
  const std::vector<std::pair<const char*, std::string>> parts{
      {".positions.", ".block.0.layer.0.SelfAttention.relative_attention_bias."},
      {".self_attention_residual.norm.", ".layer.0.layer_norm."},
      {".source_attention_residual.norm.", ".layer.1.layer_norm."},
      {".feed_forward_residual.norm.", last + "layer_norm."},
      {".self_attention.", ".layer.0.SelfAttention."},
      {".source_attention.", ".layer.1.EncDecAttention."},
      {".feed_forward.inner.", last + (gated ? "DenseReluDense.wi_1." : "DenseReluDense.wi.")},
      {".feed_forward.gate.", last + "DenseReluDense.wi_0."},
      {".feed_forward.outer.", last + "DenseReluDense.wo."},
      {"coder.norm.", "coder.final_layer_norm."},
      {".query.", ".q."},
      {".key.", ".k."},
      {".value.", ".v."},
      {".output.", ".o."},
      {"coder.layers.", "coder.block."}};
  for (const auto& [from, to] : parts) replace_first(ours, from, to);
  return ours;
}

/// As Marian's.
std::string fairseq_name(std::string ours) {
  replace_first(ours, "coder.norm.", "coder.layer_norm.");
  replace_first(ours, "source_embedding_norm.", "encoder.layernorm_embedding.");
  replace_first(ours, "target_embedding_norm.", "decoder.layernorm_embedding.");
  replace_first(ours, "source_positions.", "encoder.embed_positions.");
  replace_first(ours, "target_positions.", "decoder.embed_positions.");
  return marian_layer_name(std::move(ours));
}

}  // namespace

const std::vector<const char*>& embedding_names(Family family) {
  static const std::vector<const char*> t5{"shared.weight", "encoder.embed_tokens.weight",
                                           "decoder.embed_tokens.weight"};
  static const std::vector<const char*> fairseq{"model.shared.weight", "model.encoder.embed_tokens.weight",
                                                "model.decoder.embed_tokens.weight"};
  return family == Family::t5 ? t5 : fairseq;
}

std::string their_name(Family family, std::string ours, bool gated) {
  switch (family) {
    case Family::t5:
      return t5_name(std::move(ours), gated);
    case Family::m2m_100:
    case Family::bart:
    case Family::mbart:
      return fairseq_name(std::move(ours));
  }
  no_such_choice();
}

}  // namespace transformer::formats::seq2seq
