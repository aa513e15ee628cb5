#include "transformer/ops/fused_attention.h"

#include "transformer/kernels/attention.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/once_differentiable.h"

namespace transformer::ops {
namespace {

/// The queries, keys and values in one tensor, or the queries in one and the others in a second one; and
/// their gradients likewise. All are contiguous.
struct Projections {
  torch::Tensor first;   // (B, T, C)
  torch::Tensor second;  // (B, S, C'), or undefined
  HeadSizes sizes;

  std::int64_t queries() const { return first.size(1); }
  std::int64_t keys() const { return (second.defined() ? second : first).size(1); }

  template <typename T>
  kernels::HeadVectors<T> columns(const torch::Tensor& x, std::int64_t offset) const {
    return {kernel_data<std::remove_const_t<T>>(x) + offset, x.size(-1)};
  }
  template <typename T>
  kernels::HeadVectors<T> query() const {
    return columns<T>(first, 0);
  }
  template <typename T>
  kernels::HeadVectors<T> key() const {
    return second.defined() ? columns<T>(second, 0) : columns<T>(first, sizes.keys());
  }
  template <typename T>
  kernels::HeadVectors<T> value() const {
    return second.defined() ? columns<T>(second, sizes.keys()) : columns<T>(first, 2 * sizes.keys());
  }
};

/// mask: undefined, or boolean, contiguous (B or 1, 1, T or 1, S); bias: undefined, or contiguous (H, T, S).
kernels::AttentionShape shape_of(const Projections& projections, const torch::Tensor& mask,
                                 const torch::Tensor& bias) {
  kernels::AttentionShape shape{.heads = projections.sizes.heads,
                                .queries = projections.queries(),
                                .keys = projections.keys(),
                                .key_size = projections.sizes.d_k,
                                .value_size = projections.sizes.d_v};
  if (bias.defined()) shape.bias = bias.const_data_ptr<float>();
  if (!mask.defined()) return shape;
  shape.mask = reinterpret_cast<const std::uint8_t*>(mask.const_data_ptr<bool>());
  if (mask.size(0) > 1) shape.mask_sentence = mask.stride(0);
  if (mask.size(2) > 1) shape.mask_query = mask.stride(2);
  return shape;
}

/// Calls body(begin, end, scratch) for parts of all sentences' heads, on all threads.
template <typename Body>
void parallel_heads(const Projections& projections, const kernels::AttentionShape& shape, Body&& body) {
  runtime::parallel_for(0, projections.first.size(0) * shape.heads, 4,
                        [&](std::int64_t begin, std::int64_t end) {
                          const auto scratch = torch::empty({kernels::attention_scratch(shape)});
                          body(begin, end, scratch.data_ptr<float>());
                        });
}

class CpuAttention : public OnceDifferentiable<CpuAttention> {
 public:
  static constexpr const char* kName = "ops::fused_attention";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& first,
                               const std::optional<torch::Tensor>& second,
                               const std::optional<torch::Tensor>& given_mask,
                               const std::optional<torch::Tensor>& given_bias, const HeadSizes& sizes) {
    const auto plain = [](const std::optional<torch::Tensor>& x) {
      return x ? x->contiguous() : torch::Tensor();
    };
    const Projections projections{first.contiguous(), plain(second), sizes};
    const auto mask = plain(given_mask), bias = plain(given_bias);
    const auto shape = shape_of(projections, mask, bias);
    const auto sentences = first.size(0);
    auto output =
        torch::empty({sentences, projections.queries(), projections.sizes.values()}, first.options());
    auto logsumexp = torch::empty({sentences, sizes.heads, projections.queries()});
    with_type_of(first, [&](auto type) {
      using T = decltype(type);
      parallel_heads(projections, shape, [&](std::int64_t begin, std::int64_t end, float* scratch) {
        const kernels::Attention<T> part{.shape = shape,
                                         .begin = begin,
                                         .end = end,
                                         .query = projections.query<const T>(),
                                         .key = projections.key<const T>(),
                                         .value = projections.value<const T>(),
                                         .output = projections.columns<T>(output, 0),
                                         .logsumexp = logsumexp.data_ptr<float>(),
                                         .scratch = scratch};
        run_kernel(kernels::attention().forward, kernels::attention().forward_bf16, part);
      });
    });
    context->save_for_backward({projections.first, projections.second, mask, bias, logsumexp});
    context->saved_data["sizes"] = std::vector<std::int64_t>{sizes.heads, sizes.d_k, sizes.d_v};
    context->saved_data["learns_bias"] = given_bias && given_bias->requires_grad();
    return output;
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const auto sizes = context->saved_data["sizes"].toIntVector();
    const Projections projections{saved[0], saved[1], {sizes[0], sizes[1], sizes[2]}};
    const auto &mask = saved[2], &bias = saved[3], &logsumexp = saved[4];
    const auto shape = shape_of(projections, mask, bias);
    const auto output_gradient = received[0].contiguous();
    torch::Tensor scores;  // their gradients, of each sentence, if somebody learns from them
    if (context->saved_data["learns_bias"].toBool())
      scores =
          torch::zeros({projections.first.size(0), shape.heads, shape.queries, shape.keys}, bias.options());
    const Projections out{
        torch::empty_like(projections.first),
        projections.second.defined() ? torch::empty_like(projections.second) : torch::Tensor(),
        projections.sizes};
    with_type_of(projections.first, [&](auto type) {
      using T = decltype(type);
      parallel_heads(projections, shape, [&](std::int64_t begin, std::int64_t end, float* scratch) {
        const kernels::AttentionBackward<T> part{
            .shape = shape,
            .begin = begin,
            .end = end,
            .query = projections.query<const T>(),
            .key = projections.key<const T>(),
            .value = projections.value<const T>(),
            .logsumexp = logsumexp.data_ptr<float>(),
            .output_gradient = projections.columns<const T>(output_gradient, 0),
            .query_gradient = out.query<T>(),
            .key_gradient = out.key<T>(),
            .value_gradient = out.value<T>(),
            .score_gradient = scores.defined() ? scores.data_ptr<float>() : nullptr,
            .scratch = scratch};
        run_kernel(kernels::attention().backward, kernels::attention().backward_bf16, part);
      });
    });
    return {out.first, out.second, {}, scores.defined() ? scores.sum(0) : torch::Tensor(), {}};
  }
};

bool kernel_can(const torch::Tensor& x, const torch::Tensor& mask, const torch::Tensor& bias,
                double dropout) {
  const bool simple_mask = !mask.defined() || (mask.dim() == 4 && mask.size(1) == 1);
  const bool simple_bias = !bias.defined() || (bias.dim() == 3 && bias.scalar_type() == torch::kFloat);
  return has_kernels(x) && x.numel() > 0 && simple_mask && simple_bias && dropout == 0.0;
}

torch::Tensor apart(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                    const torch::Tensor& mask, const torch::Tensor& bias, std::int64_t heads,
                    double dropout) {
  return join_heads(scaled_dot_product_attention(split_heads(query, heads), split_heads(key, heads),
                                                 split_heads(value, heads), mask, dropout, bias));
}

/// For an autograd function an absent tensor is no tensor.
std::optional<torch::Tensor> if_defined(const torch::Tensor& x) {
  return x.defined() ? std::optional(x) : std::nullopt;
}

}  // namespace

torch::Tensor fused_self_attention(const torch::Tensor& projected, const torch::Tensor& mask,
                                   const HeadSizes& sizes, double dropout, const torch::Tensor& bias) {
  if (kernel_can(projected, mask, bias, dropout))
    return CpuAttention::apply(projected, std::optional<torch::Tensor>(), if_defined(mask), if_defined(bias),
                               sizes);
  const auto parts = projected.split_with_sizes({sizes.keys(), sizes.keys(), sizes.values()}, -1);
  return apart(parts[0], parts[1], parts[2], mask, bias, sizes.heads, dropout);
}

torch::Tensor fused_cross_attention(const torch::Tensor& query, const torch::Tensor& memory,
                                    const torch::Tensor& mask, const HeadSizes& sizes, double dropout) {
  if (kernel_can(query, mask, {}, dropout) && memory.numel() > 0)
    return CpuAttention::apply(query, std::optional(memory), if_defined(mask), std::optional<torch::Tensor>(),
                               sizes);
  const auto parts = memory.split_with_sizes({sizes.keys(), sizes.values()}, -1);
  return apart(query, parts[0], parts[1], mask, {}, sizes.heads, dropout);
}

}  // namespace transformer::ops
