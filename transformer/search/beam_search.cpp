#include "transformer/search/beam_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/search/lengths.h"

namespace transformer::search {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

struct Open {
  std::vector<std::int32_t> ids;
  float log_probability = 0.0F;
  std::int32_t row = 0;  // of the step that found its last token
};

/// A sentence's finished hypotheses under one alpha.
struct Ranking {
  std::vector<Hypothesis> best;  // best first, at most nbest
  bool closed = false;           // no open hypothesis can win any more: this is the result
};

/// One sentence's beam.
struct Beam {
  std::size_t sentence = 0;
  std::int64_t limit = 0;
  std::span<const std::int32_t> prefix;
  std::vector<Open> open;  // most probable first
  std::vector<Ranking> rankings;

  bool closed() const { return std::ranges::all_of(rankings, &Ranking::closed); }
};

struct Candidate {
  float log_probability = 0.0F;
  std::int32_t token = 0;
  std::size_t from = 0;  // of the open hypotheses
};

/// So many continuations a step takes. A beam of one is greedy search, in tensor2tensor too.
std::int64_t count_candidates(const DecodeOptions& options) {
  switch (options.candidates) {
    case Candidates::twice:
      return options.beam > 1 ? 2 * options.beam : options.beam;
    case Candidates::beam:
      return options.beam;
  }
  no_such_choice();
}

/// How far a hypothesis is a tree, where outputs are trees.
std::optional<OpenTree> tree_of(const Open& open, const Beam& beam, const TreeOutputs& trees) {
  if (!trees || !beam.prefix.empty() || std::ssize(open.ids) == beam.limit) return std::nullopt;
  return OpenTree(trees.parts, trees.words[beam.sentence], open.ids);
}

/// The best continuations of a beam whose rows begin at `row`, most probable first; of equal ones, first
/// those of the better hypothesis.
void find_candidates(const Beam& beam, std::int64_t row, const Continuations& best, std::int64_t most,
                     const TreeOutputs& trees, std::vector<Candidate>& candidates) {
  candidates.clear();
  for (std::size_t i = 0; i < beam.open.size(); ++i) {
    const auto tree = tree_of(beam.open[i], beam, trees);
    const auto first = static_cast<std::size_t>((row + static_cast<std::int64_t>(i)) * best.width);
    for (auto place = first; place < first + static_cast<std::size_t>(best.width); ++place) {
      float log_probability = best.log_probabilities[place];
      if (log_probability == kImpossible) break;
      if (tree && !tree->allows(best.tokens[place])) continue;
      // What a broken model computes must not break the order.
      if (log_probability != log_probability) log_probability = std::numeric_limits<float>::lowest();
      candidates.push_back({beam.open[i].log_probability + log_probability, best.tokens[place], i});
    }
  }
  const auto kept = std::min(candidates.size(), static_cast<std::size_t>(most));
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                    candidates.end(), [](const Candidate& a, const Candidate& b) {
                      if (a.log_probability != b.log_probability)
                        return a.log_probability > b.log_probability;
                      return a.from != b.from ? a.from < b.from : a.token < b.token;
                    });
  candidates.resize(kept);
}

/// Sets a finished hypothesis aside; options: of the ranking. Its score is not known yet.
void finish(Ranking& ranking, const DecodeOptions& options, std::int64_t length, Hypothesis hypothesis) {
  const double score = hypothesis.log_probability / length_penalty(options, length);
  hypothesis.score = score;
  auto& list = ranking.best;
  const auto place =
      std::upper_bound(list.begin(), list.end(), score,
                       [](double value, const Hypothesis& other) { return value > other.score; });
  list.insert(place, std::move(hypothesis));
  if (static_cast<std::int64_t>(list.size()) > options.nbest) list.pop_back();
}

