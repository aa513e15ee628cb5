// Operations that LibTorch has for CUDA alone, computed by their definitions: products of half precision
// whose result is fp32, and attention over packed sequences.
#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <torch/library.h>

#include <array>
#include <limits>
#include <vector>

#include "tests/fake_device/capture.h"
#include "tests/fake_device/counts.h"
#include "tests/fake_device/fake_device.h"

namespace transformer::test::fake_device {
namespace {

using at::Tensor;
using Offsets = std::optional<Tensor>;

/// Counts the operation, and computes it on the CPU with copies of these.
class Operation {
 public:
  explicit Operation(const char* name) { count_launch(name); }
  Tensor take(const Tensor& x) const {
    TORCH_CHECK(x.device() == device(), "fake device: a tensor on the CPU, of shape ", x.sizes());
    return x.cpu();
  }
  Tensor give(const Tensor& x) const { return x.to(device()); }
  void give(const Tensor& x, const Tensor& to) const { to.copy_(x); }

 private:
  Uncounted uncounted_;
};

Tensor mm_out_type(const Tensor& a, const Tensor& b, at::ScalarType type) {
  const Operation op("aten::mm.dtype");
  return op.give(op.take(a).to(type).mm(op.take(b).to(type)));
}

Tensor& mm_out_type_into(const Tensor& a, const Tensor& b, at::ScalarType type, Tensor& out) {
  const Operation op("aten::mm.dtype_out");
  op.give(op.take(a).to(type).mm(op.take(b).to(type)), out);
  return out;
}

Tensor& addmm_out_type_into(const Tensor& c, const Tensor& a, const Tensor& b, at::ScalarType type,
                            const at::Scalar& beta, const at::Scalar& alpha, Tensor& out) {
  const Operation op("aten::addmm.dtype_out");
  op.give(at::addmm(op.take(c), op.take(a).to(type), op.take(b).to(type), beta, alpha), out);
  return out;
}

/// Packed sequences on the CPU, (N, H, K) each.
struct Sequences {
  Tensor query, key, value, query_offsets, key_offsets;
  bool causal;
  double scale;

  /// Sequence b by heads, in fp32: (H, n, K)
  static Tensor heads(const Tensor& x, const Tensor& offsets, std::int64_t b) {
    const auto begin = offsets[b].item<std::int64_t>(), end = offsets[b + 1].item<std::int64_t>();
    return x.slice(0, begin, end).transpose(0, 1).to(at::kFloat);
  }

  Tensor weights(const Tensor& q, const Tensor& k) const {
    auto scores = q.matmul(k.transpose(1, 2)) * scale;
    if (causal) {
      const auto hidden = at::arange(k.size(1)).unsqueeze(0) > at::arange(q.size(1)).unsqueeze(1);
      scores = scores.masked_fill(hidden, -std::numeric_limits<float>::infinity());
    }
    return at::softmax(scores, -1);
  }

  /// By the definition, sequence by sequence. → (N, H, V)
  Tensor attention() const {
    std::vector<Tensor> outputs;
    for (std::int64_t b = 0; b + 1 < query_offsets.size(0); ++b) {
      const auto q = heads(query, query_offsets, b), k = heads(key, key_offsets, b),
                 v = heads(value, key_offsets, b);
      outputs.push_back(weights(q, k).matmul(v).transpose(0, 1));
    }
    return at::cat(outputs).to(query.scalar_type());
  }

