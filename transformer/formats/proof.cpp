#include "transformer/formats/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "transformer/formats/continuation.h"
#include "transformer/formats/encoder_proof.h"
#include "transformer/translation/model_search.h"
#include "transformer/translation/scoring.h"

namespace transformer::formats {
namespace {

using search::DecodeOptions;
using search::Hypothesis;
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

/// source: (B, S), target: (B, T) → (B, T, V)
torch::Tensor logits_of(models::AnyModel& model, const torch::Tensor& source, const torch::Tensor& target) {
  if (is_language_model(model)) return continuation_logits(models::language_model(*model), source, target);
  if (model->as_text_encoder() != nullptr) return encoder_logits(*model, source);
  auto& decoder = models::sequence_to_sequence(*model);
  return decoder.logits(decoder.states(source, target));
}

std::vector<Hypothesis> best_of(const models::AnyModel& model, const torch::Tensor& source,
                                const DecodeOptions& options) {
  if (is_language_model(model))
    return {continue_greedily(models::language_model(*model.ptr()), source, options.length_offset)};
  std::vector<Hypothesis> best;
  auto found = translation::beam_search(model, source, options);
  for (auto& hypotheses : found[0]) best.push_back(std::move(hypotheses.front()));
  return best;
}

std::vector<Ids> ids_of(const std::vector<Hypothesis>& hypotheses) {
  std::vector<Ids> all;
  for (const auto& hypothesis : hypotheses) all.push_back(hypothesis.ids);
  return all;
}

/// exp(-104) is zero in fp32: a logit so far below the best one might be any below.
constexpr double kImpossible = 104.0;

struct Producible {
  torch::Tensor logits;    ///< (…, V - 2), in double, of all tokens that can be produced
  torch::Tensor possible;  ///< which of them count; the others are as low as counts
};

Producible producible(const torch::Tensor& logits) {
  static_assert(kPad + 1 == kBos && kBos + 1 == kEos);
  const auto wide = torch::cat({logits.slice(-1, 0, kPad), logits.slice(-1, kEos)}, -1).to(torch::kDouble);
  const auto lowest = wide.amax(-1, /*keepdim=*/true) - kImpossible;
  return {torch::maximum(wide, lowest), wide > lowest};
}

double largest(const torch::Tensor& numbers) {
  const auto value = numbers.abs().max().item<double>();
  // What is not a number is as large as can be.
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

/// Sentences that are searched together, and what greedy search finds.
struct Batch {
  torch::Tensor source;  ///< (B, S)
  std::vector<Hypothesis> greedy;
};

class Prover {
 public:
  Prover(models::AnyModel& native, const Candidate& candidate, const DecodeOptions& options,
         const Tolerance& tolerance)
      : native_(native),
        candidate_(candidate),
        options_(options),
        tolerance_(tolerance),
        language_(is_language_model(native)) {
    options_.nbest = 1;
    greedy_ = options_;
    greedy_.beam = 1;
  }

  /// First, since the size of the logits tells how far others may differ.
  void compare_logits(const Sample& sample, Proof& proof) {
    const auto& sentences = sample.sentences;
    const std::size_t at_once = language_ ? 1 : kSentencesAtOnce;
    for (std::size_t begin = 0; begin < sentences.size(); begin += at_once) {
      const auto end = std::min(begin + at_once, sentences.size());
      std::vector<Ids> part(sentences.begin() + static_cast<std::ptrdiff_t>(begin),
                            sentences.begin() + static_cast<std::ptrdiff_t>(end));
      if (language_) part.front().resize(std::min(part.front().size(), longest_beginning()));
      const auto rows = language_ ? rows_of(part, sample.begin, -1) : rows_of(part, -1, kEos);
      const auto source = rows.to(native_->device());
      batches_.push_back({source, best_of(native_, source, greedy(source))});
      compare_logits(batches_.back(), proof);
    }
    const double scale = std::max(proof.largest_logit, tolerance_.smallest) / kUsualLogit;
    tolerance_.close *= scale;
    tolerance_.most *= scale;
    proof.tolerance = tolerance_;
  }

  void compare_searches(Proof& proof) {
    for (const auto& [source, found] : batches_) {
      compare_search(source, found, greedy(source), proof.searches[0]);
      if (proof.searches.size() > 1)
        compare_search(source, best_of(native_, source, options_), options_, proof.searches[1]);
    }
  }

 private:
  static constexpr double kUsualLogit = 10.0;

  /// Tokens of a text before a continuation, for which learned positions must have room.
  std::size_t longest_beginning() const {
    const auto longest = models::longest_sequence(native_->options()).value_or(2 * kContinued);
    return static_cast<std::size_t>(std::min(kContinued, longest / 2));
  }

  DecodeOptions greedy(const torch::Tensor& source) const {
    auto options = greedy_;
    const auto longest = models::longest_sequence(native_->options());
    if (language_)
      options.length_offset = longest ? std::min(kContinued, *longest - source.size(1)) : kContinued;
    return options;
  }

  /// Sentence by sentence, as a vocabulary is wide.
  void compare_logits(const Batch& batch, Proof& proof) {
    const auto target = rows_of(ids_of(batch.greedy), kBos, -1).to(native_->device());
    const auto expected = logits_of(native_, batch.source, target);
    const auto found = candidate_.logits(batch.source, target);
    if (!expected.isfinite().all().item<bool>()) {
      proof.diverged = true;
      return;
    }
    if (found.sizes() != expected.sizes()) proof.logit_difference = std::numeric_limits<double>::infinity();
    for (std::int64_t row = 0; row < target.size(0) && found.sizes() == expected.sizes(); ++row) {
      const auto length = target[row].ne(kPad).sum().item<std::int64_t>();
      const auto [native, possible] = producible(expected[row].slice(0, 0, length));
      const auto other = producible(found[row].slice(0, 0, length).to(native.device())).logits;
      proof.largest_logit = std::max(proof.largest_logit, largest(native.masked_select(possible)));
      proof.logit_difference = std::max(proof.logit_difference, largest(native - other));
    }
  }

  void compare_search(const torch::Tensor& source, const std::vector<Hypothesis>& expected,
                      const DecodeOptions& options, SearchProof& proof) {
    const auto found = candidate_.search(source, options);
    for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
      const auto row = source[static_cast<std::int64_t>(i)].unsqueeze(0);
      if (found[i].ids == expected[i].ids) {
        if (same_score(found[i].score, expected[i], options)) ++proof.equal;
      } else if (is_tie(row, expected[i], found[i], options)) {
        ++proof.ties;
      }
    }
  }

  bool is_tie(const torch::Tensor& source, const Hypothesis& expected, const Hypothesis& found,
              const DecodeOptions& options) {
    if (options.beam == 1) return is_close_choice(source, expected.ids, found.ids);
    return same_score(native_score(source, found.ids, options), expected, options);
  }

  /// Each token's log-probability may differ by twice as much as a logit.
  bool same_score(double score, const Hypothesis& expected, const DecodeOptions& options) const {
    const auto tokens = static_cast<std::int64_t>(expected.ids.size()) + 1;
    const double allowed =
        2 * tolerance_.close * static_cast<double>(tokens) / search::length_penalty(options, tokens);
    return std::abs(score - expected.score) <= allowed;
  }

  /// Whether two outputs part at a choice between logits that are all but equal. source: (1, S)
  bool is_close_choice(const torch::Tensor& source, const Ids& a, const Ids& b) {
    const auto place = std::ranges::mismatch(a, b).in1 - a.begin();
    const auto token = [&](const Ids& ids) {
      return place < std::ssize(ids) ? ids[static_cast<std::size_t>(place)] : kEos;
    };
    const auto target = rows_of({Ids(a.begin(), a.begin() + place)}, kBos, -1).to(native_->device());
    const auto logits = logits_of(native_, source, target)[0][place].to(torch::kDouble);
    return std::abs((logits[token(a)] - logits[token(b)]).item<double>()) <= 2 * tolerance_.close;
  }

  /// What the native model thinks of an output. source: (1, S)
  double native_score(const torch::Tensor& source, const Ids& ids, const DecodeOptions& options) {
    const auto target = rows_of({ids}, kBos, -1).to(native_->device());
    const auto labels = rows_of({ids}, -1, kEos).to(native_->device());
    const auto logits = torch::log_softmax(logits_of(native_, source, target), -1, torch::kDouble);
    const auto sum = logits.gather(-1, labels.unsqueeze(-1)).sum().item<double>();
    return sum / search::length_penalty(options, labels.size(1));
  }

  models::AnyModel& native_;
  const Candidate& candidate_;
  DecodeOptions options_, greedy_;
  Tolerance tolerance_;
  bool language_;
  std::vector<Batch> batches_;
};

void compare_texts(const Candidate& candidate, const Sample& sample, Proof& proof) {
  if (!candidate.encode) return;
  for (std::size_t i = 0; i < sample.texts.size(); ++i) {
    const auto& expected = sample.sentences[i];
    if (sample.texts[i].empty()) continue;
    ++proof.texts;
    if (candidate.encode(sample.texts[i]) == expected) {
      ++proof.encoded_equal;
    } else if (std::ranges::find(expected, kUnknown) != expected.end()) {
      ++proof.with_unknown;
    }
  }
}

/// "98 + 2 ties"
std::string print_found(std::size_t equal, std::size_t others, const char* what) {
  return others == 0 ? fmt::format("{}", equal) : fmt::format("{} + {} {}", equal, others, what);
}

}  // namespace

Candidate candidate_of(models::AnyModel model) {
  return {
      .logits = [model](const torch::Tensor& source,
                        const torch::Tensor& target) mutable { return logits_of(model, source, target); },
      .search = [model](const torch::Tensor& source,
                        const DecodeOptions& options) mutable { return best_of(model, source, options); }};
}

Candidate candidate_of(models::AnyModel model, std::shared_ptr<const data::Tokenizer> source) {
  auto candidate = candidate_of(std::move(model));
  candidate.encode = [source = std::move(source)](const std::string& text) { return source->encode(text); };
  return candidate;
}

bool Proof::outputs_equal() const {
  return std::ranges::all_of(searches, [&](const auto& search) { return search.equal == sentences; });
}

double Proof::allowed_difference() const {
  return outputs_equal() ? tolerance.most : tolerance.close;
}

bool Proof::holds() const {
  return !diverged && logit_difference <= allowed_difference() && encoded_equal + with_unknown == texts &&
         std::ranges::all_of(
             searches, [&](const SearchProof& search) { return search.equal + search.ties >= enough(); });
}

std::string Proof::table() const {
  std::string text = fmt::format("{:<28} {:>12} {:>12}\n", "compared with the model", "expected", "found");
  const auto row = [&](const std::string& name, const std::string& expected, const std::string& found) {
    text += fmt::format("{:<28} {:>12} {:>12}\n", name, expected, found);
  };
  row("largest logit difference", fmt::format("<= {:.1e}", allowed_difference()),
      fmt::format("{:.1e}", logit_difference));
  for (const auto& [name, equal, ties] : searches)
    row(name, fmt::format("{} of {}", enough(), sentences), print_found(equal, ties, "ties"));
  if (texts > 0)
    row("texts as tokens", fmt::format("{} of {}", texts, texts),
        print_found(encoded_equal, with_unknown, "unknown"));
  return text + fmt::format("on {} sentences: {}\n", sentences, origin);
}

Proof prove(models::AnyModel native, const Candidate& candidate, const Sample& sample,
            const DecodeOptions& options, const Tolerance& tolerance) {
  const translation::SearchMode mode(native);
  Proof proof;
  proof.origin = sample.origin;
  proof.sentences = sample.sentences.size();
  if (native->as_text_encoder() != nullptr) {
    compare_encoders(*native, candidate, sample, tolerance, proof);
    if (!proof.diverged) compare_texts(candidate, sample, proof);
    return proof;
  }
  const bool language = is_language_model(native);
  proof.searches.push_back({.name = language ? "greedy continuation" : "greedy search"});
  if (options.beam > 1 && !language)
    proof.searches.push_back({.name = fmt::format("beam {}, alpha {}", options.beam, options.alpha)});
  Prover prover(native, candidate, options, tolerance);
  prover.compare_logits(sample, proof);
  if (proof.diverged) return proof;
  prover.compare_searches(proof);
  compare_texts(candidate, sample, proof);
  return proof;
}

}  // namespace transformer::formats