/// Takes the candidates, those of a beam whose rows begin at `row`; options: of each ranking. cut: as of
/// Bounds. fates: where what becomes of each is to be told, or null.
void advance(Beam& beam, std::int64_t row, const std::vector<Candidate>& candidates,
             const std::vector<DecodeOptions>& options, bool cut, std::vector<Fate>* fates) {
  std::vector<Open> next;
  next.reserve(static_cast<std::size_t>(options.front().beam));
  for (const auto& [log_probability, token, from] : candidates) {
    const auto& open = beam.open[from];
    const auto length = std::ssize(open.ids) + 1;
    auto fate = Fate::crowded_out;
    if (token == kEos || (cut && length == beam.limit)) {
      fate = Fate::finished;
      Hypothesis hypothesis{open.ids, 0, log_probability, token == kEos && length <= beam.limit};
      if (token != kEos) hypothesis.ids.push_back(token);
      for (std::size_t i = 0; i < options.size(); ++i)
        if (!beam.rankings[i].closed) finish(beam.rankings[i], options[i], length, hypothesis);
    } else if (static_cast<std::int64_t>(next.size()) < options.front().beam) {
      next.push_back({{}, log_probability, static_cast<std::int32_t>(row + static_cast<std::int64_t>(from))});
      next.back().ids.reserve(open.ids.size() + 1);
      next.back().ids = open.ids;
      next.back().ids.push_back(token);
      fate = Fate::open;
    }
    if (fates != nullptr) fates->push_back(fate);
  }
  beam.open = std::move(next);
}

/// All that a step looks at, in the order in which it takes some of it.
ObservedStep look_at(const Beam& beam, std::int64_t row, std::int64_t length, const Continuations& best,
                     const TreeOutputs& trees) {
  std::vector<Candidate> all;
  find_candidates(beam, row, best, std::numeric_limits<std::int64_t>::max(), trees, all);
  ObservedStep step{.sentence = beam.sentence, .length = length, .considered = {}};
  for (const auto& [total, token, from] : all) {
    const auto first = (static_cast<std::size_t>(row) + from) * static_cast<std::size_t>(best.width);
    const auto begin = best.tokens.begin() + static_cast<std::ptrdiff_t>(first);
    const auto place = std::find(begin, begin + best.width, token) - best.tokens.begin();
    step.considered.push_back({.from = from,
                               .token = token,
                               .log_probability = best.log_probabilities[static_cast<std::size_t>(place)],
                               .total = total});
  }
  return step;
}

/// Adds what became of it: fates of the first ones, and whether the beam is closed now.
void decide(ObservedStep& step, const std::vector<Fate>& fates, bool closed, const DecodeOptions& options) {
  const double penalty = length_penalty(options, step.length + 1);
  for (std::size_t i = 0; i < fates.size(); ++i) {
    auto& seen = step.considered[i];
    seen.fate = fates[i];
    switch (fates[i]) {
      case Fate::open:
        if (closed) seen.fate = Fate::given_up;
        break;
      case Fate::finished:
        seen.penalty = penalty;
        seen.score = seen.total / penalty;
        break;
      case Fate::crowded_out:
      case Fate::passed_over:
      case Fate::given_up:
        break;
    }
  }
}

bool can_close(const Beam& beam, const Ranking& ranking, const DecodeOptions& options) {
  if (beam.open.empty()) return true;
  if (static_cast<std::int64_t>(ranking.best.size()) < options.nbest) return false;
  const auto& best = beam.open.front();  // all have one length, so the most probable is the most promising
  const auto length = static_cast<std::int64_t>(best.ids.size());
  return best_possible_score(options, best.log_probability, length, beam.limit) <= ranking.best.back().score;
}

void close_rankings(Beam& beam, const std::vector<DecodeOptions>& options) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    auto& ranking = beam.rankings[i];
    ranking.closed = ranking.closed || can_close(beam, ranking, options[i]);
  }
}

