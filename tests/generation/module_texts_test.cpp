#include "transformer/generation/module_texts.h"

#include "tests/catch.h"
#include "tests/generation/small_decoder.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"

using namespace transformer;
using Reading = search::TextModel::Reading;

namespace {

constexpr std::int64_t kVocabulary = 20;

}  // namespace

TEST_CASE("texts that join and leave one by one are read as if each were alone") {
  const torch::NoGradGuard none;
  auto model = test::small_model("decoder", kVocabulary);
  generation::ModuleTexts texts(model);
  std::map<std::int64_t, std::vector<std::int32_t>> known;
  const auto read = [&](const std::vector<std::pair<std::int64_t, std::vector<std::int32_t>>>& more) {
    std::vector<Reading> readings;
    for (const auto& [text, tokens] : more) {
      readings.push_back({text, tokens});
      known[text].insert(known[text].end(), tokens.begin(), tokens.end());
    }
    const auto found = texts.read(readings);
    for (std::size_t i = 0; i < more.size(); ++i) {
      INFO("text " << more[i].first);
      const auto row = torch::from_blob(const_cast<float*>(found.data()) + i * kVocabulary, {kVocabulary});
      CHECK(test::difference(row, test::logits_after(model, known[more[i].first])) < 1e-5);
    }
  };
  read({{3, {kBos, 5, 6}}, {1, {kBos}}, {8, {kBos, 7, 9}}});
  read({{1, {4}}, {3, {8}}, {8, {9}}});
  const auto fork = [&](std::int64_t from, std::int64_t to) {
    texts.fork(from, to);
    known[to] = known[from];
  };
  fork(8, 20);
  fork(3, 21);
  fork(20, 22);
  texts.forget(8);
  read({{1, {7}}, {3, {4}}, {20, {9}}, {21, {5}}, {22, {6}}});
  fork(22, 8);
  texts.forget(22);
  texts.forget(21);
  texts.forget(20);
  texts.forget(3);
  read({{8, {6}}, {1, {10}}, {4, {kBos, 12}}});
  texts.forget(1);
  read({{4, {5}}, {8, {5}}});
  texts.forget(8);
  read({{4, {6}}, {9, {kBos, 11, 12, 13}}});
}

TEST_CASE("a model that does not continue texts is refused") {
  CHECK_THROWS_WITH(
      generation::ModuleTexts(test::small_model("recurrent", kVocabulary)),
      ContainsSubstring("model.kind: expected a model that continues a text, found 'recurrent'"));
}
