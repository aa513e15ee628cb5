#include "transformer/eval/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"

namespace transformer::eval {
namespace {

struct MarkedLink {
  Link link;
  bool sure = true;
};

/// A number at the front of `text`, which it is taken from.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || text.starts_with('-')) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<MarkedLink> parse_link(std::string_view text, bool gold) {
  const auto source = take_number(text);
  if (!source || text.empty()) return {};
  const char mark = text.front();
  text.remove_prefix(1);
  const auto target = take_number(text);
  const bool known = mark == '-' || (gold && (mark == '?' || mark == 'p'));
  if (!target || !text.empty() || !known) return {};
  return MarkedLink{{*source, *target}, mark == '-'};
}

constexpr std::string_view kWhiteSpace = " \t";

/// Calls visit(line, link) for each link.
template <typename Visit>
void for_each_link(const std::vector<std::string>& lines, const std::string& name, bool gold, Visit visit) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    for (auto begin = line.find_first_not_of(kWhiteSpace); begin != std::string_view::npos;
         begin = line.find_first_not_of(kWhiteSpace)) {
      line.remove_prefix(begin);
      const auto word = line.substr(0, line.find_first_of(kWhiteSpace));
      line.remove_prefix(word.size());
      const auto link = parse_link(word, gold);
      if (!link)
        throw InputError(fmt::format("{}:{}: expected links of words counted from 0, such as {}, found '{}'",
                                     name, i + 1, gold ? "0-1 or 0?1" : "0-1",
                                     printable(word.substr(0, 40))));
      visit(i, *link);
    }
  }
}

void sort_unique(Links& links) {
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
}

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

std::vector<Links> parse_links(const std::vector<std::string>& lines, const std::string& name) {
  std::vector<Links> result(lines.size());
  for_each_link(lines, name, false,
                [&](std::size_t line, const MarkedLink& found) { result[line].push_back(found.link); });
  std::ranges::for_each(result, sort_unique);
  return result;
}

std::vector<GoldLinks> parse_gold_links(const std::vector<std::string>& lines, const std::string& name) {
  std::vector<GoldLinks> result(lines.size());
  for_each_link(lines, name, true, [&](std::size_t line, const MarkedLink& found) {
    if (found.sure) result[line].sure.push_back(found.link);
    result[line].possible.push_back(found.link);
  });
  for (auto& [sure, possible] : result) {
    sort_unique(sure);
    sort_unique(possible);
  }
  return result;
}

Links links_of(const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  Links links;
  for (const auto& [source, target] : pairs)
    links.push_back({static_cast<std::int64_t>(source), static_cast<std::int64_t>(target)});
  sort_unique(links);
  return links;
}

std::string format_links(const Links& links) {
  std::string line;
  for (const auto& [source, target] : links)
    line += fmt::format("{}{}-{}", line.empty() ? "" : " ", source, target);
  return line;
}

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
