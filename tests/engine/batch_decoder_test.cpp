#include "transformer/engine/batch_decoder.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/engine/models.h"
#include "tests/kernels/levels.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/translation/engine_model.h"

namespace transformer::engine {
namespace {

using Ids = std::vector<std::int32_t>;
constexpr std::int64_t kVocabulary = 90;

const std::vector<Ids> kSources{
    {10, 11, 12, 13, 14, kEos}, {40, kEos}, {kEos}, {20, 30, 20, 30, 21, 31, 22, kEos}};

/// Log-probabilities (V) of what follows `target`, which starts with kBos, by the whole model.
torch::Tensor expected_next(models::EncoderDecoder model, const Ids& source, const Ids& target) {
  const torch::NoGradGuard no_grad;
  const auto row = [](const Ids& ids) {
    return torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).unsqueeze(0);
  };
  return torch::log_softmax(model->forward(row(source), row(target))[0][-1].to(torch::kDouble), -1);
}

/// The same numbers from row `row` of all continuations; kPad and kBos, which are never taken, as expected.
torch::Tensor found_next(const search::Continuations& all, std::size_t row, const torch::Tensor& expected) {
  auto next = expected.clone();
  for (std::int64_t i = 0; i < all.width; ++i) {
    const auto place = row * static_cast<std::size_t>(all.width) + static_cast<std::size_t>(i);
    if (i < all.width - 2)
      next[all.tokens[place]] = all.log_probabilities[place];
    else
      CHECK(all.log_probabilities[place] == -std::numeric_limits<float>::infinity());
  }
  return next;
}

std::vector<std::int32_t> any(std::size_t rows) {
  return std::vector<std::int32_t>(rows, search::kAnyToken);
}

struct Run {
  std::vector<Ids> targets;  // of each row, with kBos
  search::StepRows rows;
  search::Continuations best;
};

/// Three steps with hypotheses that branch, change places and end, and one sentence that leaves.
Run run(BatchDecoder& decoder) {
  Run r;
  decoder.start(kSources, 3);
  r.rows = {{kBos, kBos, kBos, kBos}, {0, 0, 0, 0}, {0, 1, 2, 3}, any(4)};
  decoder.step(r.rows, kVocabulary, r.best);
  r.rows = {{50, 51, 52, 53, 54, 55}, {0, 0, 1, 2, 3, 3}, {0, 0, 1, 2, 3, 3}, any(6)};
  decoder.step(r.rows, kVocabulary, r.best);
  r.rows = {{60, 61, 62, 63, 64}, {1, 0, 1, 3, 5}, {0, 0, 0, 2, 3}, any(5)};
  decoder.step(r.rows, kVocabulary, r.best);
  r.targets = {{kBos, 51, 60}, {kBos, 50, 61}, {kBos, 51, 62}, {kBos, 53, 63}, {kBos, 55, 64}};
  return r;
}

double largest_error(const models::EncoderDecoder& model, const Run& r) {
  double most = 0;
  for (std::size_t row = 0; row < r.targets.size(); ++row) {
    const auto& source = kSources[static_cast<std::size_t>(r.rows.sentences[row])];
    const auto expected = expected_next(model, source, r.targets[row]);
    const auto error = (found_next(r.best, row, expected) - expected).abs().max().item<double>();
    most = std::max(most, error);
  }
  return most;
}

}  // namespace

TEST_CASE("steps give what the whole model gives, for every kind of model") {
  for (const auto& [name, options] : test::model_cases()) {
    const auto model = test::random_model(options, kVocabulary);
    for (const auto isa : kernels::test::levels()) {
      INFO(name << ", level " << static_cast<int>(isa));
      for (const auto& [precision, tolerance] :
           {std::pair{Precision::fp32, 1e-4}, {Precision::bf16, 0.6}, {Precision::int8, 0.9}}) {
        const auto packed = translation::pack(model, precision, isa);
        BatchDecoder decoder(packed);
        CHECK(largest_error(model, run(decoder)) < tolerance);
        CHECK(largest_error(model, run(decoder)) < tolerance);  // and again, in the memory of the first batch
      }
    }
  }
}

