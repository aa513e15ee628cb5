// Table 1: operations counted one by one, and paths that are known by arithmetic.
#include <ATen/ops/lstm_cell.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/rnn_tanh_cell.h>
#include <torch/utils.h>

#include "apps/bench/layers/paths.h"
#include "apps/bench/layers/report.h"
#include "tests/catch.h"

namespace transformer::bench {
namespace {

/// Multiplications of a forward pass, one after another as the definitions say.
double count_by_hand(LayerKind kind, const LayerShape& shape) {
  double count = 0;
  const auto n = shape.length, d = shape.width, k = shape.kernel, r = shape.window;
  const auto product = [&](std::int64_t rows, std::int64_t inner, std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t l = 0; l < inner; ++l) ++count;
  };
  const auto attend = [&](std::int64_t farthest) {
    for (std::int64_t head = 0; head < d / shape.head_width; ++head)
      for (std::int64_t query = 0; query < n; ++query)
        for (std::int64_t key = 0; key < n; ++key)
          if (std::abs(query - key) <= farthest) count += 2.0 * static_cast<double>(shape.head_width);
  };
  switch (kind) {
    case LayerKind::self_attention:
      attend(n);
      break;
    case LayerKind::multi_head_attention:
    case LayerKind::additive_attention:  // a sum and tanh in the place of a product, then a product with w
      for (int i = 0; i < 4; ++i) product(n, d, d);
      attend(n);
      break;
    case LayerKind::restricted_attention:
      attend(r);
      break;
    case LayerKind::recurrent:
      for (std::int64_t t = 0; t < n; ++t) product(1, 2 * d, d);  // input and state
      break;
    case LayerKind::lstm:
      for (std::int64_t t = 0; t < n; ++t) product(1, 2 * d, 4 * d);  // of four gates
      break;
    case LayerKind::convolution:
    case LayerKind::dilated_convolution:
      product(n, k * d, d);
      break;
    case LayerKind::separable_convolution:
      for (std::int64_t dimension = 0; dimension < d; ++dimension) product(n, k, 1);
      product(n, d, d);
      break;
  }
  return count;
}

std::int64_t path(LayerKind kind, std::int64_t n, std::int64_t kernel, std::int64_t window) {
  return path_length(kind, {.length = n, .width = 8, .kernel = kernel, .window = window, .head_width = 4});
}

}  // namespace

TEST_CASE("operations are those that are counted one by one") {
  for (const auto kind : layer_kinds()) {
    for (const LayerShape& shape : {LayerShape{5, 8, 3, 2, 4}, LayerShape{7, 4, 5, 6, 2},
                                    LayerShape{6, 6, 3, 9, 6}, LayerShape{1, 2, 3, 1, 1}}) {
      CAPTURE(name_of(kind), shape.length);
      CHECK(operations(kind, shape) == count_by_hand(kind, shape));
    }
  }
  // By hand: n = 10, d = 4, k = 3, r = 2. Pairs within 2: 3 + 4 + 6 · 5 + 4 + 3 = 44.
  const LayerShape shape{10, 4, 3, 2, 2};
  CHECK(operations(LayerKind::self_attention, shape) == 800);
  CHECK(operations(LayerKind::multi_head_attention, shape) == 800 + 640);
  CHECK(operations(LayerKind::additive_attention, shape) == 800 + 640);
  CHECK(operations(LayerKind::restricted_attention, shape) == 2 * 44 * 4);
  CHECK(operations(LayerKind::recurrent, shape) == 320);
  CHECK(operations(LayerKind::lstm, shape) == 1280);
  CHECK(operations(LayerKind::convolution, shape) == 480);
  CHECK(operations(LayerKind::separable_convolution, shape) == 120 + 160);
  CHECK(operations(LayerKind::lstm, {.length = 10, .width = 4, .head_width = 2, .sequences = 3}) == 3 * 1280);
  CHECK(sequential_operations(LayerKind::lstm, shape) == 11);
  CHECK(sequential_operations(LayerKind::multi_head_attention, shape) == 4);
}

TEST_CASE(
    "attention and recurrence take as many operations at n = d, and with their projections at n = 2 d") {
  for (const std::int64_t d : {64, 192, 512}) {
    CHECK(operations_crossing(rivals()[0], {.width = d}) == d);
    CHECK(operations_crossing(rivals()[1], {.width = d}) == 2 * d);
  }
}

