#include "transformer/translation/text_translation.h"

#include "tests/catch.h"
#include "tests/data/train_tokenizer.h"
#include "tests/temporary_folder.h"
#include "tests/translation/toy_model.h"
#include "transformer/base/error.h"
#include "transformer/data/tokenizer_training.h"
#include "transformer/runtime/device.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/model_search.h"

using namespace transformer;

namespace {

const std::vector<std::string> kText{
    "the old house stands near the river",  "a small dog sleeps under the table",
    "she reads the long letter again",      "we saw seven ships in the harbour",
    "nobody knows where the key was found", "the children play in the garden"};

data::Tokenizer small_tokenizer(const std::filesystem::path& folder, std::int64_t size) {
  data::DataOptions options;
  options.vocabulary = size;
  const std::vector<std::span<const std::string>> texts{kText};
  test::train_tokenizer(texts, options, folder / "tokenizer.model");
  return data::Tokenizer(folder / "tokenizer.model");
}

}  // namespace

TEST_CASE("translations come in the order of the lines, whatever the batches") {
  const test::TemporaryFolder folder;
  const auto tokenizer = small_tokenizer(folder.path(), 60);
  auto model = test::toy_model(1, 60);
  std::vector<std::string> lines = kText;
  lines.insert(lines.begin() + 2, {"", "dog", "   "});
  lines.push_back("");
  const std::int64_t beam = GENERATE(1, 3);
  search::DecodeOptions options{.beam = beam, .length_offset = 5, .nbest = beam};

  options.batch_tokens = 1;
  const auto one_by_one = translation::translate(model, tokenizer, tokenizer, lines, options)[0];
  options.batch_tokens = GENERATE(40, 4096);
  std::vector<std::size_t> steps;
  const auto found =
      translation::translate(model, tokenizer, tokenizer, lines, options, {},
                             {.progress = [&](std::size_t done) { steps.push_back(done); }})[0];
  REQUIRE(found.size() == lines.size());
  CHECK(steps.back() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i].texts == one_by_one[i].texts);
    CHECK_FALSE(found[i].truncated_source);
    REQUIRE(found[i].texts.size() == found[i].hypotheses.size());
    if (tokenizer.encode(lines[i]).empty()) {
      CHECK(found[i].texts == std::vector<std::string>{""});
      CHECK(found[i].hypotheses[0].score == 0.0);
      continue;
    }
    CHECK(found[i].texts.size() == static_cast<std::size_t>(beam));
    auto ids = tokenizer.encode(lines[i]);
    ids.push_back(kEos);
    const auto source = torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).unsqueeze(0);
    const auto expected = translation::beam_search(model, source, options)[0][0];
    CHECK(found[i].hypotheses[0].ids == expected[0].ids);
    CHECK(found[i].texts[0] == tokenizer.decode(expected[0].ids));
  }
}

TEST_CASE("translations do not depend on workers or batches, to the last bit") {
  const test::TemporaryFolder folder;
  const auto tokenizer = small_tokenizer(folder.path(), 60);
  const auto model = test::toy_model(1, 60);
  std::vector<std::string> lines;
  for (int i = 0; i < 30; ++i) {
    lines.push_back(kText[static_cast<std::size_t>(i) % kText.size()]);
    if (i % 7 == 0) lines.emplace_back();
  }
  const auto precision = GENERATE(engine::Precision::fp32, engine::Precision::bf16, engine::Precision::int8);
  const auto packed = translation::pack(model, precision);
  search::DecodeOptions options{.beam = 3, .length_offset = 5, .nbest = 2};
  const auto expected = translation::translate(packed, tokenizer, tokenizer, lines, options, 1)[0];
  options.batch_tokens = GENERATE(1, 60, 4096);
  for (const std::size_t workers : {1, 2, 5, 100}) {
    std::vector<std::size_t> steps;
    translation::TranslateTimes times;
    const auto found = translation::translate(
        packed, tokenizer, tokenizer, lines, options, workers, {},
        {.progress = [&](std::size_t done) { steps.push_back(done); }, .times = &times})[0];
    CHECK(std::is_sorted(steps.begin(), steps.end()));
    CHECK(steps.back() == lines.size());
    CHECK(times.model.encode > 0);
    CHECK(times.model.decoder > 0);
    CHECK(times.model.output > 0);
    CHECK(times.search > 0);
    CHECK(times.tokenizer > 0);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].texts == expected[i].texts);
      for (std::size_t n = 0; n < found[i].hypotheses.size(); ++n)
        CHECK(found[i].hypotheses[n].score == expected[i].hypotheses[n].score);
    }
  }
}

TEST_CASE("translations under several alphas are those under each") {
  const test::TemporaryFolder folder;
  const auto tokenizer = small_tokenizer(folder.path(), 60);
  auto model = test::toy_model(1, 60);
  std::vector<std::string> lines = kText;
  lines.insert(lines.begin() + 2, "");
  search::DecodeOptions options{.beam = 3, .length_offset = 5};
  const std::vector<double> alphas{1.5, 0.0};
  const auto found = translation::translate(model, tokenizer, tokenizer, lines, options, alphas);
  REQUIRE(found.size() == 2);
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    options.alpha = alphas[i];
    const auto expected = translation::translate(model, tokenizer, tokenizer, lines, options)[0];
    REQUIRE(found[i].size() == lines.size());
    for (std::size_t line = 0; line < lines.size(); ++line) {
      CHECK(found[i][line].texts == expected[line].texts);
      CHECK(found[i][line].hypotheses[0].score == expected[line].hypotheses[0].score);
    }
  }
}

