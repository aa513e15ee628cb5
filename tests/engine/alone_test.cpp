// A program without LibTorch translates: this test is linked without it.
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/catch.h"
#include "tests/engine/small_model.h"
#include "tests/engine/small_model_constants.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/engine/batch_decoder.h"
#include "transformer/models/tensors.h"
#include "transformer/search/beam_search.h"
#include "transformer/search/lengths.h"

namespace transformer::engine {
namespace {

using Ids = std::vector<std::int32_t>;

/// The weights of small_model.h, and their memory.
class SmallWeights {
 public:
  SmallWeights() {
    for (const auto& tensor : models::tensors_of(test::kSmallModel, test::kSmallVocabulary)) {
      auto& values = values_[tensor.name];
      for (std::int64_t i = 0; i < tensor.numbers(); ++i)
        values.push_back(test::small_weight(tensor.name, i));
      weights[tensor.name] = {tensor.shape, values.data()};
    }
  }

  Weights weights;

 private:
  std::map<std::string, std::vector<float>> values_;
};

}  // namespace

TEST_CASE("a program without LibTorch finds the hypotheses that the modules find") {
  const SmallWeights small;
  const PackedModel model(test::kSmallModel, test::kSmallVocabulary, small.weights, Precision::fp32);
  BatchDecoder decoder(model);
  const search::DecodeOptions options{.beam = 4, .length_offset = 5, .nbest = 2};
  std::vector<std::int64_t> limits;
  for (const auto& source : test::kSmallSources)
    limits.push_back(
        search::length_limit(model.options(), static_cast<std::int64_t>(source.size()) - 1, options));
  decoder.start(test::kSmallSources, options.beam);
  const auto found =
      search::beam_search(limits, options,
                          [&](const search::StepRows& rows, std::int64_t width, search::Continuations& best) {
                            decoder.step(rows, width, best);
                          },
                          {});
  REQUIRE(found.size() == test::kSmallFound.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    REQUIRE(found[i].size() == 2);
    for (std::size_t n = 0; n < 2; ++n) {
      CHECK(found[i][n].ids == test::kSmallFound[i][n].ids);
      CHECK(found[i][n].log_probability == Approx(test::kSmallFound[i][n].log_probability).margin(1e-4));
    }
  }
}

TEST_CASE("a weight that is missing or of another size is named") {
  const auto refusal = [](auto&& change) -> std::string {
    SmallWeights small;
    change(small.weights);
    try {
      PackedModel(test::kSmallModel, test::kSmallVocabulary, small.weights, Precision::int8);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  CHECK(refusal([](Weights&) {}) == "nothing");
  const SmallWeights small;
  for (const auto& [name, weight] : small.weights) {
    const auto& missing = name;
    CHECK(refusal([&](Weights& weights) { weights.erase(missing); }) ==
          "the weight '" + name + "' is missing");
    CHECK(refusal([&](Weights& weights) {
            weights[missing].sizes[0] += 1;
          }).find("the weight '" + name + "': expected the sizes [") == 0);
  }
}

}  // namespace transformer::engine
