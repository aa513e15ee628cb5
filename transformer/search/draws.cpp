#include "transformer/search/draws.h"

#include <fmt/format.h>

#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"

namespace transformer::search {
namespace {

/// An output that is being drawn.
struct Draft {
  std::size_t sentence = 0;
  std::int64_t sample = 0;
  std::int32_t row = 0;  // of the last step
  std::vector<std::int32_t> ids = {};
  double log_probability = 0;
};

/// Rows of the next step. The drafts of a sentence share one until their first draw.
void fill_draft_rows(std::vector<Draft>& drafts, std::size_t length, const Bounds& bounds, StepRows& rows) {
  rows = {};
  const Draft* before = nullptr;
  for (auto& draft : drafts) {
    const bool shared = before != nullptr && before->sentence == draft.sentence &&
                        length <= bounds.prefix(draft.sentence).size();
    if (!shared) {
      rows.tokens.push_back(draft.ids.empty() ? kBos : draft.ids.back());
      rows.parents.push_back(draft.row);
      rows.sentences.push_back(static_cast<std::int32_t>(draft.sentence));
      rows.only.push_back(kAnyToken);
    }
    draft.row = static_cast<std::int32_t>(rows.size()) - 1;
    before = &draft;
  }
}

}  // namespace

Found draw(const std::vector<std::int64_t>& limits, std::span<const std::size_t> numbers,
           const DrawOptions& options, const LogitStep& step, const BeforeStep& before_step,
           const Bounds& bounds) {
  if (options.samples < 1 || options.samples > kMostSamples)
    throw InputError(fmt::format("samples: expected a whole number from 1 to {}, found '{}'", kMostSamples,
                                 options.samples));
  Sampler sampler(options.sampling);
  const auto samples = static_cast<std::size_t>(options.samples);
  Found found(limits.size(), std::vector<Hypothesis>(samples));
  std::vector<Draft> drafts;
  for (std::size_t i = 0; i < limits.size(); ++i)
    for (std::size_t sample = 0; sample < samples; ++sample)
      drafts.push_back({.sentence = i, .sample = static_cast<std::int64_t>(sample)});
  StepRows rows;
  for (std::size_t length = 0; !drafts.empty(); ++length) {
    if (before_step) before_step();
    fill_draft_rows(drafts, length, bounds, rows);
    const auto all = step(rows);
    const auto vocabulary = all.size() / rows.size();
    const auto go_on = [&](Draft& draft) {
      const auto logits = all.subspan(static_cast<std::size_t>(draft.row) * vocabulary, vocabulary);
      const auto prefix = bounds.prefix(draft.sentence);
      const auto place = static_cast<std::int64_t>(length);
      const bool last = place == limits[draft.sentence];
      const auto next = [&]() -> Drawn {
        if (length < prefix.size())
          return {prefix[length], LogitsAtOnce(logits).log_probability(prefix[length])};
        if (last) return {kEos, LogitsAtOnce(logits).log_probability(kEos)};
        const auto number = static_cast<std::int64_t>(numbers[draft.sentence]);
        return sampler.draw(logits, draft.ids, uniform_of(options.seed, number, draft.sample, place));
      }();
      draft.log_probability += next.log_probability;
      if (next.token != kEos) {
        draft.ids.push_back(next.token);
        return true;
      }
      found[draft.sentence][static_cast<std::size_t>(draft.sample)] = {
          std::move(draft.ids), draft.log_probability, draft.log_probability, !last};
      return false;
    };
    std::erase_if(drafts, [&](Draft& draft) { return !go_on(draft); });
  }
  return found;
}

}  // namespace transformer::search
