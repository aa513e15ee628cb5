#include "transformer/ops/fused_attention.h"

#include "transformer/kernels/attention.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/device_attention.h"
#include "transformer/ops/if_defined.h"
#include "transformer/ops/once_differentiable.h"
#include "transformer/ops/windowed_attention.h"

namespace transformer::ops {
namespace {

/// The queries, keys and values in one tensor, or the queries in one and the others in a second one; and
/// their gradients likewise. All are contiguous.
struct Projections {
  torch::Tensor first;   // (B, T, C) or (N, C)
  torch::Tensor second;  // (B, S, C') or (M, C'), or undefined
  HeadSizes sizes;

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
    return second.defined() ? columns<T>(second, 0) : columns<T>(first, sizes.queries());
  }
  template <typename T>
  kernels::HeadVectors<T> value() const {
    return second.defined() ? columns<T>(second, sizes.keys())
                            : columns<T>(first, sizes.queries() + sizes.keys());
  }
};

/// Which query attends to which keys, kept from the forward to the backward pass, all on the host.
struct Layout {
  std::int64_t sentences = 0, queries = 0, keys = 0;   // the latter two: of the longest sentence
  torch::Tensor query_offsets = {}, key_offsets = {};  // (B + 1), or undefined
  torch::Tensor mask = {};  // boolean, contiguous (B or 1, 1, T or 1, S), or undefined
  torch::Tensor bias = {};  // contiguous (H, T, S), or undefined
  bool causal = false;
  std::int64_t window = 0;

  static Layout of(const Projections& projections, const AttentionMask& given, const torch::Tensor& bias) {
    Layout layout{.bias = bias.defined() ? bias.contiguous() : bias, .causal = given.causal};
    if (given.is_packed()) {
      layout.window = given.window;
      layout.sentences = given.queries->size();
      layout.queries = given.queries->longest, layout.keys = given.keys->longest;
      layout.query_offsets = given.queries->offsets, layout.key_offsets = given.keys->offsets;
      return layout;
    }
    const auto& [first, second, sizes] = projections;
    layout.sentences = first.size(0);
    layout.queries = first.size(1), layout.keys = (second.defined() ? second : first).size(1);
    if (given.padded.defined()) layout.mask = given.padded.contiguous();
    return layout;
  }

