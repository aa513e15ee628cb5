#include "transformer/distributed/gradient_buckets.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <functional>

#include "tests/distributed/members.h"

namespace transformer::distributed {
namespace {

using Tensors = std::vector<torch::Tensor>;

torch::Tensor random_tensor(const std::vector<std::int64_t>& shape, std::uint64_t seed,
                            torch::ScalarType type = torch::kFloat) {
  return torch::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed)).to(type);
}

/// A matrix that is used twice, as tied weights are, a bias, and one that nothing uses.
struct Model {
  torch::Tensor weight, bias, unused;

  explicit Model(torch::ScalarType type = torch::kFloat)
      : weight(random_tensor({6, 6}, 1, type).requires_grad_()),
        bias(random_tensor({6}, 2, type).requires_grad_()),
        unused(random_tensor({3}, 3, type).requires_grad_()) {}

  Tensors parameters() const { return {weight, unused, bias}; }
  torch::Tensor loss(std::uint64_t example, bool with_bias = true) const {
    const auto x = random_tensor({4, 6}, 100 + example, weight.scalar_type());
    auto hidden = torch::tanh(torch::matmul(x, weight));
    if (with_bias) hidden = hidden + bias;
    return torch::matmul(hidden, weight.t()).square().sum();
  }
};

/// A member's micro-batches: examples by rank.
using Shares = std::vector<std::vector<std::uint64_t>>;

/// Plain backward passes over all examples, added up.
Tensors expected_gradients(const Shares& shares, torch::ScalarType type) {
  const Model model(type);
  for (auto parameter : model.parameters()) parameter.mutable_grad() = torch::zeros_like(parameter);
  for (const auto& share : shares)
    for (const auto example : share) model.loss(example, example % 2 == 0).backward();
  Tensors gradients;
  for (const auto& parameter : model.parameters()) gradients.push_back(parameter.grad());
  return gradients;
}

void update(GradientBuckets& buckets, const std::vector<std::uint64_t>& share, const Model& model) {
  buckets.begin();
  for (const auto& example : share) {
    if (&example == &share.back()) buckets.begin_last();
    model.loss(example, example % 2 == 0).backward();
  }
  buckets.finish();
}

Tensors copies_of_gradients(const Tensors& parameters) {
  Tensors copies;
  for (const auto& parameter : parameters) copies.push_back(parameter.grad().clone());
  return copies;
}

/// The largest difference as a share of the largest element.
double difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>() / std::max(1e-30, b.abs().max().item<double>());
}

TEST_CASE("gradients are the sum over all members' micro-batches") {
  if (!test::has_collectives()) return;
  const Shares shares = GENERATE(Shares{{0, 2, 4}},                    // one member
                                 Shares{{0, 1}, {2}},                  // of unequal parts
                                 Shares{{0, 1}, {2, 3, 5}, {7}},       // the last ones without the bias
                                 Shares{{}, {2, 4}}, Shares{{0}, {}},  // with nothing of one's own
                                 Shares{{}, {}});
  const auto type = GENERATE(torch::kFloat, torch::kDouble);
  const auto way = GENERATE(OnOneHost::shared_memory, OnOneHost::gloo);
  const auto member = [&](Collectives& together) {
    const Model model(type);
    GradientBuckets buckets(together, model.parameters());
    update(buckets, shares[static_cast<std::size_t>(together.group().rank())], model);
    return copies_of_gradients(model.parameters());
  };
  const auto found = test::run_together(std::ssize(shares), member, way);
  const auto expected = expected_gradients(shares, type);
  for (const auto& gradients : found)
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(difference(gradients[i], expected[i]) < (type == torch::kFloat ? 1e-6 : 1e-14));
      CHECK(torch::equal(gradients[i], found[0][i]));
    }
}

TEST_CASE("gradients that a graph puts into the buckets are summed as computed ones") {
  if (!test::has_collectives()) return;
  const Shares shares{{0}, {2}};
  const auto found = test::run_together(2, [&](Collectives& together) {
    const Model model;
    const auto rank = static_cast<std::size_t>(together.group().rank());
    GradientBuckets buckets(together, model.parameters());
    buckets.begin();
    model.loss(shares[rank][0]).backward();
    buckets.fill();
    Tensors recorded;
    for (const auto& bucket : buckets.gradients()) recorded.push_back(bucket.clone());
    update(buckets, {7}, model);  // another one
    for (std::size_t i = 0; i < recorded.size(); ++i) buckets.gradients()[i].copy_(recorded[i]);
    buckets.filled();
    buckets.finish();
    return copies_of_gradients(model.parameters());
  });
  const auto expected = expected_gradients(shares, torch::kFloat);
  for (const auto& gradients : found)
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(difference(gradients[i], expected[i]) < 1e-6);
}

