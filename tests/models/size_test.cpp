#include "transformer/models/size.h"

#include "tests/catch.h"

using namespace transformer;
using namespace transformer::models;

TEST_CASE("parameters of the base model, counted by hand") {
  const auto count = count_parameters({}, {41100, 41100});
  CHECK(count.of(ModelPart::embeddings) == 21'043'200);             // 41100 · 512
  CHECK(count.of(ModelPart::encoder_self_attention) == 6'291'456);  // 6 · 4 · 512 · 512
  CHECK(count.of(ModelPart::encoder_feed_forward) == 12'598'272);   // 6 · (2 · 512 · 2048 + 2048 + 512)
  CHECK(count.of(ModelPart::encoder_norms) == 12'288);              // 6 · 2 · 1024
  CHECK(count.of(ModelPart::decoder_self_attention) == 6'291'456);
  CHECK(count.of(ModelPart::decoder_cross_attention) == 6'291'456);
  CHECK(count.of(ModelPart::decoder_feed_forward) == 12'598'272);
  CHECK(count.of(ModelPart::decoder_norms) == 18'432);  // 6 · 3 · 1024
  CHECK(count.of(ModelPart::output_projection) == 0);
  CHECK(count.of(ModelPart::positions) == 0);
  CHECK(count.total() == 65'144'832);
}

TEST_CASE("options add exactly their parameters") {
  const ModelOptions base;
  const auto plain = count_parameters(base, {1000, 1000}).total();
  auto changed = base;
  changed.attention_bias = true;
  CHECK(count_parameters(changed, {1000, 1000}).total() - plain == 18 * 4 * 512);
  changed = base;
  changed.output_bias = true;
  CHECK(count_parameters(changed, {1000, 1000}).total() - plain == 1000);
  changed = base;
  changed.norm = nn::NormPlacement::pre;
  CHECK(count_parameters(changed, {1000, 1000}).total() - plain == 2 * 2 * 512);
  changed = base;
  changed.positions = nn::Positions::learned;
  CHECK(count_parameters(changed, {1000, 1000}).total() - plain == 2 * 346 * 512);
  changed = base;
  changed.tie = nn::Tie::target;
  CHECK(count_parameters(changed, {1000, 700}).total() - plain == 700 * 512);
  changed.tie = nn::Tie::none;
  CHECK(count_parameters(changed, {1000, 700}).total() - plain == 2 * 700 * 512);
  changed = base;
  changed.d_k = 3;
  changed.d_v = 5;
  changed.attention_bias = true;
  // 18 attentions: queries and keys of 24, values of 40, and the output
  CHECK(count_parameters(changed, {1000, 1000}).of(ModelPart::encoder_self_attention) ==
        6 * (2 * (512 * 24 + 24) + (512 * 40 + 40) + (40 * 512 + 512)));
}

TEST_CASE("operations of a tiny model, product by product") {
  const ModelOptions o{
      .encoder_layers = 2, .decoder_layers = 3, .d_model = 4, .d_ff = 7, .heads = 2, .d_k = 3, .d_v = 5};
  const std::int64_t s = 6, t = 9, vocabulary = 11;
  TokenCounts counts;
  counts.add_pair(s, t);
  const auto product = [](std::int64_t rows, std::int64_t inner, std::int64_t columns) {
    return 2.0 * static_cast<double>(rows * inner * columns);
  };
  const auto queries_and_output = [&](std::int64_t n) { return product(n, 4, 2 * 3) + product(n, 2 * 5, 4); };
  const auto keys_and_values = [&](std::int64_t n) { return product(n, 4, 2 * 3) + product(n, 4, 2 * 5); };
  const auto attention = [&](std::int64_t n, std::int64_t m) {
    return 2 * (product(n, 3, m) + product(n, m, 5));  // two heads
  };
  const auto feed_forward = [&](std::int64_t n) { return product(n, 4, 7) + product(n, 7, 4); };
  const auto flops = forward_flops(o, {vocabulary, vocabulary}, counts);
  CHECK(flops.source ==
        Approx(2 * (queries_and_output(s) + keys_and_values(s) + attention(s, s) + feed_forward(s)) +
               3 * keys_and_values(s)));
  CHECK(flops.target == Approx(3 * (queries_and_output(t) + keys_and_values(t) + attention(t, t) +
                                    queries_and_output(t) + attention(t, s) + feed_forward(t))));
  CHECK(flops.output == Approx(product(t, 4, vocabulary)));
  CHECK(training_flops(o, {vocabulary, vocabulary}, counts) == Approx(3 * flops.total()));
  CHECK(decoding_flops(o, {vocabulary, vocabulary}, counts, 4) ==
        Approx(flops.source + 4 * (flops.target + flops.output)));
}

TEST_CASE("operations of several pairs add up") {
  TokenCounts a, b, both;
  a.add_pair(3, 5);
  b.add_pair(7, 2);
  both.add_pair(3, 5);
  both.add_pair(7, 2);
  const VocabularySizes vocabulary{100, 100};
  CHECK(training_flops({}, vocabulary, both) ==
        Approx(training_flops({}, vocabulary, a) + training_flops({}, vocabulary, b)));
  const auto even = even_pairs(12, 4);
  TokenCounts three;
  for (int i = 0; i < 3; ++i) three.add_pair(4, 4);
  CHECK(training_flops({}, vocabulary, even) == Approx(training_flops({}, vocabulary, three)));
}

TEST_CASE("a training step costs about six operations a parameter and token") {
  // For short sentences, where products of positions weigh little; each side's tokens meet their own stack.
  const ModelOptions o;
  const auto count = count_parameters(o, {37000, 37000});
  const double flops = training_flops(o, {37000, 37000}, even_pairs(1, 1));
  CHECK(flops == Approx(6.0 * static_cast<double>(count.total())).epsilon(0.01));
}

// The paper's Table 2 has 3.3e18, which is 12 hours of eight devices at 9.5e12 operations a second.
TEST_CASE("100 000 updates of base are 9.5e17 operations") {
  const double update = training_flops({}, {37000, 37000}, even_pairs(25000, 25));
  CHECK(100'000 * update == Approx(9.5e17).epsilon(0.01));
  CHECK(12 * 3600 * 8 * 9.5e12 / (100'000 * update) == Approx(3.45).epsilon(0.01));
}

TEST_CASE("memory follows its formula") {
  const auto memory = training_memory({}, {41100, 41100}, 4096, 30, 4);
  const double parameters = 65'144'832;
  CHECK(memory.weights + memory.gradients + memory.moments == Approx(16 * parameters));
  // attention 2·512 + 2·512 + 8·30 + 3·512 = 3824, feed-forward 2·2048 + 3·512 = 5632, embeddings 4·512
  CHECK(memory.activations == Approx(4.0 * 4096 * (6 * (3824 + 5632) + 6 * (2 * 3824 + 5632) + 2048)));
  CHECK(memory.output == Approx(4.0 * 4096 * 3 * 41100));
  CHECK(training_memory({}, {41100, 41100}, 4096, 30, 2).activations == Approx(memory.activations / 2));
}
