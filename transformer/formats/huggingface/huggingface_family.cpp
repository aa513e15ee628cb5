#include "transformer/formats/huggingface/huggingface_family.h"

#include <array>
#include <span>
#include <vector>

namespace transformer::formats::huggingface {
namespace {

using Form = TheirTensor::Form;
using torch::Tensor;

struct Renaming {
  std::string_view ours, theirs;
  Form form = Form::same;
  int part = 0;
};

constexpr std::array kLlamaLayer{
    Renaming{"self_attention.query.", "self_attn.q_proj.", Form::queries},
    Renaming{"self_attention.key.", "self_attn.k_proj.", Form::keys},
    Renaming{"self_attention.value.", "self_attn.v_proj."},
    Renaming{"self_attention.output.", "self_attn.o_proj."},
    Renaming{"self_attention_residual.norm.", "input_layernorm.", Form::norm},
    Renaming{"feed_forward_residual.norm.", "post_attention_layernorm.", Form::norm},
    Renaming{"feed_forward.inner.", "mlp.up_proj."},
    Renaming{"feed_forward.gate.", "mlp.gate_proj."},
    Renaming{"feed_forward.outer.", "mlp.down_proj."}};
constexpr std::array kLlamaRest{Renaming{"embedding.", "model.embed_tokens."},
                                Renaming{"output.", "lm_head."},
                                Renaming{"decoder.norm.", "model.norm.", Form::norm}};

constexpr std::array kGpt2Layer{Renaming{"self_attention.query.", "attn.c_attn.", Form::third, 0},
                                Renaming{"self_attention.key.", "attn.c_attn.", Form::third, 1},
                                Renaming{"self_attention.value.", "attn.c_attn.", Form::third, 2},
                                Renaming{"self_attention.output.", "attn.c_proj.", Form::transposed},
                                Renaming{"self_attention_residual.norm.", "ln_1."},
                                Renaming{"feed_forward_residual.norm.", "ln_2."},
                                Renaming{"feed_forward.inner.", "mlp.c_fc.", Form::transposed},
                                Renaming{"feed_forward.outer.", "mlp.c_proj.", Form::transposed}};
constexpr std::array kGpt2Rest{Renaming{"embedding.", "transformer.wte."},
                               Renaming{"positions.", "transformer.wpe."}, Renaming{"output.", "lm_head."},
                               Renaming{"decoder.norm.", "transformer.ln_f."}};

/// (H · K, …), each head's two halves → (H · K, …), neighbours; or back
Tensor neighbours(const Tensor& rows, std::int64_t heads) {
  return rows.unflatten(0, {heads, 2, -1}).transpose(1, 2).flatten(0, 2);
}
Tensor halves(const Tensor& rows, std::int64_t heads) {
  return rows.unflatten(0, {heads, -1, 2}).transpose(1, 2).flatten(0, 2);
}

Tensor from_ours(const Tensor& ours, Form form, Family family, const models::ModelOptions& o) {
  switch (form) {
    case Form::same:
      return ours;
    case Form::norm:
      return about(family).norm_adds_one ? ours - 1 : ours;
    case Form::queries:
      return halves(ours, o.heads);
    case Form::keys:
      return halves(ours, models::kv_heads_of(o));
    case Form::transposed:
    case Form::third:
      return ours.t();
  }
  no_such_choice();
}

}  // namespace

models::ModelOptions structure_of(Family family) {
  models::ModelOptions o{.kind = {models::kDecoder, {}},
                         .dropout = 0,
                         .positions = nn::Positions::rotary,
                         .norm = nn::NormPlacement::pre,
                         .norm_type = nn::NormKind::rms,
                         .feed_forward = nn::FeedForwardKind::swiglu,
                         .scale_embedding = false};
  switch (family) {
    case Family::llama:
    case Family::mistral:
      return o;
    case Family::gemma:
      o.feed_forward = nn::FeedForwardKind::geglu;
      o.scale_embedding = true;
      return o;
    case Family::gpt2:
      o.positions = nn::Positions::learned;
      o.norm_type = nn::NormKind::layer;
      o.feed_forward = nn::FeedForwardKind::positionwise;
      o.activation = nn::Activation::gelu_tanh;
      o.attention_bias = true;
      return o;
  }
  no_such_choice();
}

std::optional<TheirTensor> their_tensor(Family family, std::string_view ours) {
  constexpr std::string_view kLayers = "decoder.layers.";
  const bool gpt2 = family == Family::gpt2, in_layer = ours.starts_with(kLayers);
  std::string front;
  if (in_layer) {
    ours.remove_prefix(kLayers.size());
    const auto number = ours.substr(0, ours.find('.') + 1);
    front = std::string(gpt2 ? "transformer.h." : "model.layers.").append(number);
    ours.remove_prefix(number.size());
  }
  const auto table = gpt2       ? in_layer ? std::span<const Renaming>(kGpt2Layer) : kGpt2Rest
                     : in_layer ? std::span<const Renaming>(kLlamaLayer)
                                : kLlamaRest;
  for (const auto& row : table)
    if (ours.starts_with(row.ours))
      return TheirTensor{front.append(row.theirs).append(ours.substr(row.ours.size())), row.form, row.part};
  return std::nullopt;
}

Tensor to_ours(const Tensor& theirs, const TheirTensor& place, Family family, const models::ModelOptions& o) {
  switch (place.form) {
    case Form::same:
      return theirs;
    case Form::norm:
      return about(family).norm_adds_one ? theirs + 1 : theirs;
    case Form::queries:
      return neighbours(theirs, o.heads);
    case Form::keys:
      return neighbours(theirs, models::kv_heads_of(o));
    case Form::transposed:
      return theirs.t();
    case Form::third:
      return theirs.t().chunk(3)[static_cast<std::size_t>(place.part)];
  }
  no_such_choice();
}

Weights to_theirs(const Weights& ours, Family family, const models::ModelOptions& options) {
  Weights theirs;
  std::map<std::string, std::vector<Tensor>> thirds;
  for (const auto& [name, tensor] : ours) {
    const auto place = their_tensor(family, name);
    if (!place) continue;
    const auto found = from_ours(tensor, place->form, family, options);
    if (place->form == Form::third) {
      auto& all = thirds[place->name];
      all.resize(3);
      all[static_cast<std::size_t>(place->part)] = found;
    } else {
      theirs.emplace(place->name, found.contiguous());
    }
  }
  for (const auto& [name, all] : thirds) theirs.emplace(name, torch::cat(all, -1));
  return theirs;
}

}  // namespace transformer::formats::huggingface