TEST_CASE(
    "a layer has as many positions and dimensions behind it as before it, and gradients of all it has") {
  const LayerShape shape{.length = 70, .width = 8, .kernel = 3, .window = 3, .head_width = 4};
  for (const auto kind : layer_kinds()) {
    CAPTURE(name_of(kind));
    const auto layer = build_layer(kind, shape, torch::kFloat, 1);
    const auto x = at::randn({70, 8}).set_requires_grad(true);
    const auto y = layer.forward(x);
    CHECK(y.sizes() == x.sizes());
    y.sum().backward();
    CHECK(x.grad().defined());
    for (const auto& weight : layer.weights) CHECK(weight.grad().defined());
  }
}

TEST_CASE("sequences that are computed together do not see each other") {
  const LayerShape shape{.length = 70, .width = 8, .kernel = 3, .window = 3, .head_width = 4, .sequences = 3};
  for (const auto kind : layer_kinds()) {
    CAPTURE(name_of(kind));
    auto alone = shape;
    alone.sequences = 1;
    torch::manual_seed(5);
    const auto together = build_layer(kind, shape, torch::kFloat, 1);
    torch::manual_seed(5);
    const auto one = build_layer(kind, alone, torch::kFloat, 1);
    const auto x = at::randn({3, 70, 8}), y = together.forward(x);
    for (std::int64_t i = 0; i < 3; ++i) CHECK(y[i].allclose(one.forward(x[i]), 1e-4, 1e-5));
  }
}

TEST_CASE("a recurrent layer is its cell, step by step") {
  const torch::NoGradGuard no_gradients;
  const LayerShape shape{.length = 5, .width = 6, .head_width = 6};
  const auto x = at::randn({5, 6});
  const auto plain = build_layer(LayerKind::recurrent, shape, torch::kFloat);
  const auto gated = build_layer(LayerKind::lstm, shape, torch::kFloat);
  const auto of_plain = plain.forward(x), of_gated = gated.forward(x);
  auto h = torch::zeros({1, 6}), state = h, memory = h;
  for (std::int64_t t = 0; t < 5; ++t) {
    h = at::rnn_tanh_cell(x[t].unsqueeze(0), h, plain.weights[0], plain.weights[1]);
    std::tie(state, memory) =
        at::lstm_cell(x[t].unsqueeze(0), {state, memory}, gated.weights[0], gated.weights[1]);
    CHECK(of_plain[t].allclose(h[0], 1e-5, 1e-6));
    CHECK(of_gated[t].allclose(state[0], 1e-5, 1e-6));
  }
}

TEST_CASE("a change reaches what the layer lets it reach, and nothing else") {
  const LayerShape shape{.length = 90, .width = 8, .kernel = 5, .window = 7, .head_width = 4};
  std::vector<bool> changed(90, false);
  changed[40] = true;
  const auto reached = [&](LayerKind kind, std::int64_t depth = 0) {
    std::vector<std::int64_t> places;
    const auto flags = reach(build_layer(kind, shape, torch::kFloat, depth), shape, changed);
    for (std::int64_t i = 0; i < 90; ++i)
      if (flags[static_cast<std::size_t>(i)]) places.push_back(i);
    return places;
  };
  const auto from_to = [](std::int64_t first, std::int64_t last, std::int64_t step = 1) {
    std::vector<std::int64_t> places;
    for (auto i = first; i <= last; i += step) places.push_back(i);
    return places;
  };
  CHECK(reached(LayerKind::self_attention) == from_to(0, 89));
  CHECK(reached(LayerKind::multi_head_attention) == from_to(0, 89));
  CHECK(reached(LayerKind::restricted_attention) == from_to(33, 47));
  for (const auto kind : {LayerKind::recurrent, LayerKind::lstm}) {
    // Forward alone; what is left of it after dozens of steps is less than fp32 can tell.
    auto places = reached(kind);
    REQUIRE(places.size() >= 10);
    places.resize(10);
    CHECK(places == from_to(40, 49));
  }
  CHECK(reached(LayerKind::convolution) == from_to(38, 42));
  CHECK(reached(LayerKind::separable_convolution) == from_to(38, 42));
  CHECK(reached(LayerKind::dilated_convolution, 0) == from_to(40, 44));
  CHECK(reached(LayerKind::dilated_convolution, 1) == from_to(40, 60, 5));
}

