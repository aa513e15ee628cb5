#include "transformer/ops/device_attention.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/once_differentiable.h"
#include "transformer/runtime/device_choices.h"

namespace transformer::ops {
namespace {

/// Queries, keys and values by heads, (N, H, K) each, and all else that both passes need.
struct Call {
  torch::Tensor query, key, value, query_offsets, key_offsets;
  std::int64_t longest_query, longest_key;
  double dropout;
  bool causal;

  double scale() const { return 1.0 / std::sqrt(static_cast<double>(query.size(-1))); }
  /// FlashAttention is used for bf16 with equal head sizes, the memory-efficient kernel for the rest. Also
  /// fp16 goes to the latter, because it is used on devices without fast bf16: their compute capability is
  /// below the 8.0 that FlashAttention needs. The memory-efficient kernel computes fp16 from 5.0 on.
  bool flash() const {
    return query.size(-1) == value.size(-1) && query.scalar_type() == torch::kBFloat16 &&
           query.size(-1) <= 256 &&
           std::max(mean_length(query, query_offsets), mean_length(key, key_offsets)) >
               runtime::device_choices().short_attention;
  }
  static std::int64_t mean_length(const torch::Tensor& x, const torch::Tensor& offsets) {
    return x.size(0) / (offsets.size(0) - 1);
  }
  /// That kernel's number for "up to its own position".
  std::int64_t mask_type() const { return causal ? 1 : 0; }
};

/// output (N, H, V), the logarithms of the softmax's sums, and the state of the generator of dropout's masks.
using Outputs = std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor>;

Outputs forward(const Call& c) {
  if (c.flash()) {
    const auto [output, sums, state, unused, mask] = at::_flash_attention_forward(
        c.query, c.key, c.value, c.query_offsets, c.key_offsets, c.longest_query, c.longest_key, c.dropout,
        c.causal, /*return_debug_mask=*/false, c.scale());
    return {output, sums, state, unused};
  }
  const auto [output, sums, seed, offset, most_queries, most_keys] = at::_efficient_attention_forward(
      c.query.unsqueeze(0), c.key.unsqueeze(0), c.value.unsqueeze(0), /*bias=*/std::nullopt, c.query_offsets,
      c.key_offsets, c.longest_query, c.longest_key, c.dropout, c.mask_type(), /*compute_log_sumexp=*/true,
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
      c.longest_key, sums, c.dropout, seed, offset, c.mask_type(), /*bias_requires_grad=*/false, c.scale(),
      /*num_splits_key=*/std::nullopt, /*window_size=*/std::nullopt, /*shared_storage_dqdkdv=*/joint);
  return {query.squeeze(0), key.squeeze(0), value.squeeze(0)};
}

Call call_of(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
             const AttentionMask& mask, double dropout) {
  return {query,
          key,
          value,
          mask.queries->device_offsets,
          mask.keys->device_offsets,
          mask.queries->longest_bound(),
          mask.keys->longest_bound(),
          dropout,
          mask.causal};
}

torch::Tensor run_and_save(torch::autograd::AutogradContext* context, const Call& call) {
  const auto outputs = forward(call);
  const auto& [output, sums, seed, offset] = outputs;
  context->save_for_backward(
      {call.query, call.key, call.value, call.query_offsets, call.key_offsets, output, sums, seed, offset});
  context->saved_data["longest"] = std::vector<std::int64_t>{call.longest_query, call.longest_key};
  context->saved_data["dropout"] = call.dropout;
  context->saved_data["causal"] = call.causal;
  return output.flatten(-2);
}

struct Saved {
  Call call;
  Outputs outputs;
  torch::Tensor gradient;  ///< of the output, (N, H, V)
};

Saved saved_by(torch::autograd::AutogradContext* context, const torch::Tensor& received) {
  const auto saved = context->get_saved_variables();
  const auto longest = context->saved_data["longest"].toIntVector();
  return {{saved[0], saved[1], saved[2], saved[3], saved[4], longest[0], longest[1],
           context->saved_data["dropout"].toDouble(), context->saved_data["causal"].toBool()},
          {saved[5], saved[6], saved[7], saved[8]},
          received.contiguous().view(saved[5].sizes())};
}

class DeviceAttention : public OnceDifferentiable<DeviceAttention> {
 public:
  static constexpr const char* kName = "ops::device_attention";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& query,
                               const torch::Tensor& key, const torch::Tensor& value,
                               const AttentionMask& mask, std::int64_t heads, double dropout) {
    const auto by_heads = [&](const torch::Tensor& x) { return x.unflatten(-1, {heads, -1}); };
    return run_and_save(context, call_of(by_heads(query), by_heads(key), by_heads(value), mask, dropout));
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto [call, outputs, gradient] = saved_by(context, received[0]);
    const auto [query, key, value] = call.flash()
                                         ? flash_backward(call, gradient, outputs)
                                         : efficient_backward(call, gradient, outputs, /*joint=*/false);
    return {query.flatten(-2), key.flatten(-2), value.flatten(-2), {}, {}, {}};
  }
};

/// Attention of queries, keys and values of one size that lie in one tensor, as their gradients do.
class JointDeviceAttention : public OnceDifferentiable<JointDeviceAttention> {
 public:
  static constexpr const char* kName = "ops::device_self_attention";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& projected,
                               const AttentionMask& mask, std::int64_t heads, double dropout) {
    const auto parts = projected.unflatten(-1, {3, heads, -1});  // (N, 3, H, K)
    return run_and_save(context,
                        call_of(parts.select(1, 0), parts.select(1, 1), parts.select(1, 2), mask, dropout));
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto [call, outputs, gradient] = saved_by(context, received[0]);
    if (call.flash()) {
      const auto [query, key, value] = flash_backward(call, gradient, outputs);
      return {torch::stack({query, key, value}, 1).flatten(1), {}, {}, {}};
    }
    const auto query = efficient_backward(call, gradient, outputs, /*joint=*/true)[0];
    const auto width = 3 * query.size(1) * query.size(2);
    return {query.as_strided({query.size(0), width}, {width, 1}), {}, {}, {}};
  }
};

}  // namespace

bool device_attention_can(const torch::Tensor& x, const AttentionMask& mask, const HeadSizes& sizes,
                          const torch::Tensor& bias) {
  const std::int64_t vector = 16 / static_cast<std::int64_t>(x.element_size());
  return !x.is_cpu() && has_functions(x) && mask.is_packed() && mask.window == 0 && !bias.defined() &&
         sizes.heads_of_keys() == sizes.heads && sizes.d_k % vector == 0 && sizes.d_v % vector == 0;
}

torch::Tensor device_attention(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, const AttentionMask& mask, const HeadSizes& sizes,
                               double dropout) {
  return DeviceAttention::apply(query, key, value, mask, sizes.heads, dropout);
}

torch::Tensor device_self_attention(const torch::Tensor& projected, const AttentionMask& mask,
                                    const HeadSizes& sizes, double dropout) {
  if (sizes.d_k == sizes.d_v && projected.dim() == 2)
    return JointDeviceAttention::apply(projected, mask, sizes.heads, dropout);
  const auto parts = projected.split_with_sizes({sizes.queries(), sizes.keys(), sizes.values()}, -1);
  return device_attention(parts[0], parts[1], parts[2], mask, sizes, dropout);
}

}  // namespace transformer::ops
