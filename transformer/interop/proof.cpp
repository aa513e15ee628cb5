#include "transformer/interop/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "transformer/base/special_tokens.h"
#include "transformer/decode/beam_search.h"
#include "transformer/decode/scoring.h"

namespace transformer::interop {
namespace {

using decode::DecodeOptions;
using decode::Hypothesis;
using Ids = std::vector<std::int32_t>;

constexpr std::size_t kSentencesAtOnce = 32;

/// (B, longest), rows of first + ids + last, padded behind; a negative first or last is left out.
torch::Tensor rows_of(const std::vector<Ids>& sentences, std::int32_t first, std::int32_t last) {
  std::size_t longest = 0;
  for (const auto& ids : sentences) longest = std::max(longest, ids.size());
  const auto width = static_cast<std::int64_t>(longest + 1);
  auto rows = torch::full({static_cast<std::int64_t>(sentences.size()), width}, kPad, torch::kLong);
  auto* row = rows.data_ptr<std::int64_t>();
  for (const auto& ids : sentences) {
    auto* place = row;
    if (first >= 0) *place++ = first;
    place = std::copy(ids.begin(), ids.end(), place);
    if (last >= 0) *place = last;
    row += width;
  }
  return rows;
}

std::vector<Ids> ids_of(const std::vector<Hypothesis>& hypotheses) {
  std::vector<Ids> all;
  for (const auto& hypothesis : hypotheses) all.push_back(hypothesis.ids);
  return all;
}

/// The largest difference at real target positions. a, b: (B, T, V), target: (B, T)
double largest_difference(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& target) {
  if (a.sizes() != b.sizes()) return std::numeric_limits<double>::infinity();
  const auto difference = (a.to(torch::kDouble) - b.to(a.device(), torch::kDouble)).abs();
  const auto real = target.ne(kPad).unsqueeze(-1);
  const auto largest =
      torch::where(real, difference, torch::zeros({}, difference.options())).max().item<double>();
  // What is not a number is as different as can be.
  return std::isnan(largest) ? std::numeric_limits<double>::infinity() : largest;
}

class Prover {
 public:
  Prover(models::EncoderDecoder& native, const Candidate& candidate, const DecodeOptions& options)
      : native_(native), candidate_(candidate), options_(options) {
    options_.nbest = 1;
    greedy_ = options_;
    greedy_.beam = 1;
  }

  void compare(const std::vector<Ids>& sentences, Proof& proof) {
    const auto source = rows_of(sentences, -1, kEnd).to(native_->device());
    const auto greedy = compare_search(source, greedy_, proof.tolerance, proof.searches[0]);
    if (proof.searches.size() > 1) compare_search(source, options_, proof.tolerance, proof.searches[1]);
    const auto target = rows_of(ids_of(greedy), kBegin, -1).to(native_->device());
    const auto difference =
        largest_difference(native_->forward(source, target), candidate_.logits(source, target), target);
    proof.logit_difference = std::max(proof.logit_difference, difference);
  }

 private:
  std::vector<Hypothesis> compare_search(const torch::Tensor& source, const DecodeOptions& options,
                                         double tolerance, SearchProof& proof) {
    std::vector<Hypothesis> expected;
    for (auto& found : decode::beam_search(native_, source, options))
      expected.push_back(std::move(found.front()));
    const auto found = candidate_.search(source, options);
    for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
      const auto row = source[static_cast<std::int64_t>(i)].unsqueeze(0);
      const auto& ids = expected[i].ids;
      if (found[i].ids == ids) {
        if (same_score(found[i].score, expected[i], options, tolerance)) ++proof.equal;
      } else if (options.beam == 1 ? is_close_choice(row, ids, found[i].ids, tolerance)
                                   : same_score(native_score(row, found[i].ids, options), expected[i],
                                                options, tolerance)) {
        ++proof.ties;
      }
    }
    return expected;
  }

