#include "transformer/ops/scores.h"

#include <cmath>

#include "transformer/kernels/additive.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/once_differentiable.h"

namespace transformer::ops {
namespace {

/// Scores that are rounded to bf16 have lost what the softmax makes of them.
torch::Tensor wide(const torch::Tensor& x) {
  return x.to(torch::promote_types(x.scalar_type(), torch::kFloat));
}

/// Its rows' elements next to each other.
torch::Tensor with_whole_rows(const torch::Tensor& x) {
  return x.stride(-1) == 1 ? x : x.contiguous();
}

/// Head `i`, counted through all sentences, of query and key (B, H, T or S, K).
template <typename T>
kernels::AdditiveScores<T> head_of(const torch::Tensor& query, const torch::Tensor& key,
                                   const torch::Tensor& weight, std::int64_t i) {
  const auto heads = query.size(1), width = query.size(3), b = i / heads, h = i % heads;
  const auto first = [&](const torch::Tensor& x) {
    return kernel_data<T>(x) + b * x.stride(0) + h * x.stride(1);
  };
  return {.queries = query.size(2),
          .keys = key.size(2),
          .width = width,
          .query = first(query),
          .query_stride = query.stride(2),
          .key = first(key),
          .key_stride = key.stride(2),
          .weight = weight.data_ptr<float>() + h * width};
}

template <typename Body>
void for_heads(const torch::Tensor& query, Body&& body) {
  runtime::parallel_for(0, query.size(0) * query.size(1), 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) body(i);
  });
}

class AdditiveScores : public OnceDifferentiable<AdditiveScores> {
 public:
  static constexpr const char* kName = "ops::additive_scores";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& query_,
                               const torch::Tensor& key_, const torch::Tensor& weight_) {
    const auto query = with_whole_rows(query_), key = with_whole_rows(key_), weight = weight_.contiguous();
    auto scores = torch::empty({query.size(0), query.size(1), query.size(2), key.size(2)},
                               query.options().dtype(torch::kFloat));
    with_type_of(query, [&](auto type) {
      using T = decltype(type);
      for_heads(query, [&](std::int64_t i) {
        auto head = head_of<T>(query, key, weight, i);
        head.scores = scores.data_ptr<float>() + i * head.queries * head.keys;
        run_kernel(kernels::additive().forward, kernels::additive().forward_bf16, head);
      });
    });
    context->save_for_backward({query, key, weight});
    return scores;
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const auto &query = saved[0], &key = saved[1], &weight = saved[2];
    const auto gradient = received[0].contiguous();
    const auto of_query = torch::zeros(query.sizes(), gradient.options());
    const auto of_key = torch::zeros(key.sizes(), gradient.options());
    const auto of_weight = torch::zeros({query.size(0), weight.size(0), weight.size(1)}, gradient.options());
    with_type_of(query, [&](auto type) {
      using T = decltype(type);
      for_heads(query, [&](std::int64_t i) {
        const auto head = head_of<T>(query, key, weight, i);
        run_kernel(kernels::additive().backward, kernels::additive().backward_bf16,
                   kernels::AdditiveScoresBackward<T>{
                       .forward = head,
                       .gradient = gradient.data_ptr<float>() + i * head.queries * head.keys,
                       .query = of_query.data_ptr<float>() + i * head.queries * head.width,
                       .key = of_key.data_ptr<float>() + i * head.keys * head.width,
                       .weight = of_weight.data_ptr<float>() + i * head.width});
      });
    });
    return {of_query.to(query.scalar_type()), of_key.to(key.scalar_type()), of_weight.sum(0)};
  }
};

}  // namespace

torch::Tensor additive_scores(const torch::Tensor& query, const torch::Tensor& key,
                              const torch::Tensor& weight) {
  const bool known = has_kernels(query) && has_kernels(key) && query.scalar_type() == key.scalar_type() &&
                     query.size(0) == key.size(0) && query.size(1) == key.size(1) && query.numel() > 0 &&
                     key.numel() > 0;
  return known ? AdditiveScores::apply(query, key, weight.to(torch::kFloat))
               : reference_additive_scores(query, key, weight);
}

torch::Tensor reference_additive_scores(const torch::Tensor& query, const torch::Tensor& key,
                                        const torch::Tensor& weight) {
  const auto hidden = (wide(query).unsqueeze(3) + wide(key).unsqueeze(2)).tanh();  // (B, H, T, S, K)
  return torch::matmul(hidden, weight.to(hidden).unsqueeze(-1).unsqueeze(1)).squeeze(-1);
}

torch::Tensor distance_scores(const torch::Tensor& query, const torch::Tensor& vectors,
                              const torch::Tensor& rows) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  const auto queries = wide(query) * scale;
  const auto products = torch::matmul(queries, vectors.to(queries).t());  // (B, H, T, R)
  return torch::take_along_dim(products, rows.unsqueeze(0).unsqueeze(0), -1);
}

torch::Tensor distance_values(const torch::Tensor& weights, const torch::Tensor& vectors,
                              const torch::Tensor& rows) {
  // The weights of equal distances are added up first.
  const auto all = wide(weights);
  const auto none = torch::zeros_like(all.select(-1, 0)).unsqueeze(-1) +
                    torch::zeros_like(vectors.detach().select(1, 0)).to(all);
  const auto of_distances = none.scatter_add(-1, rows.expand_as(all), all);  // (B, H, T, R)
  return torch::matmul(of_distances.to(vectors.scalar_type()), vectors);
}

}  // namespace transformer::ops
