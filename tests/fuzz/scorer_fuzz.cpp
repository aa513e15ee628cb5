// The input of transformer-evaluate. The first byte chooses options. The rest is text, whose lines are by
// turns hypothesis and reference.
#include <cmath>

#include "tests/fuzz/check.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/fuzz/target.h"
#include "transformer/base/text_file.h"
#include "transformer/eval/metric_table.h"
#include "transformer/eval/metrics.h"
#include "transformer/eval/text.h"
#include "transformer/eval/tokenize.h"

namespace transformer::fuzz {
namespace {

using namespace eval;

/// Any bytes at all, valid or not.
void check_tokens(std::string_view bytes, Tokenization tokenization) {
  for (const auto& word : tokenize(bytes, tokenization)) {
    require(!word.empty() && split_words(word).size() == 1, "a word is not empty and holds no white space");
  }
}

void check_scores(const Corpus& corpus, const ScoringOptions& options, bool equal) {
  auto metrics = metric_names();
  std::erase(metrics, "parseval");  // takes trees alone
  for (const auto& result : score_corpus(corpus, metrics, options)) {
    require(result.score >= 0 && result.score <= 100 + 1e-9, "a score is between 0 and 100");
    if (equal)
      require(result.score == 0 || std::abs(result.score - 100) < 1e-9,
              "equal texts have 100, or 0 if too short");
    require(!format_result(result).empty(), "a score can be printed");
  }
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string text =
      "The cat sat on the mat.\nA cat was sitting on the mat.\n\n\nIt costs 1,000.50 - or &quot;more&quot;!\n"
      "It costs 1 000,50\r\n\xc3\x84pfel \xe2\x80\x9eund\xe2\x80\x9c Birnen\xe2\x80\xa6 \xf0\x9f\x98\x80 "
      "\xce\xa3"
      "\xce\xa3\nE=mc\xc2\xb2 \xe2\x82\xac"
      "5 a..b x-ray 3-4 <skipped> -\n"
      "Am 3. Mai z.B. 's a-b-c, d.h. usw. ... 5,\nAm 3.Mai -\n";
  std::vector<std::string> all;
  for (char options = 0; options < 20; ++options) all.push_back(options + text);
  return all;
}

std::vector<std::string> words() {
  return {"&quot;",
          "&amp;",
          "&lt;",
          "&gt;",
          "&amp;lt;",
          "<skipped>",
          "-\n",
          "\n",
          "\r\n",
          ".",
          ",",
          "-",
          " ",
          "\xc2\xa0",
          "\xe3\x80\x80",
          "\x1c",
          "\x85",
          "\xc4\xb0",
          "\xce\xa3",
          "\xe2\x80\xa8",
          "\xef\xbb\xbf",
          "\xef\xbf\xbd",
          "\xf0\x9f\x98\x80",
          "\xed\xa0\x80",
          "5",
          "e\xcc\x81"};
}

}  // namespace transformer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace transformer;
  if (size == 0) return 0;
  const auto tokenizations = all_values<eval::Tokenization>().size();
  const auto chosen = static_cast<eval::Tokenization>(data[0] % tokenizations);
  const auto others = data[0] / tokenizations;
  const eval::ScoringOptions options{.metric = {.tokenization = chosen, .lowercase = others % 2 == 1}};
  const auto text = fuzz::text_of(data + 1, size - 1);
  fuzz::check_tokens(text, options.metric.tokenization);
  eval::lowercase(text);

  static const fuzz::ScratchFile file;
  const auto lines =
      fuzz::accepted([&] { return read_lines(file.write(text), nullptr, ByteOrderMark::keep); });
  if (!lines || lines->size() < 2) return 0;
  eval::Corpus corpus{.hypotheses = {}, .references = {{}}};
  for (std::size_t i = 0; i + 1 < lines->size(); i += 2) {
    corpus.hypotheses.push_back((*lines)[i]);
    corpus.references[0].push_back((*lines)[i + 1]);
  }
  fuzz::check_scores(corpus, options, false);
  if (others / 2 % 2 == 1) corpus.references.push_back(corpus.hypotheses);
  fuzz::check_scores(corpus, options, false);
  fuzz::check_scores({corpus.hypotheses, {corpus.hypotheses}}, options, true);
  return 0;
}
