#include "transformer/ops/device_attention.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/if_defined.h"
#include "transformer/ops/once_differentiable.h"
#include "transformer/ops/short_attention.h"
#include "transformer/runtime/device_choices.h"

namespace transformer::ops {
namespace {

using Call = DeviceAttentionCall;

std::int64_t mean_length(const torch::Tensor& x, const torch::Tensor& offsets) {
  return x.size(0) / (offsets.size(0) - 1);
}

/// FlashAttention is used for bf16 with equal head sizes, the memory-efficient kernel for the rest. Also fp16
/// goes to the latter, because it is used on devices without fast bf16: their compute capability is below the
/// 8.0 that FlashAttention needs. The memory-efficient kernel computes fp16 from 5.0 on.
bool is_for_flash(const Call& c) {
  return c.query.size(-1) == c.value.size(-1) && c.query.scalar_type() == torch::kBFloat16 &&
         c.query.size(-1) <= 256 &&
         std::max(mean_length(c.query, c.query_offsets), mean_length(c.key, c.key_offsets)) >
             runtime::device_choices().short_attention;
}

/// That kernel's number for "up to its own position".
std::int64_t mask_type(const Call& c) {
  return c.causal ? 1 : 0;
}

/// output (N, H, V), the logarithms of the softmax's sums, and the state of the generator of dropout's masks,
/// which the own kernel does not have.
using Outputs = std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor>;

Outputs attend(const Call& c) {
  if (const auto own = short_attention(c)) return {own->output, own->logsumexp, {}, {}};
  if (is_for_flash(c)) {
    const auto [output, sums, state, unused, mask] = at::_flash_attention_forward(
        c.query, c.key, c.value, c.query_offsets, c.key_offsets, c.longest_query, c.longest_key, c.dropout,
        c.causal, /*return_debug_mask=*/false, c.scale());
    return {output, sums, state, unused};
  }
  const auto [output, sums, seed, offset, most_queries, most_keys] = at::_efficient_attention_forward(
      c.query.unsqueeze(0), c.key.unsqueeze(0), c.value.unsqueeze(0), /*bias=*/std::nullopt, c.query_offsets,
      c.key_offsets, c.longest_query, c.longest_key, c.dropout, mask_type(c), /*compute_log_sumexp=*/true,
      c.scale());
  return {output.squeeze(0), sums, seed, offset};
}

std::array<torch::Tensor, 3> flash_backward(const Call& c, const torch::Tensor& gradient,
                                            const Outputs& outputs) {
  const auto& [output, sums, seed, offset] = outputs;
  const auto [query, key, value] = at::_flash_attention_backward(
      gradient, c.query, c.key, c.value, output, sums, c.query_offsets, c.key_offsets, c.longest_query,
      c.longest_key, c.dropout, c.causal, seed, offset, c.scale());
  return {query, key, value};
}

/// joint: the three gradients lie beside each other in the memory of the first.
std::array<torch::Tensor, 3> efficient_backward(const Call& c, const torch::Tensor& gradient,
                                                const Outputs& outputs, bool joint) {
  const auto& [output, sums, seed, offset] = outputs;
  const auto [query, key, value, bias] = at::_efficient_attention_backward(
      gradient.unsqueeze(0), c.query.unsqueeze(0), c.key.unsqueeze(0), c.value.unsqueeze(0),
      /*bias=*/std::nullopt, output.unsqueeze(0), c.query_offsets, c.key_offsets, c.longest_query,
      c.longest_key, sums, c.dropout, seed, offset, mask_type(c), /*bias_requires_grad=*/false, c.scale(),
      /*num_splits_key=*/std::nullopt, /*window_size=*/std::nullopt, /*shared_storage_dqdkdv=*/joint);
  return {query.squeeze(0), key.squeeze(0), value.squeeze(0)};
}

bool by_own_kernel(const Outputs& outputs) {
  return !std::get<2>(outputs).defined();
}

/// Queries, keys and values of all heads, (N, H, K) each, in one tensor, or the queries in one and the others
/// in a second one.
std::array<torch::Tensor, 3> parts_of(const torch::Tensor& first, const torch::Tensor& second,
                                      const HeadSizes& sizes) {
  const bool one = !second.defined();
  const auto& others = one ? first : second;
  const auto begin = one ? sizes.queries() : 0;
  const auto heads = [&](const torch::Tensor& x, std::int64_t from, std::int64_t width) {
    return x.narrow(-1, from, width).unflatten(-1, {sizes.heads, -1});
  };
  return {heads(first, 0, sizes.queries()), heads(others, begin, sizes.keys()),
          heads(others, begin + sizes.keys(), sizes.values())};
}

class DeviceAttention : public OnceDifferentiable<DeviceAttention> {
 public:
  static constexpr const char* kName = "ops::device_attention";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& first,
                               const std::optional<torch::Tensor>& given, const AttentionMask& mask,
                               const HeadSizes& sizes, double dropout) {
    const auto second = given.value_or(torch::Tensor());
    const auto [query, key, value] = parts_of(first, second, sizes);
    const Call call{query,
                    key,
                    value,
                    mask.queries->device_offsets,
                    mask.keys->device_offsets,
                    mask.queries->longest_bound(),
                    mask.keys->longest_bound(),
                    dropout,
                    mask.causal};
    const auto outputs = attend(call);
    const auto& [output, sums, seed, offset] = outputs;
    context->save_for_backward(
        {first, second, call.query_offsets, call.key_offsets, output, sums, seed, offset});
    context->saved_data["longest"] = std::vector<std::int64_t>{call.longest_query, call.longest_key};
    context->saved_data["sizes"] = std::vector<std::int64_t>{sizes.heads, sizes.d_k, sizes.d_v};
    context->saved_data["dropout"] = call.dropout;
    context->saved_data["causal"] = call.causal;
    return output.flatten(-2);
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const auto &first = saved[0], &second = saved[1];
    const Outputs outputs{saved[4], saved[5], saved[6], saved[7]};
    const auto longest = context->saved_data["longest"].toIntVector(),
               numbers = context->saved_data["sizes"].toIntVector();
    const HeadSizes sizes{numbers[0], numbers[1], numbers[2]};
    const auto [query, key, value] = parts_of(first, second, sizes);
    const Call call{query,
                    key,
                    value,
                    saved[2],
                    saved[3],
                    longest[0],
                    longest[1],
                    context->saved_data["dropout"].toDouble(),
                    context->saved_data["causal"].toBool()};
    const auto gradient = received[0].contiguous().view(saved[4].sizes());
    const auto [of_first, of_second] = by_own_kernel(outputs)
                                           ? own_gradients(first, second, call, outputs, gradient, sizes)
                                           : joined_gradients(second.defined(), call, outputs, gradient);
    return {of_first, of_second, {}, {}, {}};
  }