  /// Each token's log-probability may differ by twice as much as a logit.
  static bool same_score(double score, const Hypothesis& expected, const DecodeOptions& options,
                         double tolerance) {
    const auto tokens = static_cast<std::int64_t>(expected.ids.size()) + 1;
    const double allowed =
        2 * tolerance * static_cast<double>(tokens) / decode::length_penalty(options, tokens);
    return std::abs(score - expected.score) <= allowed;
  }

  /// Whether two outputs part at a choice between logits that are all but equal. source: (1, S)
  bool is_close_choice(const torch::Tensor& source, const Ids& a, const Ids& b, double tolerance) {
    const auto place = std::ranges::mismatch(a, b).in1 - a.begin();
    const auto token = [&](const Ids& ids) {
      return place < std::ssize(ids) ? ids[static_cast<std::size_t>(place)] : kEnd;
    };
    const auto target = rows_of({Ids(a.begin(), a.begin() + place)}, kBegin, -1).to(native_->device());
    const auto logits = native_->forward(source, target)[0][place].to(torch::kDouble);
    return std::abs((logits[token(a)] - logits[token(b)]).item<double>()) <= 2 * tolerance;
  }

  /// What the native model thinks of an output. source: (1, S)
  double native_score(const torch::Tensor& source, const Ids& ids, const DecodeOptions& options) {
    const auto target = rows_of({ids}, kBegin, -1).to(native_->device());
    const auto labels = rows_of({ids}, -1, kEnd).to(native_->device());
    const auto logits = torch::log_softmax(native_->forward(source, target), -1, torch::kDouble);
    const double sum = logits.gather(-1, labels.unsqueeze(-1)).sum().item<double>();
    return sum / decode::length_penalty(options, labels.size(1));
  }

  models::EncoderDecoder& native_;
  const Candidate& candidate_;
  DecodeOptions options_, greedy_;
};

}  // namespace

Candidate candidate_of(models::EncoderDecoder model) {
  return {.logits = [model](const torch::Tensor& source,
                            const torch::Tensor& target) mutable { return model->forward(source, target); },
          .search =
              [model](const torch::Tensor& source, const DecodeOptions& options) mutable {
                std::vector<Hypothesis> best;
                for (auto& found : decode::beam_search(model, source, options))
                  best.push_back(std::move(found.front()));
                return best;
              }};
}

bool Proof::holds() const {
  return logit_difference <= tolerance && std::ranges::all_of(searches, [&](const SearchProof& search) {
           return search.equal + search.ties >= enough();
         });
}

std::string Proof::table() const {
  std::string text = fmt::format("{:<28} {:>12} {:>12}\n", "compared with the model", "expected", "found");
  text += fmt::format("{:<28} {:>12} {:>12}\n", "largest logit difference",
                      fmt::format("<= {:.0e}", tolerance), fmt::format("{:.1e}", logit_difference));
  for (const auto& [name, equal, ties] : searches) {
    text += fmt::format("{:<28} {:>12} {:>12}\n", name, fmt::format("{} of {}", enough(), sentences),
                        ties == 0 ? fmt::format("{}", equal) : fmt::format("{} + {} ties", equal, ties));
  }
  return text + fmt::format("on {} sentences: {}\n", sentences, origin);
}

Proof prove(models::EncoderDecoder& native, const Candidate& candidate, const Sample& sample,
            const DecodeOptions& options, double tolerance) {
  const decode::SearchMode mode(native);
  Proof proof;
  proof.origin = sample.origin;
  proof.sentences = sample.sentences.size();
  proof.tolerance = tolerance;
  proof.searches.push_back({.name = "greedy search"});
  if (options.beam > 1)
    proof.searches.push_back({.name = fmt::format("beam {}, alpha {}", options.beam, options.alpha)});
  Prover prover(native, candidate, options);
  for (std::size_t begin = 0; begin < sample.sentences.size(); begin += kSentencesAtOnce) {
    const auto end = std::min(begin + kSentencesAtOnce, sample.sentences.size());
    prover.compare({sample.sentences.begin() + static_cast<std::ptrdiff_t>(begin),
                    sample.sentences.begin() + static_cast<std::ptrdiff_t>(end)},
                   proof);
  }
  return proof;
}

}  // namespace transformer::interop
