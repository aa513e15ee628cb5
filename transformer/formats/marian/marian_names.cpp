#include "transformer/formats/marian/marian_names.h"

#include <array>
#include <utility>

namespace transformer::formats {

bool is_layer_parameter(std::string_view ours) {
  return ours.starts_with("encoder.layers.") || ours.starts_with("decoder.layers.");
}

std::string marian_layer_name(std::string ours) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array kParts{Pair{".self_attention_residual.norm.", ".self_attn_layer_norm."},
                              Pair{".source_attention_residual.norm.", ".encoder_attn_layer_norm."},
                              Pair{".feed_forward_residual.norm.", ".final_layer_norm."},
                              Pair{".self_attention.", ".self_attn."},
                              Pair{".source_attention.", ".encoder_attn."},
                              Pair{".query.", ".q_proj."},
                              Pair{".key.", ".k_proj."},
                              Pair{".value.", ".v_proj."},
                              Pair{".output.", ".out_proj."},
                              Pair{".feed_forward.inner.", ".fc1."},
                              Pair{".feed_forward.outer.", ".fc2."}};
  for (const auto& [from, to] : kParts) {
    const auto at = ours.find(from);
    if (at != std::string::npos) ours.replace(at, from.size(), to);
  }
  return "model." + ours;
}

}  // namespace transformer::formats
