#include "transformer/report/run_page.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <optional>

#include "transformer/base/choices.h"
#include "transformer/report/curves.h"
#include "transformer/report/escape.h"
#include "transformer/report/format.h"
#include "transformer/report/page.h"
#include "transformer/report/run_charts.h"
#include "transformer/report/score.h"
#include "transformer/report/svg.h"

namespace transformer::report {

std::string_view run_page_script();  // run_page.js

namespace {

constexpr std::string_view kStyle = R"(.charts { display: flex; flex-wrap: wrap; gap: 0.5em 1em; }
figure.curves { position: relative; margin: 0; flex: 1 1 480px; max-width: 610px; }
figure.curves svg { display: block; width: 100%; }
.values { position: absolute; pointer-events: none; padding: 0.3em 0.6em; border: 1px solid var(--group);
  background: var(--ground); font-size: 12px; font-variant-numeric: tabular-nums; white-space: pre; z-index: 1; }
.values div { max-width: 26em; overflow: hidden; text-overflow: ellipsis; }
.chart .training { fill: none; stroke-width: 1.1; stroke-opacity: 0.6; stroke-linejoin: round; }
.chart .pointer { stroke: #8a8a8a; stroke-width: 1; stroke-dasharray: 2 3; }
.runs { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.2em 1.6em; }
.runs svg { vertical-align: middle; margin-right: 0.4em; }
.samples td.text { max-width: 70em; overflow-wrap: anywhere; }
details { margin: 0.4em 0; }
)";

struct Best {
  double value = 0;
  std::int64_t step = 0;
};

std::optional<double> last_of(const WatchedRun& run, bool dev, const std::string& key) {
  std::optional<double> value;
  for (const auto& line : run.lines)
    if (const auto found = line.values.find(key); line.dev == dev && found != line.values.end())
      value = found->second;
  return value;
}

/// The first line of the dev set that none is better than.
std::optional<Best> best_of(const WatchedRun& run, const std::string& key, bool more_is_better) {
  std::optional<Best> best;
  for (const auto& line : run.lines) {
    const auto found = line.values.find(key);
    if (!line.dev || found == line.values.end()) continue;
    if (!best || (more_is_better ? found->second > best->value : found->second < best->value))
      best = Best{found->second, line.step};
  }
  return best;
}

std::string format_best(const std::optional<Best>& best) {
  return best ? fmt::format("{} ({})", format_value(best->value, 2), format_count(best->step))
              : std::string(absent);
}

std::string state_name(RunState state) {
  switch (state) {
    case RunState::begun:
      return "begun";
    case RunState::trains:
      return "trains";
    case RunState::finished:
      return "finished";
    case RunState::stopped:
      return "stopped";
  }
  no_such_choice();
}

/// When its last line was written, where that is known.
std::string date_of(const Measurement* last) {
  const auto written = last ? last->values.find("time") : std::map<std::string, double>::const_iterator();
  if (!last || written == last->values.end() || !(written->second > 0 && written->second < 1e11))
    return std::string(absent);
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(static_cast<std::time_t>(written->second)));
}

Table summary_of(const std::vector<WatchedRun>& runs, double now) {
  Table table;
  table.columns = {{"run", Kind::word},
                   {"state", Kind::word},
                   {"last line", Kind::word},
                   {"updates", Kind::number},
                   {"of", Kind::number},
                   {"training", Kind::number},
                   {"left", Kind::number},
                   {"FLOPs", Kind::number},
                   {"loss in training", Kind::number},
                   {"dev perplexity", Kind::number},
                   {"best perplexity (after updates)", Kind::number}};
  const auto scores = scores_of(runs);
  for (const auto& score : scores) {
    table.columns.push_back({"dev " + score.title, Kind::number});
    table.columns.push_back({fmt::format("best {} (after updates)", score.title), Kind::number});
  }
  for (const auto& run : runs) {
    const auto* last = run.lines.empty() ? nullptr : &run.lines.back();
    const auto flops = std::max(last_of(run, false, "flops"), last_of(run, true, "flops"));
    Line line;
    const auto state = state_of(run, now);
    const auto left = seconds_left(run);
    line.cells = {{display_name(run.name)},
                  {state_name(state)},
                  {date_of(last)},
                  {format_count(last ? last->step : 0)},
                  {run.steps > 0 ? format_count(run.steps) : std::string(absent)},
                  {last ? format_time(last->seconds) : std::string(absent)},
                  {left ? format_time(*left) : std::string(absent)},
                  {flops ? format_flops(*flops) : std::string(absent)},
                  {format_value(last_of(run, false, "loss"), 3)},
                  {format_value(last_of(run, true, "perplexity"), 3)},
                  {format_best(best_of(run, "perplexity", false))}};
    for (const auto& score : scores) {
      line.cells.push_back({format_value(last_of(run, true, score.id), score_decimals)});
      line.cells.push_back({format_best(best_of(run, score.id, !score.less_is_better))});
    }
    table.lines.push_back(std::move(line));
  }
  return table;
}

/// The settings that any of the runs has, a line a key, a column a run.
std::string settings(const std::vector<WatchedRun>& runs) {
  std::map<std::string, std::map<std::size_t, std::string>> by_key;
  Table table{.columns = {{"key"}}, .name_column = 0, .lines = {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    table.columns.push_back({display_name(runs[i].name), Kind::text});
    for (const auto& [key, value] : runs[i].settings) by_key[key][i] = value;
  }
  if (by_key.empty()) return {};
  for (const auto& [key, values] : by_key) {
    Line line{.cells = {{key}}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto found = values.find(i);
      line.cells.push_back({found == values.end() ? "default" : found->second});
    }
    table.lines.push_back(std::move(line));
  }
  return fmt::format("<details><summary>Settings that are not the defaults ({})</summary>\n{}</details>\n",
                     by_key.size(), html_table(table, "Settings"));
}

std::string legend(const std::vector<WatchedRun>& runs) {
  std::string text = "<ul class=\"runs\">\n";
  for (std::size_t i = 0; i < runs.size(); ++i)
    text += fmt::format(
        "<li><svg class=\"chart\" width=\"26\" height=\"8\"><polyline points=\"1,4 25,4\" "
        "class=\"mean {}\"/></svg>{}</li>\n",
        curve_style(i), escape_markup(display_name(runs[i].name)));
  return text + "</ul>\n";
}

std::vector<std::string> explanations(const std::vector<WatchedRun>& runs, const RunPageOptions& options) {
  std::vector<std::string> sentences = {
      "Where a chart has both, bold curves are of the dev set and thin ones of the training. Loss and "
      "perplexity "
      "of the training are means since the line before, with dropout."};
  if (options.smooth > 0)
    sentences.push_back(fmt::format(
        "What is measured in training is smoothed by a moving average of weight {}.", options.smooth));
  if (const auto titles = unmeasured(runs); !titles.empty())
    sentences.push_back(fmt::format("Not measured so far: {}.", fmt::join(titles, "; ")));
  return sentences;
}

/// A sentence, and what became of it: the newest translation first.
Table history(const std::vector<SampleTranslation>& versions) {
  constexpr std::size_t kMostVersions = 12;
  Table table;
  table.columns = {{"", Kind::word}, {"", Kind::text}};
  const auto add = [&](std::string name, const std::string& text) {
    Line line;
    line.cells = {{std::move(name)}, {text}};
    table.lines.push_back(std::move(line));
  };
  add("source", versions.back().source);
  add("reference", versions.back().reference);
  table.lines.back().is_baseline = true;
  auto shown = thin_out(versions, kMostVersions);
  std::ranges::reverse(shown);
  for (const auto& version : shown)
    add(fmt::format("after {}", format_count(version.step)), version.translation);
  return table;
}

std::string samples_of(const WatchedRun& run, bool open) {
  std::map<std::int64_t, std::vector<SampleTranslation>> sentences;
  for (const auto& sample : run.samples) sentences[sample.sentence].push_back(sample);
  if (sentences.empty()) return {};
  std::string text = fmt::format("<details class=\"samples\"{}><summary>{}</summary>\n",
                                 open ? " open=\"open\"" : "", escape_markup(display_name(run.name)));
  for (const auto& [number, versions] : sentences)
    text += html_table(history(versions), fmt::format("Sentence {} in {}", number, run.name)) + "<p></p>\n";
  return text + "</details>\n";
}

std::string samples(const std::vector<WatchedRun>& runs) {
  std::string text;
  for (const auto& run : runs) text += samples_of(run, text.empty());
  if (text.empty()) return {};
  return "<h2>Translations over time</h2>\n<p class=\"legend\">The first sentences of the dev set by greedy "
         "search, the newest translation first.</p>\n" +
         text;
}

}  // namespace

std::string run_page(const std::vector<WatchedRun>& runs, const RunPageOptions& options) {
  const auto title = runs.size() == 1 ? display_name(runs[0].name) : fmt::format("{} runs", runs.size());
  std::string head = fmt::format("<style>\n{}</style>\n", kStyle);
  if (options.reload > 0)
    head += fmt::format("<meta http-equiv=\"refresh\" content=\"{}\"/>\n", options.reload);
  std::string body;
  if (!options.note.empty()) body += fmt::format("<p class=\"legend\">{}</p>\n", escape_markup(options.note));
  body += html_table(summary_of(runs, options.now), "Where the runs are") + settings(runs) + legend(runs) +
          bullets(explanations(runs, options), "legend");
  const auto charts = run_charts(runs, options);
  body += charts.empty() ? "<p>Nothing has been measured yet.</p>\n"
                         : fmt::format("<div class=\"charts\">\n{}</div>\n", charts);
  body += samples(runs);
  if (!charts.empty()) body += fmt::format("<script>\n{}</script>\n", run_page_script());
  return html_page(title, head, body);
}

}  // namespace transformer::report