 private:
  using Pair = std::pair<torch::Tensor, torch::Tensor>;

  static Pair own_gradients(const torch::Tensor& first, const torch::Tensor& second, const Call& call,
                            const Outputs& outputs, const torch::Tensor& gradient, const HeadSizes& sizes) {
    const auto like = [](const torch::Tensor& x) {
      return x.defined() ? torch::empty_like(x, at::MemoryFormat::Contiguous) : torch::Tensor();
    };
    const Pair pair{like(first), like(second)};
    const auto [query, key, value] = parts_of(pair.first, pair.second, sizes);
    short_attention_backward(call, {std::get<0>(outputs), std::get<1>(outputs)}, gradient, query, key, value);
    return pair;
  }

  static Pair joined_gradients(bool two, const Call& call, const Outputs& outputs,
                               const torch::Tensor& gradient) {
    const bool flash = is_for_flash(call), joint = !two && !flash && call.query.size(2) == call.value.size(2);
    const auto [query, key, value] =
        flash ? flash_backward(call, gradient, outputs) : efficient_backward(call, gradient, outputs, joint);
    if (joint) {
      const auto width = 3 * query.size(1) * query.size(2);
      return {query.as_strided({query.size(0), width}, {width, 1}), {}};
    }
    const auto rows = [](const torch::Tensor& x) { return x.flatten(-2); };
    if (two) return {rows(query), torch::cat({rows(key), rows(value)}, -1)};
    return {torch::cat({rows(query), rows(key), rows(value)}, -1), {}};
  }
};

}  // namespace

bool device_attention_can(const torch::Tensor& x, const AttentionMask& mask, const HeadSizes& sizes,
                          const torch::Tensor& bias) {
  const std::int64_t vector = 16 / static_cast<std::int64_t>(x.element_size());
  return !x.is_cpu() && has_functions(x) && mask.is_packed() && mask.window == 0 && !bias.defined() &&
         sizes.heads_of_keys() == sizes.heads && sizes.d_k % vector == 0 && sizes.d_v % vector == 0;
}

torch::Tensor device_attention(const torch::Tensor& first, const torch::Tensor& second,
                               const AttentionMask& mask, const HeadSizes& sizes, double dropout) {
  return DeviceAttention::apply(first, if_defined(second), mask, sizes, dropout);
}

}  // namespace transformer::ops