  kernels::AttentionShape shape(const HeadSizes& sizes) const {
    kernels::AttentionShape shape{.heads = sizes.heads,
                                  .queries = queries,
                                  .keys = keys,
                                  .key_size = sizes.d_k,
                                  .value_size = sizes.d_v,
                                  .kv_heads = sizes.heads_of_keys(),
                                  .causal = causal,
                                  .window = window};
    if (query_offsets.defined()) {
      shape.query_offsets = query_offsets.const_data_ptr<std::int64_t>();
      shape.key_offsets = key_offsets.const_data_ptr<std::int64_t>();
    }
    if (bias.defined()) shape.bias = bias.const_data_ptr<float>();
    if (!mask.defined()) return shape;
    shape.mask = reinterpret_cast<const std::uint8_t*>(mask.const_data_ptr<bool>());
    if (mask.size(0) > 1) shape.mask_sentence = mask.stride(0);
    if (mask.size(2) > 1) shape.mask_query = mask.stride(2);
    return shape;
  }
};

/// Calls body(begin, end, scratch) for parts of all sentences' heads of keys, on all threads.
template <typename Body>
void parallel_heads(std::int64_t sentences, const kernels::AttentionShape& shape, Body&& body) {
  const auto grain = std::max<std::int64_t>(1, 4 * shape.kv_heads / shape.heads);
  runtime::parallel_for(0, sentences * shape.kv_heads, grain, [&](std::int64_t begin, std::int64_t end) {
    const auto scratch = torch::empty({kernels::attention_scratch(shape)});
    body(begin, end, scratch.data_ptr<float>());
  });
}

class CpuAttention : public OnceDifferentiable<CpuAttention> {
 public:
  static constexpr const char* kName = "ops::fused_attention";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& first,
                               const std::optional<torch::Tensor>& second,
                               const std::optional<torch::Tensor>& bias, const AttentionMask& mask,
                               const HeadSizes& sizes) {
    const Projections projections{first.contiguous(), second ? second->contiguous() : torch::Tensor(), sizes};
    const auto layout = Layout::of(projections, mask, bias.value_or(torch::Tensor()));
    const auto shape = layout.shape(sizes);
    auto output_shape = first.sizes().vec();
    output_shape.back() = sizes.outputs();
    auto output = torch::empty(output_shape, first.options());
    auto logsumexp = torch::empty({layout.sentences, sizes.heads, layout.queries});
    with_type_of(first, [&](auto type) {
      using T = decltype(type);
      parallel_heads(layout.sentences, shape, [&](std::int64_t begin, std::int64_t end, float* scratch) {
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
    context->save_for_backward({projections.first, projections.second, layout.bias, layout.mask,
                                layout.query_offsets, layout.key_offsets, logsumexp});
    context->saved_data["sizes"] = std::vector<std::int64_t>{sizes.heads,    sizes.d_k,        sizes.d_v,
                                                             sizes.kv_heads, layout.sentences, layout.queries,
                                                             layout.keys,    layout.causal,    layout.window};
    context->saved_data["learns_bias"] = bias && bias->requires_grad();
    return output;
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const auto sizes = context->saved_data["sizes"].toIntVector();
    const Projections projections{saved[0], saved[1], {sizes[0], sizes[1], sizes[2], sizes[3]}};
    const Layout layout{.sentences = sizes[4],
                        .queries = sizes[5],
                        .keys = sizes[6],
                        .query_offsets = saved[4],
                        .key_offsets = saved[5],
                        .mask = saved[3],
                        .bias = saved[2],
                        .causal = sizes[7] != 0,
                        .window = sizes[8]};
    const auto& logsumexp = saved[6];
    const auto shape = layout.shape(projections.sizes);
    const auto output_gradient = received[0].contiguous();
    torch::Tensor scores;  // their gradients, of each sentence, if somebody learns from them
    if (context->saved_data["learns_bias"].toBool())
      scores =
          torch::zeros({layout.sentences, shape.heads, shape.queries, shape.keys}, layout.bias.options());
    const Projections out{
        torch::empty_like(projections.first),
        projections.second.defined() ? torch::empty_like(projections.second) : torch::Tensor(),
        projections.sizes};
    with_type_of(projections.first, [&](auto type) {
      using T = decltype(type);
      parallel_heads(layout.sentences, shape, [&](std::int64_t begin, std::int64_t end, float* scratch) {
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
    return {out.first, out.second, scores.defined() ? scores.sum(0) : torch::Tensor(), {}, {}};
  }
};

bool kernel_can(const torch::Tensor& x, const AttentionMask& mask, const torch::Tensor& bias,
                double dropout) {
  const bool simple_mask = !mask.padded.defined() || (mask.padded.dim() == 4 && mask.padded.size(1) == 1);
  const bool simple_bias = !bias.defined() || (bias.dim() == 3 && bias.scalar_type() == torch::kFloat);
  return has_kernels(x) && x.numel() > 0 && simple_mask && simple_bias && dropout == 0.0;
}

/// The definition, for inputs that the fused paths decline. Heads are split and sequences padded. Within a
/// window it computes in blocks, if that takes fewer pairs.
torch::Tensor apart(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                    const AttentionMask& mask, const torch::Tensor& bias, const HeadSizes& sizes,
                    double dropout) {
  const auto split = [](const torch::Tensor& rows, std::int64_t heads, const Sequences* packed) {
    return split_heads(packed ? pad(rows, *packed) : rows, heads);
  };
  const auto repeated = [&](const torch::Tensor& rows) {
    const auto heads = sizes.heads_of_keys();
    return repeat_heads(split(rows, heads, mask.keys), sizes.heads / heads);
  };
  const auto queries = split(query, sizes.heads, mask.queries), keys = repeated(key),
             values = repeated(value);
  const bool in_blocks = mask.window > 0 && !bias.defined() && dropout == 0.0 && mask.queries == mask.keys &&
                         blocks_are_fewer(mask.keys->longest, mask.window, mask.causal);
  const auto heads = join_heads(
      in_blocks
          ? windowed_attention(queries, keys, values, mask.keys->padding_mask(), mask.window, mask.causal)
          : scaled_dot_product_attention(queries, keys, values, mask.tensor(), dropout, bias));
  return mask.is_packed() ? pack(heads, *mask.queries) : heads;
}

}  // namespace

torch::Tensor fused_self_attention(const torch::Tensor& projected, const AttentionMask& mask,
                                   const HeadSizes& sizes, double dropout, const torch::Tensor& bias) {
  if (kernel_can(projected, mask, bias, dropout))
    return CpuAttention::apply(projected, std::optional<torch::Tensor>(), if_defined(bias), mask, sizes);
  if (device_attention_can(projected, mask, sizes, bias))
    return device_attention(projected, {}, mask, sizes, dropout);
  const auto parts = projected.split_with_sizes({sizes.queries(), sizes.keys(), sizes.values()}, -1);
  return apart(parts[0], parts[1], parts[2], mask, bias, sizes, dropout);
}

torch::Tensor fused_cross_attention(const torch::Tensor& query, const torch::Tensor& memory,
                                    const AttentionMask& mask, const HeadSizes& sizes, double dropout) {
  if (kernel_can(query, mask, {}, dropout) && memory.numel() > 0)
    return CpuAttention::apply(query, std::optional(memory), std::optional<torch::Tensor>(), mask, sizes);
  if (device_attention_can(query, mask, sizes, {}))
    return device_attention(query, memory, mask, sizes, dropout);
  const auto parts = memory.split_with_sizes({sizes.keys(), sizes.values()}, -1);
  return apart(query, parts[0], parts[1], mask, {}, sizes, dropout);
}

}  // namespace transformer::ops
