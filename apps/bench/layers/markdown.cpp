// Results as Markdown.
#include <fmt/format.h>

#include "apps/bench/layers/table.h"
#include "transformer/base/choices.h"

namespace transformer::bench {
namespace {

std::string exponent_text(const std::optional<report::PowerLaw>& law) {
  return law ? fmt::format("{:.2f}", law->exponent) : "–";
}

std::string error_text(const std::optional<report::PowerLaw>& law) {
  return law ? fmt::format("{:.2f} ± {:.2f}", law->exponent, law->error) : "–";
}

std::string stated_text(double exponent) {
  return exponent > 0 ? fmt::format("{:.0f}", exponent) : "sum";
}

std::string range_text(const std::vector<std::int64_t>& sizes, std::int64_t from) {
  std::size_t count = 0;
  for (const auto size : sizes) count += size >= from ? 1 : 0;
  return sizes.empty() ? "none" : fmt::format("{} to {} ({} sizes)", from, sizes.back(), count);
}

std::string times_table(const LayerResults& results, Along along) {
  const auto& plan = results.plan;
  const auto& sizes = along == Along::length ? plan.lengths : plan.widths;
  if (sizes.empty()) return {};
  std::string text = along == Along::length ? fmt::format("Over n, d = {}:\n\n| layer |", plan.at.width)
                                            : fmt::format("Over d, n = {}:\n\n| layer |", plan.at.length);
  std::string rule = "| --- |";
  for (const auto size : sizes) {
    text += fmt::format(" {} |", size);
    rule += " ---: |";
  }
  text += "\n" + rule + "\n";
  for (const auto kind : layer_kinds()) {
    const auto curve = seconds_along(results, kind, along);
    if (curve.empty()) continue;
    text += fmt::format("| {} |", name_of(kind));
    for (const auto& point : curve) text += fmt::format(" {:.3g} |", 1e3 * point.y);
    text += "\n";
  }
  return text + "\n";
}

std::string growth_table(const LayerResults& results) {
  const auto& plan = results.plan;
  std::string text = fmt::format(
      "## How the costs grow\n\nExponents of n and d, fitted to the logarithms by least squares: n from {} "
      "at d = {}, d from {} "
      "at n = {}; k = {}, r = {}. \"Stated\" is the exponent in the paper's O(…), \"counted\" that of the "
      "operations as built over the same sizes, \"measured\" that of the time, forward and backward, with "
      "its standard error.\n\n",
      range_text(plan.lengths, plan.fit_lengths), plan.at.width, range_text(plan.widths, plan.fit_widths),
      plan.at.length, plan.at.kernel, plan.at.window);
  text +=
      "| layer | the paper | operations as built | n: stated | counted | measured | d: stated | counted | "
      "measured |\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const auto kind : layer_kinds()) {
    if (!is_timed(kind)) continue;
    const auto stated = stated_costs(kind);
    const auto by_length = growth_of(results, kind, Along::length),
               by_width = growth_of(results, kind, Along::width);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name_of(kind), stated.complexity,
                        formula_of(kind), stated_text(stated.by_length), exponent_text(by_length.operations),
                        error_text(by_length.seconds), stated_text(stated.by_width),
                        exponent_text(by_width.operations), error_text(by_width.seconds));
  }
  return text + "\n";
}

std::string crossings(const LayerResults& results) {
  const auto& plan = results.plan;
  if (plan.lengths.empty()) return {};
  std::string text = "## Where self-attention meets recurrence\n\n";
  for (const auto& pair : rivals()) {
    const auto seconds = seconds_crossing(results, pair);
    text += fmt::format("* {} takes as many operations as {} at n = {} (d = {}), and as long at {}.\n",
                        name_of(pair.attention), name_of(pair.recurrence), operations_crossing(pair, plan.at),
                        plan.at.width,
                        seconds ? fmt::format("n = {:.0f}", *seconds)
                                : fmt::format("no n of {} to {}", plan.lengths.front(), plan.lengths.back()));
  }
  return text + "\n";
}

std::string paths_table(const LayerResults& results) {
  const auto& plan = results.plan;
  if (results.paths.empty()) return {};
  std::string text = fmt::format(
      "## Sequential operations and path lengths\n\nPaths: layers until a change of position 1 changes "
      "position n, tried on the "
      "layers; of a recurrence steps. k = {}, r = {}.\n\n| layer | sequential, the paper | products in a "
      "row, n = {} | path, the paper |",
      plan.at.kernel, plan.at.window, plan.at.length);
  std::string rule = "| --- | --- | ---: | --- |";
  for (const auto length : plan.path_lengths) {
    text += fmt::format(" n = {} |", length);
    rule += " ---: |";
  }
  text += "\n" + rule + "\n";
  for (const auto kind : layer_kinds()) {
    const auto stated = stated_costs(kind);
    text += fmt::format("| {} | {} | {} | {} |", name_of(kind), stated.sequential,
                        sequential_operations(kind, plan.at), stated.path);
    for (const auto& path : results.paths)
      if (path.kind == kind) text += fmt::format(" {} |", path.layers);
    text += "\n";
  }
  return text + "\n";
}

}  // namespace

std::string layers_markdown(const LayerResults& results) {
  std::string text = fmt::format("# Table 1, measured\n\n{}. Figures are of `{}`.\n\n",
                                 results.plan.conditions, results.plan.command);
  text += growth_table(results) + crossings(results) + paths_table(results);
  text += "## Milliseconds, forward and backward\n\n" + times_table(results, Along::length) +
          times_table(results, Along::width) + "![Curves](table1.svg)\n";
  return text;
}

}  // namespace transformer::bench
