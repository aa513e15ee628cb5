// Page 7: the norm of sections 3.1 and 5.4, beside another one.
#include "examples/tutorial/page.h"
#include "transformer/nn/norm.h"
#include "transformer/nn/residual_norm.h"

using namespace transformer;

void tutorial::norms() {
  section("two");
  const auto x = matrix({1, 2, 2, 3}, 2).to(torch::kFloat);  // two positions, two features
  nn::Norm layer(nn::NormOptions{.d_model = 2}),
      batch(nn::NormOptions{.d_model = 2, .kind = nn::NormKind::batch});
  show("layer", layer(x));
  show("batch", batch(x));

  section("neighbours");
  const auto other = matrix({1, 2, -9, 0}, 2).to(torch::kFloat);  // the first position as before
  show("layer, first position", layer(other)[0]);
  show("batch, first position", batch(other)[0]);

  section("evaluation");
  for (int update = 0; update < 200; ++update) {
    batch(x);
    batch->keep_statistics(torch::zeros({}));  // 0: the update was made
  }
  show("mean", batch->mean);
  show("variance", batch->variance);
  batch->eval();
  show("one position alone", batch(x.slice(0, 0, 1)));

  section("epsilon");
  const auto constant = torch::ones({1, 4});
  show("with ε", nn::Norm(nn::NormOptions{.d_model = 4})(constant));
  show("without", nn::Norm(nn::NormOptions{.d_model = 4, .epsilon = 0})(constant));

  section("add_and_norm");
  nn::ResidualNorm residual(nn::ResidualNormOptions{.d_model = 4, .dropout = 0.5});
  const auto ones = torch::ones({2, 3, 4});
  const auto sublayer = [](const torch::Tensor& y) { return torch::ones_like(y); };
  residual->eval();
  const auto y = residual->forward(ones, sublayer);
  show_shape("shape", y);
  show("largest", y.abs().max());
  residual->train();
  ask("all 0 in training, too:", residual->forward(ones, sublayer).abs().max().item<double>() < 1e-3);
}