TEST_CASE("an update's gradients do not add to those of the one before, which had other micro-batches") {
  if (!test::has_collectives()) return;
  const Shares first{{0, 2}, {}}, second{{1}, {3, 4}};
  const auto found = test::run_together(2, [&](Collectives& together) {
    const auto rank = static_cast<std::size_t>(together.group().rank());
    const Model model;
    GradientBuckets buckets(together, model.parameters());
    update(buckets, first[rank], model);
    update(buckets, second[rank], model);
    return copies_of_gradients(model.parameters());
  });
  const auto expected = expected_gradients(second, torch::kFloat);
  for (const auto& gradients : found)
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(difference(gradients[i], expected[i]) < 1e-6);
}

TEST_CASE("large models have several buckets, and parameters are in one each") {
  if (!test::has_collectives()) return;
  // In fp32. A backward pass reaches the last parameters first. The first bucket ends after 1 MiB, the others
  // after 25 MiB. So the first has 5 and 300 000 numbers, the second 6 600 000, the third 10.
  const std::vector<std::int64_t> sizes = {10, 6'600'000, 300'000, 5};
  struct Found {
    std::int64_t count = 0;
    Tensors gradients = {};
  };
  const auto found = test::run_together(2, [&](Collectives& together) {
    const auto factor = static_cast<double>(together.group().rank() + 1);
    Tensors parameters;
    for (const auto size : sizes) parameters.push_back(torch::ones({size}).requires_grad_());
    GradientBuckets buckets(together, parameters);
    buckets.begin();
    buckets.begin_last();
    torch::Tensor loss = torch::zeros({});
    for (std::size_t i = 0; i < sizes.size(); ++i)
      loss = loss + (factor * static_cast<double>(i + 1)) * parameters[i].sum();
    loss.backward();
    buckets.finish();
    Found own{.count = buckets.count()};
    for (const auto& parameter : parameters) own.gradients.push_back(parameter.grad());
    return own;
  });
  for (const auto& [count, gradients] : found) {
    CHECK(count == 3);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      REQUIRE(gradients[i].numel() == sizes[i]);
      CHECK(gradients[i].eq(3.0 * static_cast<double>(i + 1)).all().item<bool>());
    }
  }
}

TEST_CASE("a model below a MiB has one bucket; a parameter that fills one has it for itself") {
  if (!test::has_collectives()) return;
  const auto counts = test::run_together(1, [](Collectives& together) {
    const auto count = [&](const std::vector<std::int64_t>& sizes) {
      Tensors parameters;
      for (const auto size : sizes) parameters.push_back(torch::ones({size}).requires_grad_());
      return GradientBuckets(together, parameters).count();
    };
    constexpr std::int64_t kMebi = 1 << 18;  // numbers of four bytes
    return std::vector{count({1}), count({10, 20, kMebi - 31}), count({10, 20, kMebi}),
                       count({kMebi, 20, 10}), count({10, kMebi, kMebi})};
  });
  CHECK(counts[0] == std::vector<std::int64_t>{1, 1, 2, 1, 2});
}

TEST_CASE("bf16 on the wire rounds each member's gradient and their sum, and no more") {
  if (!test::has_collectives()) return;
  const Shares shares{{0, 1}, {2, 4}};
  const auto way = GENERATE(OnOneHost::shared_memory, OnOneHost::gloo);
  const auto run = [&](Wire wire) {
    const auto member = [&, wire](Collectives& together) {
      const Model model;
      GradientBuckets buckets(together, model.parameters(), wire);
      update(buckets, shares[static_cast<std::size_t>(together.group().rank())], model);
      return copies_of_gradients(model.parameters());
    };
    return test::run_together(2, member, way);
  };
  const auto found = run(Wire::bf16), exact = run(Wire::fp32);
  const auto first = expected_gradients({shares[0]}, torch::kFloat),
             second = expected_gradients({shares[1]}, torch::kFloat);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto rounded = [](const torch::Tensor& x) { return x.to(torch::kBFloat16).to(torch::kFloat); };
    const auto expected = rounded(rounded(first[i]) + rounded(second[i]));
    CHECK(torch::equal(found[0][i], expected));
    CHECK(torch::equal(found[1][i], expected));
    CHECK(found[0][i].scalar_type() == torch::kFloat);
  }
  CHECK_FALSE(torch::equal(found[0][0], exact[0][0]));
}

TEST_CASE("afterwards the parameters are as free as before") {
  if (!test::has_collectives()) return;
  const auto gradients = test::run_together(2, [](Collectives& together) {
    const Model model;
    {
      GradientBuckets buckets(together, model.parameters());
      update(buckets, {0}, model);
    }
    const bool none = !model.weight.grad().defined();
    model.loss(1, false).backward();
    return none ? model.weight.grad() : torch::Tensor();
  });
  const auto expected = expected_gradients({{1}}, torch::kFloat)[0];
  for (const auto& gradient : gradients) {
    REQUIRE(gradient.defined());
    CHECK(torch::equal(gradient, expected));
  }
}

}  // namespace
}  // namespace transformer::distributed
