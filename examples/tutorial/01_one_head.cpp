// Page 1: section 3.2.1 with numbers that fit on paper.
#include "examples/tutorial/page.h"
#include "transformer/ops/attention.h"

using namespace transformer;

void tutorial::one_head() {
  section("projections");
  const auto x = matrix({1, 0, 1, 0,   // Raj
                         0, 2, 0, 2,   // is
                         1, 1, 1, 1},  // good
                        4);
  const auto w_q = matrix({1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1}, 3);
  const auto w_k = matrix({0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0}, 3);
  const auto w_v = matrix({0, 2, 0, 0, 3, 0, 1, 0, 3, 1, 1, 0}, 3);
  const auto q = x.matmul(w_q), k = x.matmul(w_k), v = x.matmul(w_v);
  show("Q", q, 0);
  show("K", k, 0);
  show("V", v, 0);

  section("scores");
  const auto scores = q.matmul(k.t());
  show("Q Kᵀ", scores, 0);

  section("unscaled");
  const auto batch = [](const torch::Tensor& a) { return a.unsqueeze(0).unsqueeze(0); };  // (1, 1, …)
  const auto unscaled = ops::weights_of_scores(batch(scores), {})[0][0];
  show("softmax(Q Kᵀ)", unscaled, 10);
  show("times V", unscaled.matmul(v), 10);

  section("sum");
  const auto parts = unscaled[0].unsqueeze(1) * v;  // a weight for each row of V
  show("weight · value", parts, 8);
  show("their sum", parts.sum(0), 8);

  section("scaled");
  show("softmax(Q Kᵀ / √3)", ops::attention_weights(batch(q), batch(k), {})[0][0], 10);
  show("times V", ops::scaled_dot_product_attention(batch(q), batch(k), batch(v), {})[0][0], 10);

  section("saturation");
  const auto three = matrix({60, 0, -10}, 3);
  for (const double divisor : {1.0, 32.0}) {
    const auto p = torch::softmax(three / divisor, -1);
    std::printf("divided by %2.0f: %.8g  %.8g  %.8g, slope of the first %.6g\n", divisor,
                p[0][0].item<double>(), p[0][1].item<double>(), p[0][2].item<double>(),
                (p[0][0] * (p[0][1] + p[0][2])).item<double>());
  }
}
