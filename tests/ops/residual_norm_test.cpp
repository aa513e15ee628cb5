#include "transformer/ops/residual_norm.h"

#include "tests/nn/checks.h"

using namespace transformer;
using test::difference;

TEST_CASE("the kernel for residual, dropout and norm computes what the operations one by one compute") {
  torch::manual_seed(7);
  const auto weight = torch::randn({24}).requires_grad_(), bias = torch::randn({24}).requires_grad_();
  const auto x = torch::randn({3, 70, 24}).requires_grad_(), z = torch::randn({3, 70, 24}).requires_grad_();
  const auto found = ops::residual_norm(x, z, weight, bias, 1e-5, 0.0),
             expected = ops::reference_residual_norm(x, z, weight, bias, 1e-5, 0.0);
  CHECK(difference(found, expected) < 1e-5);
  const auto loss = torch::randn_like(found);
  const std::vector<torch::Tensor> inputs = {x, z, weight, bias};
  const auto gradients = torch::autograd::grad({found}, inputs, {loss});
  const auto wanted = torch::autograd::grad({expected}, inputs, {loss});
  for (std::size_t i = 0; i < inputs.size(); ++i) CHECK(difference(gradients[i], wanted[i]) < 1e-4);

  // With dropout the gradient of z is that of the sum where z passed, and 0 elsewhere. Rows are wide enough
  // that none is kept as a whole: its elements would all be the mean.
  const auto ones = torch::ones({40, 240}).requires_grad_(), zeros = torch::zeros({40, 240}).requires_grad_();
  const auto y = ops::residual_norm(zeros, ones, torch::ones({240}), torch::zeros({240}), 1e-5, 0.25);
  const auto passed = torch::autograd::grad({y}, {zeros, ones}, {torch::randn_like(y)});
  const auto kept = y.gt(0);  // a row's kept elements lie above its mean
  CHECK(kept.to(torch::kDouble).mean().item<double>() == Approx(0.75).margin(0.03));
  CHECK(difference(passed[1], passed[0] * kept / 0.75) < 1e-5);
}