TEST_CASE("paths are as long as Table 1 says") {
  for (const std::int64_t n : {2, 9, 33, 82}) {
    CAPTURE(n);
    CHECK(path(LayerKind::self_attention, n, 3, 4) == 1);
    CHECK(path(LayerKind::multi_head_attention, n, 3, 4) == 1);
    CHECK(path(LayerKind::restricted_attention, n, 3, 4) == (n - 1 + 3) / 4);  // n / r
    CHECK(path(LayerKind::restricted_attention, n, 3, 40) == (n - 1 + 39) / 40);
    CHECK(path(LayerKind::recurrent, n, 3, 4) == n);
    CHECK(path(LayerKind::lstm, n, 3, 4) == n);
    for (const std::int64_t k : {3, 7}) {
      const auto half = (k - 1) / 2;
      CHECK(path(LayerKind::convolution, n, k, 4) == (n - 1 + half - 1) / half);  // about 2 n / k
      CHECK(path(LayerKind::separable_convolution, n, k, 4) == (n - 1 + half - 1) / half);
      std::int64_t layers = 0;  // l layers reach k^l - 1 positions: log_k n
      for (std::int64_t power = 1; power < n; power *= k) ++layers;
      CHECK(path(LayerKind::dilated_convolution, n, k, 4) == layers);
    }
  }
}

TEST_CASE("conclusions are drawn from what was measured") {
  LayerResults results;
  results.plan = {.at = {.length = 64, .width = 128},
                  .lengths = {16, 64, 256, 1024},
                  .widths = {64, 128, 256},
                  .fit_lengths = 64,
                  .fit_widths = 64,
                  .path_lengths = {16},
                  .conditions = "cpu",
                  .command = "command"};
  // A machine that does 10^9 of them in a second, and needs 50 µs more for each that waits for another.
  for (const auto& shape : shapes_of(results.plan)) {
    for (const auto kind : layer_kinds()) {
      if (!is_timed(kind)) continue;
      const double seconds =
          1e-9 * operations(kind, shape) + 5e-5 * static_cast<double>(sequential_operations(kind, shape) - 1);
      results.points.push_back({kind, shape, seconds / 4, seconds * 3 / 4, 3});
    }
  }
  CHECK(shapes_of(results.plan).size() == 4 + 3 - 1);
  for (const auto kind : layer_kinds()) results.paths.push_back({kind, {.length = 16}, 7});
  const auto convolution = growth_of(results, LayerKind::convolution, Along::width);
  CHECK(convolution.seconds->exponent == Approx(2));
  CHECK(convolution.operations->exponent == Approx(2));
  CHECK(growth_of(results, LayerKind::lstm, Along::length).seconds->exponent == Approx(1).margin(0.01));
  // 2 n d 10^-9 + 5 · 10^-5 / n against 2 d² 10^-9 + 5 · 10^-5, d = 128: n = 323.
  CHECK(*seconds_crossing(results, rivals()[0]) == Approx(323).epsilon(0.01));
  const auto lines = conclusions(results);
  CHECK(lines.size() == 2 * 8 + 2);
  CHECK(lines.back().json["length_by_operations"] == 256);
  CHECK(lines[0].json["stated"] == 2);
  CHECK(lines[1].json["stated"].is_null());
  CHECK(lines[0].text.find("the paper: O(n² d)") != std::string::npos);
  const auto page = layers_markdown(results);
  CHECK(page.find("| convolution | O(k n d²) | k n d² | 1 | 1.00 | 1.00 ± 0.00 | 2 | 2.00 | 2.00 ± 0.00 |") !=
        std::string::npos);
  CHECK(page.find("as many operations as recurrent at n = 128 (d = 128)") != std::string::npos);
  CHECK(page.find("| LSTM | O(n) | 65 | O(n) | 7 |") != std::string::npos);
  // Table 1's path is that of dilated kernels, as section 4 says.
  CHECK(page.find("| convolution | O(1) | 1 | O(log_k n); section 4: O(n / k) | 7 |") != std::string::npos);
  CHECK(page.find("| dilated convolution | O(1) | 1 | O(log_k n) | 7 |") != std::string::npos);
  CHECK(layers_svg(results).find("n = 128: as recurrent") != std::string::npos);
}

}  // namespace transformer::bench
