#include "transformer/ops/short_attention.h"

#include <torch/autograd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "transformer/gpu/kernel.h"
#include "transformer/gpu/source/short_attention.h"

namespace transformer::gpu {
std::string_view short_attention_text();
}

namespace transformer::ops {
namespace {

constexpr std::int64_t kShort = 32, kLongest = 64, kLargestHead = 64, kHeadMultiple = 16;

/// x: (N, H, K)
template <typename T>
gpu::HeadRows<T> rows_of(const torch::Tensor& x) {
  return {static_cast<T*>(x.data_ptr()), x.stride(0)};
}

template <typename T>
void fill(gpu::AttentionArguments<T>& arguments, const DeviceAttentionCall& call) {
  arguments.query = rows_of<const T>(call.query);
  arguments.key = rows_of<const T>(call.key);
  arguments.value = rows_of<const T>(call.value);
  arguments.query_offsets = call.query_offsets.const_data_ptr<int>();
  arguments.key_offsets = call.key_offsets.const_data_ptr<int>();
  arguments.heads = static_cast<int>(call.query.size(1));
  arguments.d_k = static_cast<int>(call.query.size(2));
  arguments.d_v = static_cast<int>(call.value.size(2));
  arguments.scale = static_cast<float>(call.scale());
  arguments.causal = call.causal ? 1 : 0;
}

gpu::Index blocks_of(const DeviceAttentionCall& call) {
  return (call.query_offsets.size(0) - 1) * call.query.size(1);
}

bool is_longer(const DeviceAttentionCall& call) {
  return std::max(call.longest_query, call.longest_key) > kShort;
}

/// body(Bf16) or body(Fp16)
template <typename Body>
void with_half_type(const torch::Tensor& x, Body&& body) {
  if (x.scalar_type() == torch::kBFloat16)
    body(gpu::Bf16{});
  else
    body(gpu::Fp16{});
}

ShortAttentionOutput forward(const gpu::Kernels& kernels, const DeviceAttentionCall& call) {
  const auto rows = call.query.size(0), heads = call.query.size(1);
  ShortAttentionOutput out{torch::empty({rows, heads, call.value.size(2)}, call.query.options()),
                           torch::empty({rows, heads}, call.query.options().dtype(torch::kFloat))};
  with_half_type(call.query, [&](auto type) {
    using T = decltype(type);
    gpu::ShortAttentionArguments<T> arguments{};
    fill<T>(arguments, call);
    arguments.output = rows_of<T>(out.output);
    arguments.logsumexp = out.logsumexp.data_ptr<float>();
    if (is_longer(call))
      kernels.launch<gpu::ShortAttention64, T>("short_attention_64", blocks_of(call), arguments);
    else
      kernels.launch<gpu::ShortAttention32, T>("short_attention_32", blocks_of(call), arguments);
  });
  return out;
}

void backward(const gpu::Kernels& kernels, const DeviceAttentionCall& call, const ShortAttentionOutput& out,
              const torch::Tensor& gradient, const std::array<torch::Tensor, 3>& gradients) {
  with_half_type(call.query, [&](auto type) {
    using T = decltype(type);
    gpu::ShortAttentionBackwardArguments<T> arguments{};
    fill<T>(arguments, call);
    arguments.output = rows_of<const T>(out.output);
    arguments.output_gradient = rows_of<const T>(gradient);
    arguments.logsumexp = out.logsumexp.const_data_ptr<float>();
    arguments.query_gradient = rows_of<T>(gradients[0]);
    arguments.key_gradient = rows_of<T>(gradients[1]);
    arguments.value_gradient = rows_of<T>(gradients[2]);
    if (is_longer(call))
      kernels.launch<gpu::ShortAttentionBackward64, T>("short_attention_backward_64", blocks_of(call),
                                                       arguments);
    else
      kernels.launch<gpu::ShortAttentionBackward32, T>("short_attention_backward_32", blocks_of(call),
                                                       arguments);
  });
}

/// The same by its definition in fp32, sentence by sentence: the output and the three gradients.
std::array<torch::Tensor, 4> defined(const DeviceAttentionCall& call, const torch::Tensor& gradient,
                                     const std::vector<std::int64_t>& query_lengths,
                                     const std::vector<std::int64_t>& key_lengths) {
  const torch::AutoGradMode on(true);
  const auto leaf = [](const torch::Tensor& x) { return x.detach().to(torch::kFloat).requires_grad_(); };
  const auto query = leaf(call.query), key = leaf(call.key), value = leaf(call.value);
  const auto queries = query.split_with_sizes(query_lengths), keys = key.split_with_sizes(key_lengths),
             values = value.split_with_sizes(key_lengths);
  std::vector<torch::Tensor> outputs;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto heads = [](const torch::Tensor& x) { return x.transpose(0, 1); };
    auto scores = heads(queries[i]).matmul(heads(keys[i]).transpose(1, 2)) * call.scale();
    if (call.causal)
      scores = scores.masked_fill(torch::ones_like(scores[0]).triu(1).to(torch::kBool),
                                  -std::numeric_limits<float>::infinity());
    outputs.push_back(torch::softmax(scores, -1).matmul(heads(values[i])).transpose(0, 1));
  }
  const auto output = torch::cat(outputs);
  const auto found = torch::autograd::grad({output}, {query, key, value}, {gradient.to(torch::kFloat)});
  return {output.detach(), found[0], found[1], found[2]};
}

/// How far they lie apart, as a share of b's norm and of its largest number.
bool near(const torch::Tensor& a, const torch::Tensor& b, double precision) {
  const auto difference = a.to(torch::kFloat) - b;
  return difference.norm().item<double>() <= precision * b.norm().item<double>() &&
         difference.abs().max().item<double>() <= 4 * precision * b.abs().max().item<double>();
}

/// Sentences of whole and of broken tiles, with other sources and causal, by both sizes of the kernel.
bool agrees(const gpu::Kernels& kernels, const torch::Device& device, torch::ScalarType type, bool causal,
            std::int64_t longest) {
  const torch::NoGradGuard no_gradients;
  const std::vector<std::int64_t> query_lengths{longest, 1, 17, longest - 15},
      key_lengths = causal ? query_lengths : std::vector<std::int64_t>{19, longest, 3, 16};
  const std::int64_t heads = 2, d_k = 32, d_v = longest == kShort ? 64 : 48;
  const auto offsets = [&](const std::vector<std::int64_t>& lengths) {
    return torch::cat({torch::zeros({1}, torch::kLong), torch::tensor(lengths).cumsum(0)})
        .to(torch::kInt)
        .to(device);
  };
  const auto numbers = [&](std::int64_t rows, std::int64_t size, double pace) {  // from -1 to 1, unordered
    const auto wild = (torch::arange(rows * heads * size).to(torch::kDouble) * pace).sin() * 43758.5453;
    return ((wild - wild.floor()) * 2 - 1).to(type).view({rows, heads, size}).to(device);
  };
  const auto rows = torch::tensor(query_lengths).sum().item<std::int64_t>(),
             key_rows = torch::tensor(key_lengths).sum().item<std::int64_t>();
  const DeviceAttentionCall call{numbers(rows, d_k, 1.3) * 2,
                                 numbers(key_rows, d_k, 0.7) * 2,
                                 numbers(key_rows, d_v, 2.9),
                                 offsets(query_lengths),
                                 offsets(key_lengths),
                                 longest,
                                 longest,
                                 0,
                                 causal};
  const auto gradient = numbers(rows, d_v, 2.1);
  const auto out = forward(kernels, call);
  const std::array<torch::Tensor, 3> found{torch::empty_like(call.query), torch::empty_like(call.key),
                                           torch::empty_like(call.value)};
  backward(kernels, call, out, gradient, found);
  const auto expected = defined(call, gradient, query_lengths, key_lengths);
  const double precision = 2 * gpu::rounding_of(type);
  bool all = near(out.output, expected[0], precision);
  for (std::size_t i = 0; i < found.size(); ++i) all = all && near(found[i], expected[i + 1], precision);
  return all;
}

const gpu::Kernels* kernels_of(const torch::Device& device) {
  return gpu::usable_kernels({"short_attention", gpu::short_attention_text()}, device,
                             [&](const gpu::Kernels& kernels) {
                               for (const auto type : {torch::kBFloat16, torch::kHalf})
                                 for (const bool causal : {true, false})
                                   for (const auto longest : {kShort, kLongest})
                                     if (!agrees(kernels, device, type, causal, longest)) return false;
                               return true;
                             });
}

/// Whether the kernel can read rows of a head, in pieces of 16 bytes.
bool is_aligned(const torch::Tensor& x) {
  constexpr std::int64_t kBytes = 16;
  const auto size = x.size(2);
  return size % kHeadMultiple == 0 && size <= kLargestHead && x.stride(2) == 1 && x.stride(1) == size &&
         x.stride(0) * x.element_size() % kBytes == 0 &&
         reinterpret_cast<std::uintptr_t>(x.const_data_ptr()) % kBytes == 0;
}

}  // namespace

std::optional<ShortAttentionOutput> short_attention(const DeviceAttentionCall& call) {
  constexpr int kTensorCores = 8;  // the compute capability of the first card that has what products.h uses
  const auto type = call.query.scalar_type();
  if ((type != torch::kBFloat16 && type != torch::kHalf) || call.dropout > 0 ||
      std::max(call.longest_query, call.longest_key) > kLongest || !is_aligned(call.query) ||
      !is_aligned(call.key) || !is_aligned(call.value))
    return std::nullopt;
  const auto* kernels = kernels_of(call.query.device());
  if (kernels == nullptr || kernels->compute_major() < kTensorCores) return std::nullopt;
  return forward(*kernels, call);
}

void short_attention_backward(const DeviceAttentionCall& call, const ShortAttentionOutput& output,
                              const torch::Tensor& gradient, const torch::Tensor& query_gradient,
                              const torch::Tensor& key_gradient, const torch::Tensor& value_gradient) {
  backward(*kernels_of(call.query.device()), call, output, gradient,
           {query_gradient, key_gradient, value_gradient});
}

}  // namespace transformer::ops
