#include "transformer/eval/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "transformer/base/error.h"

namespace transformer::eval {
namespace {

std::int64_t count_common(const Links& some, const Links& others) {
  return std::ranges::count_if(some, [&](Link link) { return std::ranges::binary_search(others, link); });
}

double percentage(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

using Rate = double (*)(const LinkCounts&);
constexpr std::pair<std::string_view, Rate> kRates[] = {
    {"AER", alignment_error_rate}, {"precision", alignment_precision}, {"recall", alignment_recall}};

}  // namespace

LinkCounts count_links(const Links& links, const GoldLinks& gold) {
  return {.links = std::ssize(links),
          .sure = std::ssize(gold.sure),
          .sure_found = count_common(links, gold.sure),
          .possible_found = count_common(links, gold.possible)};
}

double alignment_error_rate(const LinkCounts& counts) {
  const auto all = counts.links + counts.sure;
  return percentage(all - counts.sure_found - counts.possible_found, all);
}

double alignment_precision(const LinkCounts& counts) {
  return percentage(counts.possible_found, counts.links);
}

double alignment_recall(const LinkCounts& counts) {
  return percentage(counts.sure_found, counts.sure);
}

std::vector<MetricResult> score_alignments(const std::vector<Links>& alignments,
                                           const std::vector<GoldLinks>& gold, bool confidence,
                                           const ResamplingOptions& resampling) {
  if (alignments.size() != gold.size() || gold.empty())
    throw InputError(fmt::format("expected as many alignments as gold ones, at least one, found {} and {}",
                                 alignments.size(), gold.size()));
  Runs runs(1);
  for (std::size_t i = 0; i < gold.size(); ++i)
    runs.front().push_back(to_counts(count_links(alignments[i], gold[i])));
  const auto sums = sum_of(runs.front());
  const auto sum = from_counts<LinkCounts>(sums);
  if (sum.sure == 0) throw InputError("expected at least one sure link in the gold alignments, found none");
  const Draws draws{.bootstrap = confidence ? resampling.samples : 0, .seed = resampling.seed};
  std::vector<MetricResult> results;
  for (const auto& [name, rate] : kRates) {
    Metric metric;
    metric.score = [rate = rate](std::span<const std::int64_t> counts) {
      return rate(from_counts<LinkCounts>(counts));
    };
    MetricResult result;
    result.name = name;
    result.score = rate(sum);
    result.signature = fmt::format("sentences:{}|links:{}|sure:{}", gold.size(), sum.links, sum.sure) +
                       format_draws(draws) + format_version();
    if (confidence) result.interval = confidence_interval(metric, runs, resampling);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace transformer::eval
