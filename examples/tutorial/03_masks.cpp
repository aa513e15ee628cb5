// Page 3: who may look at whom, sections 3.1 and 3.2.3.
#include <limits>

#include "examples/tutorial/page.h"
#include "transformer/base/special_tokens.h"
#include "transformer/nn/masks.h"
#include "transformer/ops/attention.h"

using namespace transformer;

void tutorial::masks() {
  section("padding");
  const auto ids = torch::tensor({{5, 3, 1, 1}, {5, 6, 3, 1}});  // 3 ends a sentence, 1 pads it
  const auto real = nn::padding_mask(ids, kPad);
  show_shape("shape", real);
  show("may be read", real.view({2, 4}), 0);
  const auto scores = torch::zeros({2, 1, 1, 4});  // all keys fit equally well
  show("weights", ops::weights_of_scores(scores, real).view({2, 4}));

  section("causal");
  const auto causal = nn::causal_mask(3, torch::kCPU);
  show("may be read", causal[0][0], 0);
  const auto q = matrix({1, 0, 2, 2, 2, 2, 2, 1, 3}, 3), k = matrix({0, 1, 1, 4, 4, 0, 2, 3, 1}, 3);
  const auto v = matrix({1, 2, 3, 2, 8, 0, 2, 6, 3}, 3);
  const auto batch = [](const torch::Tensor& a) { return a.unsqueeze(0).unsqueeze(0); };  // (1, 1, …)
  show("weights", ops::attention_weights(batch(q), batch(k), causal)[0][0], 6);
  show("output", ops::reference_attention(batch(q), batch(k), batch(v), causal)[0][0], 6);

  section("infinity");
  const double infinity = std::numeric_limits<double>::infinity();
  show("2, 4, -∞", torch::softmax(matrix({2, 4, -infinity}, 3), -1));
  show("2, 4, +∞", torch::softmax(matrix({2, 4, infinity}, 3), -1));
  show("2, 4, -1000000", torch::softmax(matrix({2, 4, -1e6}, 3), -1));
  const auto nobody = torch::zeros({1, 1, 1, 3}, torch::kBool);
  show("no key, softmax", torch::softmax(matrix({-infinity, -infinity, -infinity}, 3), -1));
  show("no key, here", ops::weights_of_scores(torch::zeros({1, 1, 1, 3}), nobody)[0][0]);

  section("tiled");
  const auto lengths = torch::tensor({2, 3});          // of two sentences
  const auto in_order = lengths.repeat_interleave(2);  // two heads each, sentence by sentence
  const auto tiled = lengths.repeat({2});
  const auto mask = [](const torch::Tensor& valid) { return torch::arange(4).lt(valid.unsqueeze(1)); };
  show("right lengths", in_order, 0);
  show("tiled lengths", tiled, 0);
  show("weights, right",
       ops::weights_of_scores(torch::zeros({4, 1, 1, 4}), mask(in_order).view({4, 1, 1, 4})).view({4, 4}));
  show("weights, tiled",
       ops::weights_of_scores(torch::zeros({4, 1, 1, 4}), mask(tiled).view({4, 1, 1, 4})).view({4, 4}));

  section("ones");
  const auto ones = torch::ones({4, 1, 4, 5}), counted = torch::arange(80.0).view({4, 1, 4, 5});
  for (const auto& values : {ones, counted}) {
    const auto right = ops::reference_attention(ones, ones, values, mask(in_order).view({4, 1, 1, 4}));
    const auto wrong = ops::reference_attention(ones, ones, values, mask(tiled).view({4, 1, 1, 4}));
    show("largest difference", (right - wrong).abs().max());
  }
}
