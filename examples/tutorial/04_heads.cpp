// Page 4: section 3.2.2.
#include <torch/nn/modules/linear.h>

#include "examples/tutorial/page.h"
#include "transformer/nn/multi_head_attention.h"
#include "transformer/ops/attention.h"

using namespace transformer;

namespace {

void show_size(const char* name, const nn::MultiHeadAttentionOptions& options) {
  nn::MultiHeadAttention attention(options);
  const auto y = attention(torch::ones({2, 4, options.width_of_queries()}),
                           torch::ones({2, 4, options.width_of_memory()}), ops::AttentionMask());
  tutorial::show_shape(name, y);
  tutorial::show("  parameters", static_cast<double>(tutorial::count(*attention)), 0);
}

}  // namespace

void tutorial::heads() {
  section("split");
  const auto x = torch::arange(12.0).view({1, 2, 6});  // a sentence of two words, 6 wide
  const auto split = ops::split_heads(x, 3);
  show_shape("three heads of 2", split);
  show("first head", split[0][0], 0);
  show("second head", split[0][1], 0);
  show("third head", split[0][2], 0);
  ask("joined again it is what it was:", torch::equal(ops::join_heads(split), x));

  section("chapter");
  torch::nn::Linear query(torch::nn::LinearOptions(5, 100).bias(false));
  torch::nn::Linear key(torch::nn::LinearOptions(5, 100).bias(false));
  torch::nn::Linear value(torch::nn::LinearOptions(5, 100).bias(false));
  torch::nn::Linear output(torch::nn::LinearOptions(100, 100).bias(false));
  const auto in = torch::ones({2, 4, 5});  // two sentences of four words, 5 wide
  const auto mask = torch::arange(4).lt(torch::tensor({2, 3}).unsqueeze(1)).view({2, 1, 1, 4});
  const auto q = ops::split_heads(query(in), 10), k = ops::split_heads(key(in), 10);
  const auto v = ops::split_heads(value(in), 10);
  const auto joined = ops::join_heads(ops::scaled_dot_product_attention(q, k, v, mask));
  show_shape("a projection, split", q);
  show_shape("weights", ops::attention_weights(q, k, mask));
  show_shape("heads joined", joined);
  show_shape("output", output(joined));
  show("parameters", static_cast<double>(count(*query) + count(*key) + count(*value) + count(*output)), 0);

  section("module");
  show_size("5 wide in, 100 out",
            {.d_model = 100, .query_width = 5, .memory_width = 5, .heads = 10, .d_k = 10, .d_v = 10});
  show_size("100 wide, 5 heads", {.d_model = 100, .heads = 5, .d_k = 20, .d_v = 20});
  show_size("100 wide, 10 heads", {.d_model = 100, .heads = 10, .d_k = 10, .d_v = 10});

  section("sizes");
  show_size("1 head of 100", {.d_model = 100, .heads = 1, .d_k = 100, .d_v = 100});
  show_size("4 heads of 25", {.d_model = 100, .heads = 4, .d_k = 25, .d_v = 25});
  show_size("10 heads, d_k 4", {.d_model = 100, .heads = 10, .d_k = 4, .d_v = 10});
  show_size("10 heads of 100", {.d_model = 100, .heads = 10, .d_k = 100, .d_v = 100});
  show_size("with biases", {.d_model = 100, .heads = 10, .d_k = 10, .d_v = 10, .bias = true});
}
