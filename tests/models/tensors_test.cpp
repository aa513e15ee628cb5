#include "transformer/models/tensors.h"

#include "tests/catch.h"
#include "transformer/models/size.h"
#include "transformer/models/update_time.h"

using namespace transformer;
using namespace transformer::models;

TEST_CASE("the tensors hold all parameters, and each is of a step of the update") {
  using Change = void (*)(ModelOptions&);
  const std::pair<const char*, Change> changes[] = {
      {"base", [](ModelOptions&) {}},
      {"unequal depths", [](ModelOptions& o) { o.encoder_layers = 2, o.decoder_layers = 3; }},
      {"head sizes", [](ModelOptions& o) { o.d_k = 3, o.d_v = 5; }},
      {"attention biases", [](ModelOptions& o) { o.attention_bias = true; }},
      {"an output bias", [](ModelOptions& o) { o.output_bias = true; }},
      {"the output tied", [](ModelOptions& o) { o.tie = nn::Tie::target; }},
      {"untied", [](ModelOptions& o) { o.tie = nn::Tie::none; }},
      {"learned positions", [](ModelOptions& o) { o.positions = nn::Positions::learned; }},
  };
  for (const auto& [name, change] : changes) {
    INFO(name);
    ModelOptions options;
    change(options);
    const VocabularySizes words{1000, options.tie == nn::Tie::all ? 1000 : 700};
    const auto steps = predict_update(options, words, {}, {1, 1, 1}).backward.size();
    CHECK(steps == static_cast<std::size_t>(3 + 2 * options.encoder_layers + 3 * options.decoder_layers));
    std::int64_t numbers = 0;
    for (const auto& tensor : tensors_of(options, words)) {
      numbers += tensor.numbers();
      CHECK(tensor.step < static_cast<std::int64_t>(steps));
    }
    CHECK(numbers == count_parameters(options, words).total());
  }
}

TEST_CASE("two thirds of the arithmetic are the backward pass's") {
  const auto time = predict_update({}, {1000, 1000}, {}, {1, 1e30, 1e-30});
  double backward = 0;
  for (const auto& step : time.backward) backward += step.seconds;
  CHECK(backward == Approx(2 * time.flops / 3));
}

TEST_CASE("into buckets all gradients are added, from zeros on") {
  const VocabularySizes words{37000, 37000};
  UpdateShape shape{.micro_batches = 2};
  const auto alone = predict_update({}, words, shape, {1, 1, 1});
  shape.buckets = 8;
  const auto sent = predict_update({}, words, shape, {1, 1, 1});
  CHECK(sent.launches - alone.launches == 8 + 181);  // 1 + 6 · 12 + 6 · 18 tensors
  CHECK(sent.bytes - alone.bytes == Approx((4 + 12) * 63'045'632.0));
}

TEST_CASE("each embedding's gradient has its own side's vocabulary") {
  const ModelOptions untied{.tie = nn::Tie::none};
  const auto bytes = [&](std::int64_t source, std::int64_t target) {
    return predict_update(untied, {source, target}, {.element = 4}, {1, 1, 1}).bytes;
  };
  // 512 000 weights more: their gradient from zeros, its norm, Adam's seven passes, and their copy from fp32
  // to fp32.
  CHECK(bytes(2000, 1000) - bytes(1000, 1000) == Approx(512'000.0 * (4 + 4 + 28 + 8)));
}
