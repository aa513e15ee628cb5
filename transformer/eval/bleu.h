// BLEU (Papineni et al., 2002) as sacreBLEU 2.6 computes it; the paper's section 6.1 reports it in Table 2.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/eval/corpus.h"
#include "transformer/eval/signature.h"
#include "transformer/eval/tokenize.h"

namespace transformer::eval {

inline constexpr int bleu_order = 4;  ///< n-grams of 1 to 4 words

struct BleuOptions {
  Tokenization tokenization = Tokenization::v13a;
  bool lowercase = false;
  /// Averages only over the orders for which the hypothesis has n-grams at all. For single sentences; a
  /// corpus score with it is not comparable to others.
  bool effective_order = false;
};

/// All that BLEU needs to know of a sentence. The counts of a corpus are the sum of its sentences' counts, so
/// resampling sentences needs no second look at the text.
struct BleuCounts {
  std::int64_t hypothesis_length = 0;  ///< words
  std::int64_t reference_length = 0;   ///< words of the closest reference, the shorter one in a tie
  std::array<std::int64_t, bleu_order> matches{};  ///< n-grams found in a reference, clipped; [n-1]
  std::array<std::int64_t, bleu_order> totals{};   ///< n-grams of the hypothesis; [n-1]

  BleuCounts& operator+=(const BleuCounts& other);
  bool operator==(const BleuCounts&) const = default;
};

struct BleuScore {
  double score = 0;                             ///< 0 to 100
  std::array<double, bleu_order> precisions{};  ///< 0 to 100, after smoothing
  double brevity_penalty = 0;
  BleuCounts counts;
};

/// The counts of one sentence against one or more references.
BleuCounts bleu_counts(std::string_view hypothesis, const Sentences& references,
                       const BleuOptions& options = {});

/// The counts of each sentence of a corpus. Throws InputError when the line counts differ or there are none.
std::vector<BleuCounts> bleu_counts(const Corpus& corpus, const BleuOptions& options = {});

/// brevity penalty · exp(mean of log precisions), with
/// brevity penalty = min(1, exp(1 - reference length / hypothesis length)).
/// "exp" smoothing: the k-th precision without a match becomes 100 / (2^k · total). The score is 0 when
/// nothing matches, and (without the effective order) when the hypothesis has no 4-gram.
BleuScore bleu_score(const BleuCounts& counts, bool effective_order = false);

/// BLEU of a corpus. Throws InputError as bleu_counts does.
BleuScore corpus_bleu(const Corpus& corpus, const BleuOptions& options = {});

/// BLEU of one sentence, with the effective order whatever `options` says.
BleuScore sentence_bleu(std::string_view hypothesis, const Sentences& references,
                        const BleuOptions& options = {});

/// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:…"
std::string bleu_signature(const BleuOptions& options, std::size_t references, const Draws& draws = {});

}  // namespace transformer::eval
