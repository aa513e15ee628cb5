#include "transformer/decode/beam_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/decode/scoring.h"

namespace transformer::decode {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

struct Open {
  std::vector<std::int32_t> ids;
  float log_probability = 0.0F;
  std::int64_t row = 0;  // of the decoder's cache
};

/// One sentence's beam.
struct Beam {
  std::size_t sentence = 0;
  std::int64_t limit = 0;
  std::vector<Open> open;            // most probable first
  std::vector<Hypothesis> finished;  // best first, at most nbest
};

/// The best continuations of each beam as numbers on the CPU: (n, C) each, most probable first.
struct Candidates {
  torch::Tensor packed;  // (3, n, C): log-probability, open hypothesis, token; exact in fp64

  /// Finds them among all. next: (n · width, V), so_far: (n · width).
  Candidates(const torch::Tensor& next, const torch::Tensor& so_far, std::int64_t n, std::int64_t beam) {
    // Each hypothesis' own best first: no other of its continuations can be among the best of the sentence.
    const auto own = std::min(beam, next.size(1));
    const auto [own_values, own_tokens] = next.topk(own, 1);
    const auto totals = (own_values + so_far.unsqueeze(1)).view({n, -1});  // (n, width · own)
    const auto [values, places] = totals.topk(std::min(beam, totals.size(1)), 1);
    const auto hypotheses = places.div(own, "floor");
    const auto tokens = own_tokens.view({n, -1}).gather(1, places);
    packed =
        torch::stack({values.to(torch::kDouble), hypotheses.to(torch::kDouble), tokens.to(torch::kDouble)});
    packed = packed.cpu();
  }
};

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

/// Takes the continuations of the beam in place `i` of the batch.
void advance(Beam& beam, const torch::TensorAccessor<double, 3>& candidates, std::int64_t i,
             const DecodeOptions& options) {
  std::vector<Open> next;
  for (std::int64_t c = 0; c < candidates.size(2); ++c) {
    const auto log_probability = static_cast<float>(candidates[0][i][c]);
    if (log_probability == kImpossible) break;
    const auto& from = beam.open[static_cast<std::size_t>(candidates[1][i][c])];
    const auto token = static_cast<std::int32_t>(candidates[2][i][c]);
    if (token == kEnd) {
      finish(beam, from, log_probability, options);
    } else {
      next.push_back({from.ids, log_probability, from.row});
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

/// What the decoder is to read next: `width` rows a beam.
struct Rows {
  std::int64_t width = 0;
  std::vector<std::int64_t> tokens;
  std::vector<float> log_probabilities;
  std::vector<std::int64_t> from;  // rows of the decoder's cache
  std::vector<bool> must_end;      // empty if none must

  explicit Rows(const std::vector<Beam>& beams, std::int64_t length) {
    std::size_t most = 0;
    for (const auto& beam : beams) most = std::max(most, beam.open.size());
    width = static_cast<std::int64_t>(most);
    for (const auto& beam : beams) {
      for (std::size_t slot = 0; slot < most; ++slot) {
        // A beam with fewer open hypotheses repeats one that can no longer be continued.
        const bool used = slot < beam.open.size();
        const auto& open = beam.open[used ? slot : 0];
        tokens.push_back(open.ids.empty() ? kBegin : open.ids.back());
        log_probabilities.push_back(used ? open.log_probability : kImpossible);
        from.push_back(open.row);
        must_end.push_back(length == beam.limit);
      }
    }
    if (std::find(must_end.begin(), must_end.end(), true) == must_end.end()) must_end.clear();
  }
};

/// Brings the cache to the given rows. before: how many it has.
void select_hypotheses(nn::DecoderCache& cache, const std::vector<std::int64_t>& rows, std::size_t before,
                       const torch::Device& device) {
  std::vector<std::int64_t> unchanged(before);
  std::iota(unchanged.begin(), unchanged.end(), 0);
  if (rows != unchanged) cache.select_hypotheses(torch::tensor(rows, device));
}

/// Removes the beams that are closed, from the cache as well, and hands over what they found.
void remove_closed(std::vector<Beam>& beams, nn::DecoderCache& cache, const DecodeOptions& options,
                   std::vector<std::vector<Hypothesis>>& results, const torch::Device& device) {
  std::vector<Beam> rest;
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < beams.size(); ++i) {
    if (closed(beams[i], options)) {
      results[beams[i].sentence] = std::move(beams[i].finished);
    } else {
      kept.push_back(static_cast<std::int64_t>(i));
      rest.push_back(std::move(beams[i]));
    }
  }
  if (kept.size() < beams.size() && !kept.empty()) cache.select_sentences(torch::tensor(kept, device));
  beams = std::move(rest);
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(models::EncoderDecoder& model, const torch::Tensor& source,
                                                 const DecodeOptions& options,
                                                 const BeforeStep& before_step) {
  if (options.nbest < 1 || options.nbest > options.beam) {
    throw InputError(
        fmt::format("decode.nbest: expected 1 to decode.beam ({}), found {}", options.beam, options.nbest));
  }
  const SearchMode mode(model);
  const auto device = model->device();
  const auto limits = length_limits(model, source.cpu(), options);
  std::vector<std::vector<Hypothesis>> results(limits.size());
  if (results.empty()) return results;

  std::vector<Beam> beams;
  for (std::size_t i = 0; i < limits.size(); ++i)
    beams.push_back({i, limits[i], {{{}, 0.0F, static_cast<std::int64_t>(i)}}, {}});
  auto cache = model->start(model->encode(source.to(device)));
  Rows rows(beams, 0);
  while (true) {
    if (before_step) before_step();
    const auto logits = model->step(torch::tensor(rows.tokens, device), cache);
    const Candidates candidates(next_log_probabilities(logits, rows.must_end),
                                torch::tensor(rows.log_probabilities, device),
                                static_cast<std::int64_t>(beams.size()), options.beam);
    // The cache now has the rows in this order.
    for (std::size_t i = 0; i < beams.size(); ++i) {
      for (std::size_t slot = 0; slot < beams[i].open.size(); ++slot)
        beams[i].open[slot].row = static_cast<std::int64_t>(i) * rows.width + static_cast<std::int64_t>(slot);
      advance(beams[i], candidates.packed.accessor<double, 3>(), static_cast<std::int64_t>(i), options);
    }
    remove_closed(beams, cache, options, results, device);
    if (beams.empty()) return results;
    const auto before = rows.from.size();
    rows = Rows(beams, cache.length);
    select_hypotheses(cache, rows.from, before, device);
  }
}

}  // namespace transformer::decode