  /// Of queries, keys and values.
  std::array<Tensor, 3> gradients(const Tensor& output_gradient) const {
    std::array<std::vector<Tensor>, 3> all;
    for (std::int64_t b = 0; b + 1 < query_offsets.size(0); ++b) {
      const auto q = heads(query, query_offsets, b), k = heads(key, key_offsets, b),
                 v = heads(value, key_offsets, b), gradient = heads(output_gradient, query_offsets, b);
      const auto p = weights(q, k), of_weights = gradient.matmul(v.transpose(1, 2));
      const auto of_scores = p * (of_weights - (of_weights * p).sum(-1, true)) * scale;
      all[0].push_back(of_scores.matmul(k).transpose(0, 1));
      all[1].push_back(of_scores.transpose(1, 2).matmul(q).transpose(0, 1));
      all[2].push_back(p.transpose(1, 2).matmul(gradient).transpose(0, 1));
    }
    const auto type = query.scalar_type();
    return {at::cat(all[0]).to(type), at::cat(all[1]).to(type), at::cat(all[2]).to(type)};
  }
};

void expect_no_dropout(double p) {
  TORCH_CHECK(p == 0.0, "fake device: dropout of attention weights is not among its operations");
}

/// So many blocks are launched for each sequence: too few would leave positions out.
void expect_longest(const Tensor& offsets, std::int64_t longest) {
  const auto found = offsets.diff().max().item<std::int64_t>();
  TORCH_CHECK(found <= longest && longest <= std::max<std::int64_t>(2 * found, 64),
              "fake device: the longest sequence has ", found, " positions, not ", longest);
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> flash_forward(
    const Tensor& query, const Tensor& key, const Tensor& value, const Offsets& query_offsets,
    const Offsets& key_offsets, c10::SymInt most_queries, c10::SymInt most_keys, double dropout, bool causal,
    bool, std::optional<double> scale, std::optional<c10::SymInt>, std::optional<c10::SymInt>, const Offsets&,
    const Offsets&) {
  const Operation op("aten::_flash_attention_forward");
  expect_no_dropout(dropout);
  TORCH_CHECK(
      query.scalar_type() != at::kFloat && query.size(-1) == value.size(-1) && query.size(-1) % 8 == 0,
      "fake device: not for FlashAttention");
  const Sequences all{op.take(query),        op.take(key), op.take(value), op.take(*query_offsets),
                      op.take(*key_offsets), causal,       scale.value()};
  expect_longest(all.query_offsets, most_queries.expect_int());
  expect_longest(all.key_offsets, most_keys.expect_int());
  const auto nothing = at::empty({0}, query.options());
  return {op.give(all.attention()), nothing, nothing, nothing, nothing};
}

std::tuple<Tensor, Tensor, Tensor> flash_backward(const Tensor& gradient, const Tensor& query,
                                                  const Tensor& key, const Tensor& value, const Tensor&,
                                                  const Tensor&, const Tensor& query_offsets,
                                                  const Tensor& key_offsets, c10::SymInt, c10::SymInt, double,
                                                  bool causal, const Tensor&, const Tensor&,
                                                  std::optional<double> scale, std::optional<c10::SymInt>,
                                                  std::optional<c10::SymInt>) {
  const Operation op("aten::_flash_attention_backward");
  const Sequences all{op.take(query),       op.take(key), op.take(value), op.take(query_offsets),
                      op.take(key_offsets), causal,       scale.value()};
  const auto found = all.gradients(op.take(gradient));
  return {op.give(found[0]), op.give(found[1]), op.give(found[2])};
}

/// What that kernel is given: a batch of one, (1, N, H, K).
Sequences efficient_sequences(const Operation& op, const Tensor& query, const Tensor& key,
                              const Tensor& value, const Tensor& query_offsets, const Tensor& key_offsets,
                              std::int64_t mask_type, double scale) {
  return {op.take(query).squeeze(0),
          op.take(key).squeeze(0),
          op.take(value).squeeze(0),
          op.take(query_offsets),
          op.take(key_offsets),
          mask_type == 1,
          scale};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, c10::SymInt, c10::SymInt> efficient_forward(
    const Tensor& query, const Tensor& key, const Tensor& value, const Offsets& bias,
    const Offsets& query_offsets, const Offsets& key_offsets, std::optional<c10::SymInt> most_queries,
    std::optional<c10::SymInt> most_keys, double dropout, std::int64_t mask_type, bool,
    std::optional<double> scale, const Offsets&, std::optional<std::int64_t>) {
  const Operation op("aten::_efficient_attention_forward");
  expect_no_dropout(dropout);
  TORCH_CHECK(!bias, "fake device: a bias of scores is not among its operations");
  const auto all =
      efficient_sequences(op, query, key, value, *query_offsets, *key_offsets, mask_type, *scale);
  expect_longest(all.query_offsets, most_queries->expect_int());
  expect_longest(all.key_offsets, most_keys->expect_int());
  const auto nothing = at::empty({0}, query.options());
  return {op.give(all.attention().unsqueeze(0)), nothing, nothing, nothing, *most_queries, *most_keys};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_backward(
    const Tensor& gradient, const Tensor& query, const Tensor& key, const Tensor& value, const Offsets&,
    const Tensor&, const Offsets& query_offsets, const Offsets& key_offsets, c10::SymInt, c10::SymInt,
    const Tensor&, double, const Tensor&, const Tensor&, std::int64_t mask_type, bool,
    std::optional<double> scale, std::optional<std::int64_t>, std::optional<std::int64_t>, bool joint) {
  const Operation op("aten::_efficient_attention_backward");
  const auto all =
      efficient_sequences(op, query, key, value, *query_offsets, *key_offsets, mask_type, *scale);
  const auto found = all.gradients(op.take(gradient).squeeze(0));
  if (joint) {  // (1, N, 3, H, K)
    const auto all = op.give(at::stack({found[0], found[1], found[2]}, 1).unsqueeze(0));
    return {all.select(2, 0), all.select(2, 1), all.select(2, 2), Tensor()};
  }
  const auto give = [&](const Tensor& x) { return op.give(x.unsqueeze(0)); };
  return {give(found[0]), give(found[1]), give(found[2]), Tensor()};
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("mm.dtype", Recorded<mm_out_type>::call);
  library.impl("mm.dtype_out", Recorded<mm_out_type_into>::call);
  library.impl("addmm.dtype_out", Recorded<addmm_out_type_into>::call);
  library.impl("_flash_attention_forward", Recorded<flash_forward>::call);
  library.impl("_flash_attention_backward", Recorded<flash_backward>::call);
  library.impl("_efficient_attention_forward", Recorded<efficient_forward>::call);
  library.impl("_efficient_attention_backward", Recorded<efficient_backward>::call);
}

}  // namespace transformer::test::fake_device
