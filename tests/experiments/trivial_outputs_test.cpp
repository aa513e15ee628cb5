#include "transformer/experiments/trivial_outputs.h"

#include "tests/catch.h"
#include "transformer/eval/metric_table.h"

using namespace transformer;
using eval::Sentences;

namespace {

const Sentences kSources{"Ein alter Mann liest .", "Zwei rote Hunde laufen .", "Die Frau malt Berge .",
                         "Das Kind schläft heute lange ."};
const Sentences kReferences{"An old man is reading .", "Two red dogs are running .",
                            "The woman paints mountains .", "The child sleeps long today ."};

std::vector<report::TrivialOutput> beside(const std::vector<Sentences>& translations) {
  return experiments::compare_with_trivial(eval::find_metric("bleu"), translations, kSources, kReferences);
}

}  // namespace

TEST_CASE("translations stand beside the source and beside texts of other sentences") {
  const auto found = beside({kReferences});
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == "the source as it is");
  for (const auto& output : found) CHECK(output.comparison.difference > 80);
  CHECK(found[1].comparison.difference == found[2].comparison.difference);  // it translates as the references
}

TEST_CASE("whoever copies, or says the same of all, is no better than that") {
  CHECK(beside({kSources})[0].comparison.difference == 0);
  const auto constant = beside({Sentences(4, "The man .")});
  CHECK(constant[2].comparison.difference == 0);
  CHECK(constant[2].comparison.p_value == 1);
}

TEST_CASE("without a run, or with one sentence, there is less to stand beside") {
  CHECK(beside({}).empty());
  CHECK(
      experiments::compare_with_trivial(eval::find_metric("bleu"), {{"Ja ."}}, {"Oui ."}, {"Ja ."}).size() ==
      1);
}
