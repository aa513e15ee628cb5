#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "tests/catch.h"
#include "transformer/base/text_file.h"
#include "transformer/eval/bleu.h"
#include "transformer/eval/chrf.h"

// Whole outputs of real systems on WMT17 English-German, against what sacreBLEU 2.6 printed of them.

using namespace transformer::eval;

namespace {

const std::filesystem::path folder = SCORER_DATA;

using Row = std::map<std::string, std::string>;

/// sacreBLEU takes a byte order mark for text; one system's output has one.
Sentences read_output(const std::string& name) {
  return transformer::read_lines(folder / name, nullptr, transformer::ByteOrderMark::keep);
}

/// The table's rows, by column; none when the data are not there.
std::vector<Row> read_table() {
  if (!std::filesystem::exists(folder / "SCORES.tsv")) return {};
  const auto fields = [](const std::string& line) {
    std::vector<std::string> result;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');) result.push_back(field);
    return result;
  };
  const auto lines = transformer::read_lines(folder / "SCORES.tsv");
  const auto names = fields(lines.at(0));
  std::vector<Row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto values = fields(lines[i]);
    Row row;
    for (std::size_t f = 0; f < values.size(); ++f) row[names.at(f)] = values[f];
    rows.push_back(row);
  }
  return rows;
}

/// Calls use(row, corpus) for each system. One file is read for each, which is named after it.
template <typename Use>
void for_each_system(Use use) {
  const auto rows = read_table();
  if (rows.empty()) {
    WARN("skipped: no SCORES.tsv in " << folder);
    return;
  }
  const auto reference = read_output("ref.newstest2017.de");
  for (const auto& row : rows) {
    INFO(row.at("system"));
    use(row, Corpus{read_output(row.at("system") + ".txt"), {reference}});
  }
}

/// Compares, for every system, `score` with `column` to the last printed decimal.
template <typename Score>
void check_column(const std::string& column, Score score) {
  for_each_system([&](const Row& row, const Corpus& corpus) {
    CHECK(fmt::format("{:.6f}", score(corpus)) == row.at(column));
  });
}

void check_bleu(const std::string& column, const MetricOptions& options) {
  check_column(column, [&](const Corpus& corpus) { return corpus_bleu(corpus, options).score; });
}

}  // namespace

TEST_CASE("WMT17: BLEU under 13a") {
  check_bleu("BLEU_13a", {});
}

TEST_CASE("WMT17: BLEU under 13a in lower case") {
  check_bleu("BLEU_13a_lc", {.lowercase = true});
}

TEST_CASE("WMT17: BLEU under intl") {
  check_bleu("BLEU_intl", {.tokenization = Tokenization::international});
}

TEST_CASE("WMT17: BLEU without tokenization") {
  check_bleu("BLEU_none", {.tokenization = Tokenization::none});
}

TEST_CASE("WMT17: BLEU of characters") {
  check_bleu("BLEU_char", {.tokenization = Tokenization::character});
}

TEST_CASE("WMT17: chrF2") {
  check_column("chrF2", [](const Corpus& corpus) { return corpus_score(chrf_metric({}), corpus); });
}

TEST_CASE("WMT17: chrF2++") {
  check_column("chrF2++",
               [](const Corpus& corpus) { return corpus_score(chrf_plus_plus_metric({}), corpus); });
}

// Figures that SCORES.tsv lacks. The words come from Moses' tokenizer.perl -l de (version 1.1; sacremoses 0.2
// agrees). Compounds were split by perl with the published rule. The scores are sacreBLEU 2.6's of these
// words without tokenization. With and without smoothing they equal those of multi-bleu.perl.
TEST_CASE("WMT17: BLEU in the paper's way") {
  struct Truth {
    const char* score;
    const char* lowercase;
    std::int64_t words;
  };
  const std::map<std::string, Truth> truths{
      {"FBK.4870.en-de", {"26.521400", "27.092371", 61866}},
      {"LIUM-NMT.4900.en-de", {"26.828410", "27.413048", 63440}},
      {"PROMT-Rule-based.4735.en-de", {"16.668454", "17.028876", 66827}},
      {"SYSTRAN.4847.en-de", {"26.932418", "28.194591", 62302}},
      {"online-A.0.en-de", {"20.603773", "22.221986", 65444}},
      {"uedin-nmt.4722.en-de", {"28.458900", "29.094683", 64495}},
  };
  for_each_system([&](const Row& row, const Corpus& corpus) {
    const auto& truth = truths.at(row.at("system"));
    const auto cased = corpus_bleu(corpus, {.tokenization = Tokenization::paper});
    const auto lowercase = corpus_bleu(corpus, {.tokenization = Tokenization::paper, .lowercase = true});
    CHECK(fmt::format("{:.6f}", cased.score) == truth.score);
    CHECK(fmt::format("{:.6f}", lowercase.score) == truth.lowercase);
    CHECK(cased.counts.hypothesis_length == truth.words);
    CHECK(cased.counts.reference_length == 62141);
  });
}
