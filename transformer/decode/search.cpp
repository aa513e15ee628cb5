#include "transformer/decode/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/decode/scoring.h"

namespace transformer::decode {
namespace {

using inference::Continuations;
using inference::StepRows;

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

struct Open {
  std::vector<std::int32_t> ids;
  float log_probability = 0.0F;
  std::int32_t row = 0;  // of the step that found its last token
};

/// One sentence's beam.
struct Beam {
  std::size_t sentence = 0;
  std::int64_t limit = 0;
  std::vector<Open> open;            // most probable first
  std::vector<Hypothesis> finished;  // best first, at most nbest
};

struct Candidate {
  float log_probability = 0.0F;
  std::int32_t token = 0;
  std::size_t from = 0;  // of the open hypotheses
};

/// The best continuations of a beam whose rows begin at `row`, most probable first; of equal ones, first
/// those of the better hypothesis.
void find_candidates(const Beam& beam, std::int64_t row, const Continuations& best, std::int64_t most,
                     std::vector<Candidate>& candidates) {
  candidates.clear();
  for (std::size_t i = 0; i < beam.open.size(); ++i) {
    const auto first = static_cast<std::size_t>((row + static_cast<std::int64_t>(i)) * best.width);
    for (auto place = first; place < first + static_cast<std::size_t>(best.width); ++place) {
      float log_probability = best.log_probabilities[place];
      if (log_probability == kImpossible) break;
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

void finish(Beam& beam, const Open& from, float log_probability, const DecodeOptions& options) {
  const auto length = static_cast<std::int64_t>(from.ids.size());
  const double score = log_probability / length_penalty(options, length + 1);
  auto& list = beam.finished;
  const auto place =
      std::upper_bound(list.begin(), list.end(), score,
                       [](double value, const Hypothesis& other) { return value > other.score; });
  list.insert(place, {from.ids, score, log_probability, length < beam.limit});
  if (static_cast<std::int64_t>(list.size()) > options.nbest) list.pop_back();
}

/// Takes the candidates, those of a beam whose rows begin at `row`.
void advance(Beam& beam, std::int64_t row, const std::vector<Candidate>& candidates,
             const DecodeOptions& options) {
  std::vector<Open> next;
  next.reserve(candidates.size());
  for (const auto& [log_probability, token, from] : candidates) {
    const auto& open = beam.open[from];
    if (token == kEnd) {
      finish(beam, open, log_probability, options);
    } else {
      next.push_back({{}, log_probability, static_cast<std::int32_t>(row + static_cast<std::int64_t>(from))});
      next.back().ids.reserve(open.ids.size() + 1);
      next.back().ids = open.ids;
      next.back().ids.push_back(token);
    }
  }
  beam.open = std::move(next);
}

bool closed(const Beam& beam, const DecodeOptions& options) {
  if (beam.open.empty()) return true;
  if (static_cast<std::int64_t>(beam.finished.size()) < options.nbest) return false;
  const auto& best = beam.open.front();  // all have one length, so the most probable is the most promising
  const auto length = static_cast<std::int64_t>(best.ids.size());
  return best_possible_score(options, best.log_probability, length, beam.limit) <= beam.finished.back().score;
}

/// What the model is to read next.
void fill_rows(const std::vector<Beam>& beams, std::int64_t length, StepRows& rows) {
  rows.tokens.clear();
  rows.parents.clear();
  rows.sentences.clear();
  rows.must_end.clear();
  for (const auto& beam : beams) {
    for (const auto& open : beam.open) {
      rows.tokens.push_back(open.ids.empty() ? kBegin : open.ids.back());
      rows.parents.push_back(open.row);
      rows.sentences.push_back(static_cast<std::int32_t>(beam.sentence));
      rows.must_end.push_back(length == beam.limit ? 1 : 0);
    }
  }
}

}  // namespace

std::vector<std::vector<Hypothesis>> search(const std::vector<std::int64_t>& limits,
                                            const DecodeOptions& options, const Step& step,
                                            const BeforeStep& before_step) {
  if (options.nbest < 1 || options.nbest > options.beam) {
    throw InputError(
        fmt::format("decode.nbest: expected 1 to decode.beam ({}), found {}", options.beam, options.nbest));
  }
  std::vector<std::vector<Hypothesis>> results(limits.size());
  std::vector<Beam> beams;
  for (std::size_t i = 0; i < limits.size(); ++i)
    beams.push_back({i, limits[i], {{{}, 0.0F, static_cast<std::int32_t>(i)}}, {}});
  StepRows rows;
  Continuations best;
  std::vector<Candidate> candidates;
  for (std::int64_t length = 0; !beams.empty(); ++length) {
    if (before_step) before_step();
    fill_rows(beams, length, rows);
    step(rows, options.beam, best);
    std::int64_t row = 0;
    for (auto& beam : beams) {
      const auto width = static_cast<std::int64_t>(beam.open.size());
      find_candidates(beam, row, best, options.beam, candidates);
      advance(beam, row, candidates, options);
      row += width;
    }
    const auto done = std::stable_partition(beams.begin(), beams.end(),
                                            [&](const Beam& beam) { return !closed(beam, options); });
    for (auto beam = done; beam != beams.end(); ++beam) results[beam->sentence] = std::move(beam->finished);
    beams.erase(done, beams.end());
  }
  return results;
}

}  // namespace transformer::decode
