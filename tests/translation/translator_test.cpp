#include "transformer/translation/translator.h"

#include <algorithm>
#include <optional>
#include <span>

#include "tests/catch.h"
#include "tests/data/small_tokenizer.h"
#include "tests/temporary_folder.h"
#include "tests/translation/toy_model.h"
#include "transformer/base/checksums.h"
#include "transformer/search/tree.h"

namespace transformer::translation {
namespace {

namespace fs = std::filesystem;

/// A random model whose configuration searches otherwise than one that says nothing.
/// weight: of all its parameters, where it is not random.
fs::path write_model(const test::TemporaryFolder& folder, nn::Positions positions,
                     std::optional<float> weight = std::nullopt) {
  const auto tokenizer = std::make_shared<const data::Tokenizer>(test::train(folder, test::small()));
  const auto model = test::toy_model(1, tokenizer->size(), positions);
  const torch::NoGradGuard no_grad;
  if (weight)
    for (auto& parameter : model->parameters()) parameter.fill_(*weight);
  config::Experiment experiment;
  experiment.model = model->options();
  experiment.decode = {.beam = 3,
                       .candidates = search::Candidates::beam,
                       .alpha = 1.0,
                       .length_penalty = search::LengthPenalty::length,
                       .length_offset = 2,
                       .batch_tokens = 100,
                       .nbest = 3};
  const auto directory = folder.path() / "model";
  fs::create_directory(directory);
  checkpoints::write_model_files(directory, checkpoints::named_parameters(model), experiment,
                                 {tokenizer, tokenizer});
  write_checksums(directory);
  return directory;
}

}  // namespace

TEST_CASE("a model that computes NaN translates nothing") {
  for (const auto positions :
       {nn::Positions::interleaved, nn::Positions::every_layer}) {  // by the engine, by modules
    INFO("positions " << static_cast<int>(positions));
    const test::TemporaryFolder folder;
    Translator translator(write_model(folder, positions, 1e30F), {.device = "cpu"});
    CHECK_THROWS_WITH(translator.translate(test::english_lines()),
                      ContainsSubstring("model: the model computes NaN in "));
  }
}

TEST_CASE("who observes is told of each line's search, and changes nothing") {
  for (const auto positions :
       {nn::Positions::interleaved, nn::Positions::every_layer}) {  // by the engine, by modules
    INFO("positions " << static_cast<int>(positions));
    const test::TemporaryFolder folder;
    Translator translator(write_model(folder, positions), {.device = "cpu"});
    auto lines = test::english_lines();
    lines.insert(lines.begin() + 1, "");
    search::TreeRecorder recorder(lines.size());
    const auto alone = translator.translate(lines);
    const auto observed =
        translator.translate(lines, translator.decode_options(),
                             {.observer = [&](const search::ObservedStep& step) { recorder(step); }});
    CHECK(recorder.trees()[1].size() == 1);  // nothing to search for
    for (std::size_t i = 0; i < lines.size(); ++i) {
      INFO(lines[i]);
      CHECK(observed[i].texts == alone[i].texts);
      if (lines[i].empty()) continue;
      const auto& tree = recorder.trees()[i];
      const auto finished = search::finished_by_score(tree);
      REQUIRE(finished.size() >= observed[i].hypotheses.size());
      for (std::size_t n = 0; n < observed[i].hypotheses.size(); ++n) {
        CHECK(search::ids_of(tree, finished[n]) == observed[i].hypotheses[n].ids);
        CHECK(tree[finished[n]].score == observed[i].hypotheses[n].score);
      }
    }
  }
}

TEST_CASE("translations begin with the piece that begins their texts, and do not show it") {
  for (const auto positions : {nn::Positions::interleaved, nn::Positions::every_layer}) {
    INFO("positions " << static_cast<int>(positions));
    const test::TemporaryFolder folder;
    auto loaded = checkpoints::load_model(write_model(folder, positions), torch::kCPU);
    const auto plain = loaded.tokenizers.target;
    constexpr std::int32_t kFirst = 20;
    loaded.tokenizers.target =
        std::make_shared<const data::Tokenizer>(plain->with_begin(plain->piece_of(kFirst)));
    Translator translator(loaded, {.device = "cpu"});
    std::vector<std::string> lines = test::english_lines();
    lines.insert(lines.begin() + 1, "");
    const auto found = translator.translate(lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      INFO(lines[i]);
      const auto& ids = found[i].hypotheses.front().ids;
      CHECK((lines[i].empty() ? ids.empty() : ids.at(0) == kFirst));
      const auto behind = std::span(ids).subspan(lines[i].empty() ? 0 : 1);
      CHECK(found[i].texts.front() == plain->decode(behind));
    }
    // A prefix stands behind it.
    const std::vector<std::string> prefixes(lines.size(), plain->decode(std::vector<std::int32_t>{30, 31}));
    const auto prefixed =
        translator.translate(lines, translator.decode_options(), {}, {.prefixes = prefixes});
    auto expected = plain->encode(prefixes[0]);
    expected.insert(expected.begin(), kFirst);
    const auto& ids = prefixed[0].hypotheses.front().ids;
    REQUIRE(ids.size() >= expected.size());
    CHECK(std::equal(expected.begin(), expected.end(), ids.begin()));
  }
}

TEST_CASE("a translator searches as its model's configuration says, unless it is given options") {
  // The engine does not know the second: its modules translate.
  for (const auto positions : {nn::Positions::interleaved, nn::Positions::every_layer}) {
    INFO("positions " << static_cast<int>(positions));
    const test::TemporaryFolder folder;
    Translator translator(write_model(folder, positions), {.device = "cpu"});
    CHECK(translator.decode_options().length_penalty == search::LengthPenalty::length);
    const auto lines = test::english_lines();
    const auto own = translator.translate(lines);
    const auto same = translator.translate(lines, translator.decode_options());
    REQUIRE(own.size() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      INFO(lines[i]);
      CHECK(own[i].texts.size() == 3);
      CHECK(own[i].texts == same[i].texts);
    }

    auto options = translator.decode_options();
    options.nbest = 1;
    CHECK(translator.translate(lines, options)[0].texts == std::vector{own[0].texts.front()});
    const auto longer = [&](std::int64_t offset) {
      options.length_offset = offset;
      const auto found = translator.translate(lines, options);
      std::size_t tokens = 0;
      for (const auto& translation : found) tokens += translation.hypotheses.front().ids.size();
      return tokens;
    };
    CHECK(longer(20) > longer(2));
  }
}

}  // namespace transformer::translation