TEST_CASE("a row's result does not depend on the other rows, to the last bit") {
  const auto model = test::random_model(test::model_cases().front().options, kVocabulary);
  for (const auto precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
    const auto packed = translation::pack(model, precision);
    BatchDecoder decoder(packed);
    std::vector<Ids> sources;
    search::StepRows rows;
    for (std::int32_t i = 0; i < 250; ++i) {  // more rows than pass through the layers at once
      sources.push_back(kSources[static_cast<std::size_t>(i) % kSources.size()]);
      rows.tokens.push_back(kBos);
      rows.parents.push_back(i);
      rows.sentences.push_back(i);
      rows.only.push_back(search::kAnyToken);
    }
    search::Continuations all, one;
    decoder.start(sources, 1);
    decoder.step(rows, 5, all);
    rows.tokens.assign(250, 33);
    decoder.step(rows, 5, all);
    for (std::size_t i = 0; i < kSources.size(); ++i) {
      decoder.start(std::span(kSources).subspan(i, 1), 1);
      decoder.step({{kBos}, {0}, {0}, any(1)}, 5, one);
      decoder.step({{33}, {0}, {0}, any(1)}, 5, one);
      for (auto row = i; row < 250; row += kSources.size()) {
        const auto first = static_cast<std::ptrdiff_t>(row * 5);
        CHECK(std::equal(one.tokens.begin(), one.tokens.end(), all.tokens.begin() + first));
        CHECK(std::equal(one.log_probabilities.begin(), one.log_probabilities.end(),
                         all.log_probabilities.begin() + first));
      }
    }
  }
}

TEST_CASE("outputs may become longer than there is room for at first") {
  const auto model = test::random_model(test::model_cases().front().options, kVocabulary);
  const auto packed = translation::pack(model, Precision::fp32);
  BatchDecoder decoder(packed);
  decoder.start(std::span(kSources).first(2), 1);
  Ids target{kBos};
  search::Continuations best;
  for (std::int32_t step = 0; step < 300; ++step) {  // beyond the sinusoids that are computed beforehand, too
    const auto last = target.back();
    decoder.step({{last, last}, {0, 1}, {0, 1}, any(2)}, kVocabulary, best);
    if (step % 60 == 59) {
      for (const std::size_t row : {0, 1}) {
        const auto expected = expected_next(model, kSources[row], target);
        CHECK(torch::allclose(found_next(best, row, expected), expected, 0, 1e-4));
      }
    }
    target.push_back(10 + step % 70);
  }
}

TEST_CASE("a row that one token alone may follow has nothing else: the end, or the last of the vocabulary") {
  const auto only = GENERATE(std::int32_t{kEos}, static_cast<std::int32_t>(kVocabulary - 1));
  const auto model = test::random_model(test::model_cases().front().options, kVocabulary);
  const auto packed = translation::pack(model, Precision::fp32);
  BatchDecoder decoder(packed);
  decoder.start(std::span(kSources).first(1), 1);
  search::Continuations best;
  decoder.step({{kBos}, {0}, {0}, {only}}, 3, best);
  CHECK(best.tokens[0] == only);
  CHECK(best.log_probabilities[0] ==
        Approx(expected_next(model, kSources[0], {kBos})[only].item<double>()).margin(1e-4));
  CHECK(best.log_probabilities[1] == -std::numeric_limits<float>::infinity());
}

TEST_CASE("ids and positions that a model has not are refused") {
  auto options = test::model_cases().front().options;
  options.positions = nn::Positions::learned;
  options.max_positions = 5;
  const auto model = test::random_model(options, kVocabulary);
  const auto packed = translation::pack(model, Precision::fp32);
  BatchDecoder decoder(packed);
  CHECK_THROWS_AS(decoder.start(std::vector<Ids>{{kVocabulary, kEos}}, 1), InputError);
  CHECK_THROWS_AS(decoder.start(std::vector<Ids>{{-1, kEos}}, 1), InputError);
  REQUIRE_THROWS_WITH(decoder.start(kSources, 1), ContainsSubstring("5 learned positions cannot hold"));
}

}  // namespace transformer::engine
