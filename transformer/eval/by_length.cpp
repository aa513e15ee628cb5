#include "transformer/eval/by_length.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/eval/text.h"

namespace transformer::eval {

bool is_rising(const std::vector<std::int64_t>& ends) {
  return std::ranges::adjacent_find(ends, std::greater_equal()) == ends.end();
}

std::string words_of(const LengthScore& group) {
  if (!group.most) return fmt::format("over {}", group.least - 1);
  return group.least == 0 ? fmt::format("up to {}", *group.most)
                          : fmt::format("{} to {}", group.least, *group.most);
}

std::vector<std::int64_t> word_counts(const std::vector<std::string>& lines) {
  std::vector<std::int64_t> counts;
  counts.reserve(lines.size());
  for (const auto& line : lines) counts.push_back(std::ssize(split_words(line)));
  return counts;
}

std::vector<LengthScore> scores_by_length(const Metric& metric, const std::vector<Counts>& counts,
                                          const Lengths& lengths, const ResamplingOptions& options) {
  const auto& [words, ends] = lengths;
  if (words.size() != counts.size())
    throw InputError(
        fmt::format("lengths: expected {}, as in the hypothesis, found {}", counts.size(), words.size()));
  if (ends.empty() || ends.front() < 1 || !is_rising(ends))
    throw InputError("lengths: expected rising numbers of words from 1 on, found others");
  std::vector<LengthScore> groups;
  std::int64_t least = 0;
  for (std::size_t i = 0; i <= ends.size(); ++i) {
    LengthScore group{.least = least};
    if (i < ends.size()) group.most = ends[i];
    Runs own(1);
    for (std::size_t sentence = 0; sentence < counts.size(); ++sentence)
      if (words[sentence] >= least && (!group.most || words[sentence] <= *group.most))
        own.front().push_back(counts[sentence]);
    group.sentences = std::ssize(own.front());
    if (group.sentences > 0) {
      group.score = metric.score(sum_of(own.front()));
      group.interval = confidence_interval(metric, own, options);
    }
    groups.push_back(group);
    least = group.most.value_or(0) + 1;
  }
  return groups;
}

}  // namespace transformer::eval
