#include "transformer/nn/kv_cache.h"

#include "tests/catch.h"

using namespace transformer;

namespace {

/// (rows, 1, positions, 1): row r at position s holds 10 r + s + offset.
torch::Tensor numbered(std::int64_t rows, std::int64_t positions, double offset) {
  return (10 * torch::arange(rows).view({rows, 1, 1, 1}) +
          torch::arange(positions).view({1, 1, positions, 1})) +
         offset;
}

nn::KeyValue entry(std::int64_t rows, std::int64_t positions) {
  return {numbered(rows, positions, 0.0), numbered(rows, positions, 0.5)};
}

}  // namespace

TEST_CASE("later positions stand behind the earlier ones") {
  nn::KeyValue memory;
  memory.append(entry(2, 3));
  CHECK(torch::equal(memory.keys, entry(2, 3).keys));
  memory.append({numbered(2, 1, 3.0), numbered(2, 1, 3.5)});
  CHECK(torch::equal(memory.keys, entry(2, 4).keys));
  CHECK(torch::equal(memory.values, entry(2, 4).values));
}

TEST_CASE("rows are kept in the order asked for, repeated ones too") {
  auto memory = entry(3, 2);
  memory.select(torch::tensor({2, 0, 0, 1}));
  CHECK(torch::equal(memory.keys.select(2, 0).flatten(), torch::tensor({20.0, 0.0, 0.0, 10.0})));
  CHECK(torch::equal(memory.values.select(2, 1).flatten(), torch::tensor({21.5, 1.5, 1.5, 11.5})));
}

TEST_CASE("hypotheses and sentences are selected apart") {
  nn::DecoderCache cache;
  cache.layers = {{entry(4, 2), entry(2, 5)}, {entry(4, 2), entry(2, 5)}};
  cache.source_mask = torch::ones({2, 1, 1, 5}, torch::kBool);
  cache.source_mask[1][0][0][4] = false;
  CHECK(cache.sentences() == 2);

  cache.select_hypotheses(torch::tensor({3, 3, 2}));
  for (const auto& layer : cache.layers) {
    CHECK(torch::equal(layer.self.keys.select(2, 0).flatten(), torch::tensor({30.0, 30.0, 20.0})));
    CHECK(layer.source.keys.size(0) == 2);
  }
  CHECK(cache.sentences() == 2);

  cache.select_sentences(torch::tensor({1}));
  CHECK(cache.sentences() == 1);
  CHECK_FALSE(cache.source_mask[0][0][0][4].item<bool>());
  for (const auto& layer : cache.layers) {
    CHECK(layer.self.keys.size(0) == 3);
    CHECK(layer.source.values[0][0][0][0].item<double>() == 10.5);
  }
}
