#include "transformer/kernels/additive.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {

using test::data;
using test::floats;

namespace {

/// Against the formulas in double precision. Queries and keys stand in wider rows.
template <typename T>
void check_additive(Isa isa, std::int64_t width, torch::ScalarType type, double tolerance) {
  constexpr std::int64_t kQueries = 3, kKeys = 4, kBeside = 5;
  const auto all_queries = (torch::randn({kQueries, width + kBeside}) * 2.0).to(type);
  const auto all_keys = (torch::randn({kKeys, width + kBeside}) * 2.0).to(type);
  const auto weight = torch::randn({width}), gradient = torch::randn({kQueries, kKeys});
  gradient[1][2] = 0.0;
  const auto exact = [&](const torch::Tensor& rows) { return rows.slice(1, 0, width).to(torch::kDouble); };
  const auto hidden = (exact(all_queries).unsqueeze(1) + exact(all_keys).unsqueeze(0)).tanh();
  const auto exact_weight = weight.to(torch::kDouble);
  const auto exact_gradient = gradient.to(torch::kDouble).unsqueeze(-1);

  auto scores = torch::full({kQueries, kKeys}, 7.0);
  auto of_query = torch::ones({kQueries, width}), of_key = torch::ones({kKeys, width});
  auto of_weight = torch::ones({width});
  const AdditiveScores<T> forward{.queries = kQueries,
                                  .keys = kKeys,
                                  .width = width,
                                  .query = data<T>(all_queries),
                                  .query_stride = width + kBeside,
                                  .key = data<T>(all_keys),
                                  .key_stride = width + kBeside,
                                  .weight = floats(weight),
                                  .scores = floats(scores)};
  const AdditiveScoresBackward<T> backward{forward, floats(gradient), floats(of_query), floats(of_key),
                                           floats(of_weight)};
  const auto& k = additive(isa);
  test::run(k.forward, k.forward_bf16, forward);
  test::run(k.backward, k.backward_bf16, backward);
  test::check_close(scores, (hidden * exact_weight).sum(-1), tolerance);
  const auto of_sums = exact_gradient * exact_weight * (1.0 - hidden.square());  // (queries, keys, width)
  test::check_close(of_query, 1.0 + of_sums.sum(1), tolerance);                  // they are added to
  test::check_close(of_key, 1.0 + of_sums.sum(0), tolerance);
  test::check_close(of_weight, 1.0 + (exact_gradient * hidden).sum(0).sum(0), tolerance);
}

}  // namespace

TEST_CASE("additive scores and their gradients") {
  torch::manual_seed(6);
  for (const auto isa : test::levels()) {
    for (const std::int64_t width : {3, 16, 50}) {
      INFO("level " << static_cast<int>(isa) << ", width " << width);
      check_additive<float>(isa, width, torch::kFloat, 1e-6);
      check_additive<Bf16>(isa, width, torch::kBFloat16, 1e-6);  // nothing is rounded but what is read
    }
  }
}

TEST_CASE("additive scores keep NaN, end at the weights' sum, and are small where their sums are") {
  for (const auto isa : test::levels()) {
    const auto query = torch::tensor({{std::nanf("")}, {300.0F}, {-300.0F}, {1e-3F}});
    const auto key = torch::zeros({1, 1}), weight = torch::full({1}, 2.0F);
    auto scores = torch::empty({4, 1});
    additive(isa).forward({.queries = 4,
                           .keys = 1,
                           .width = 1,
                           .query = floats(query),
                           .query_stride = 1,
                           .key = floats(key),
                           .key_stride = 1,
                           .weight = floats(weight),
                           .scores = floats(scores)});
    CHECK(scores[0].isnan().item<bool>());
    CHECK(scores[1].item<float>() == 2.0F);
    CHECK(scores[2].item<float>() == -2.0F);
    CHECK(scores[3].item<float>() == Approx(2e-3).margin(3e-7));
  }
}

}  // namespace transformer::kernels