/// `options` with each of `alphas`.
std::vector<DecodeOptions> with_alphas(const DecodeOptions& options, std::span<const double> alphas) {
  std::vector<DecodeOptions> all(alphas.size(), options);
  for (std::size_t i = 0; i < alphas.size(); ++i) all[i].alpha = alphas[i];
  return all;
}

/// The one token that may follow a beam's hypotheses, or any.
std::int32_t only_token(const Beam& beam, std::int64_t length) {
  if (length < std::ssize(beam.prefix)) return beam.prefix[static_cast<std::size_t>(length)];
  return length == beam.limit ? kEos : kAnyToken;
}

/// What the model is to read next.
void fill_rows(const std::vector<Beam>& beams, std::int64_t length, StepRows& rows) {
  rows.tokens.clear();
  rows.parents.clear();
  rows.sentences.clear();
  rows.only.clear();
  for (const auto& beam : beams) {
    for (const auto& open : beam.open) {
      rows.tokens.push_back(open.ids.empty() ? kBos : open.ids.back());
      rows.parents.push_back(open.row);
      rows.sentences.push_back(static_cast<std::int32_t>(beam.sentence));
      rows.only.push_back(only_token(beam, length));
    }
  }
}

}  // namespace

Found beam_search(const std::vector<std::int64_t>& limits, const DecodeOptions& options, const Step& step,
                  const BeforeStep& before_step, const Observer& observer, const Bounds& bounds) {
  return std::move(
      beam_search_alphas(limits, options, {&options.alpha, 1}, step, before_step, observer, bounds).front());
}

std::vector<Found> beam_search_alphas(const std::vector<std::int64_t>& limits, const DecodeOptions& options,
                                      std::span<const double> alphas, const Step& step,
                                      const BeforeStep& before_step, const Observer& observer,
                                      const Bounds& bounds) {
  if (options.nbest < 1 || options.nbest > options.beam) {
    throw InputError(
        fmt::format("decode.nbest: expected 1 to decode.beam ({}), found {}", options.beam, options.nbest));
  }
  const auto penalties = with_alphas(options, alphas);
  std::vector<Found> results(alphas.size(), Found(limits.size()));
  if (alphas.empty()) return results;
  const auto taken = count_candidates(options);
  // Of the best ones none may be allowed.
  const auto looked_at = bounds.trees ? std::ssize(bounds.trees.parts) : taken;
  std::vector<Beam> beams;
  for (std::size_t i = 0; i < limits.size(); ++i)
    beams.push_back({i,
                     limits[i],
                     bounds.prefix(i),
                     {{{}, 0.0F, static_cast<std::int32_t>(i)}},
                     std::vector<Ranking>(alphas.size())});
  StepRows rows;
  Continuations best;
  std::vector<Candidate> candidates;
  for (std::int64_t length = 0; !beams.empty(); ++length) {
    if (before_step) before_step();
    fill_rows(beams, length, rows);
    step(rows, looked_at, best);
    std::int64_t row = 0;
    for (auto& beam : beams) {
      const auto width = static_cast<std::int64_t>(beam.open.size());
      find_candidates(beam, row, best, taken, bounds.trees, candidates);
      if (observer) {
        auto seen = look_at(beam, row, length, best, bounds.trees);
        std::vector<Fate> fates;
        advance(beam, row, candidates, penalties, bounds.cut, &fates);
        close_rankings(beam, penalties);
        decide(seen, fates, beam.closed(), penalties.front());
        observer(seen);
      } else {
        advance(beam, row, candidates, penalties, bounds.cut, nullptr);
        close_rankings(beam, penalties);
      }
      row += width;
    }
    const auto done =
        std::stable_partition(beams.begin(), beams.end(), [](const Beam& beam) { return !beam.closed(); });
    for (auto beam = done; beam != beams.end(); ++beam)
      for (std::size_t i = 0; i < results.size(); ++i)
        results[i][beam->sentence] = std::move(beam->rankings[i].best);
    beams.erase(done, beams.end());
  }
  return results;
}

}  // namespace transformer::search