TEST_CASE("inside a PrecisionScope to bf16 the engine computes in bf16") {
  const test::TemporaryFolder folder;
  const auto tokenizer = small_tokenizer(folder.path(), 60);
  auto model = test::toy_model(1, 60);
  const search::DecodeOptions options{.beam = 1, .length_offset = 5};
  const auto score = [&] {
    return translation::translate(model, tokenizer, tokenizer, kText, options)[0][0].hypotheses[0].score;
  };
  const double exact = score();
  const runtime::PrecisionScope scope(torch::kBFloat16);
  CHECK(score() != exact);
  CHECK(score() == Approx(exact).epsilon(0.05));
}

TEST_CASE("one stop ends all workers, and is called no more") {
  const test::TemporaryFolder folder;
  const auto tokenizer = small_tokenizer(folder.path(), 60);
  const auto packed = translation::pack(test::toy_model(1, 60), engine::Precision::fp32);
  std::vector<std::string> lines;
  for (int i = 0; i < 50; ++i) lines.insert(lines.end(), kText.begin(), kText.end());
  int steps = 0;
  const auto stop = [&] {
    if (++steps == 20) throw Interrupted();
  };
  search::DecodeOptions options{.beam = 2};
  options.batch_tokens = 50;
  REQUIRE_THROWS_AS(
      translation::translate(packed, tokenizer, tokenizer, lines, options, 4, {}, {.before_step = stop}),
      Interrupted);
  CHECK(steps == 20);
}

TEST_CASE("a line that is too long is cut and marked") {
  const test::TemporaryFolder folder;
  const auto tokenizer = small_tokenizer(folder.path(), 60);
  std::string repeated;
  for (int i = 0; i < 400; ++i) repeated += "the river ";
  const std::vector<std::string> lines{"a small dog", repeated};
  const search::DecodeOptions options{.beam = 2, .length_offset = -1020};

  SECTION("at kLongestSource tokens") {
    auto model = test::toy_model(1, 60);
    const auto found = translation::translate(model, tokenizer, tokenizer, lines, options)[0];
    CHECK_FALSE(found[0].truncated_source);
    CHECK(found[1].truncated_source);
    CHECK(found[1].hypotheses[0].ids.size() <= 4);
  }
  SECTION("at what learned positions hold") {
    auto model = test::toy_model(1, 60, nn::Positions::learned, 20);
    const auto found = translation::translate(model, tokenizer, tokenizer, lines, {.beam = 2})[0];
    CHECK_FALSE(found[0].truncated_source);
    CHECK(found[1].truncated_source);
  }
}

TEST_CASE("a tokenizer of another model is refused") {
  const test::TemporaryFolder folder;
  const auto tokenizer = small_tokenizer(folder.path(), 60);
  auto model = test::toy_model(1, 61);
  REQUIRE_THROWS_WITH(translation::translate(model, tokenizer, tokenizer, kText, {}),
                      ContainsSubstring("expected the 61 pieces of the model's vocabulary, found 60"));
}

TEST_CASE("a translation never breaks its line") {
  const test::TemporaryFolder folder;
  data::DataOptions options;
  options.vocabulary = 320;
  options.byte_fallback = true;
  const std::vector<std::span<const std::string>> texts{kText};
  test::train_tokenizer(texts, options, folder.path() / "tokenizer.model");
  const data::Tokenizer tokenizer(folder.path() / "tokenizer.model");
  constexpr int first_byte = kEos + 1;
  const auto byte = GENERATE('\n', '\r', '\0');
  REQUIRE(tokenizer.decode(std::vector<std::int32_t>{first_byte + byte}) == std::string(1, byte));

  // A model that says nothing else: its last normalisation gives ones, whatever comes in.
  auto model = test::toy_model(1, 320);
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : model->named_parameters()) {
    if (parameter.key().find("norm") == std::string::npos) continue;
    parameter.value().fill_(parameter.key().ends_with("bias") ? 1.0 : 0.0);
  }
  model->output->weight.zero_();
  model->output->weight[first_byte + byte].fill_(9.0);
  const auto found =
      translation::translate(model, tokenizer, tokenizer, kText, {.beam = 1, .length_offset = 0})[0];
  for (const auto& translation : found) {
    REQUIRE(translation.hypotheses[0].ids.size() > 1);
    CHECK(translation.texts[0].find_first_not_of(' ') == std::string::npos);
  }
}

TEST_CASE("a translation can be stopped before any step") {
  const test::TemporaryFolder folder;
  const auto tokenizer = small_tokenizer(folder.path(), 60);
  auto model = test::toy_model(1, 60);
  const int beam = GENERATE(1, 3);
  int steps = 0;
  const auto stop = [&] {
    if (++steps == 3) throw Interrupted();
  };
  REQUIRE_THROWS_AS(translation::translate(model, tokenizer, tokenizer, kText, {.beam = beam, .nbest = 1}, {},
                                           {.before_step = stop}),
                    Interrupted);
  CHECK(steps == 3);
}

TEST_CASE("no lines, no translations") {
  const test::TemporaryFolder folder;
  const auto tokenizer = small_tokenizer(folder.path(), 60);
  auto model = test::toy_model(1, 60);
  CHECK(translation::translate(model, tokenizer, tokenizer, {}, {})[0].empty());
}
