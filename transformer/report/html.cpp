#include <fmt/format.h>

#include "transformer/report/escape.h"
#include "transformer/report/figures.h"
#include "transformer/report/format.h"
#include "transformer/report/page.h"
#include "transformer/report/tables.h"

namespace transformer::report {
namespace {

std::string paragraph(std::string_view label, std::string_view text) {
  return text.empty() ? std::string()
                      : fmt::format("<p>{}: <code>{}</code></p>\n", label, escape_markup(text));
}

/// `content` is markup.
std::string folded(std::string_view title, const std::string& content) {
  return fmt::format("<details>\n<summary><h2>{}</h2></summary>\n{}</details>\n", title, content);
}

std::string failures(const Report& report) {
  if (report.failures.empty()) return {};
  std::string text = "<h2>Failures</h2>\n";
  for (const auto& failure : report.failures) {
    text += fmt::format("<h3>{}</h3>\n", escape_markup(display_name(failure.run)));
    if (!failure.reason.empty()) text += fmt::format("<p>{}</p>\n", escape_markup(failure.reason));
    if (failure.log.empty()) continue;
    text += "<pre>";
    for (const auto& line : failure.log) text += escape_markup(line) + "\n";
    text += "</pre>\n";
  }
  return text;
}

}  // namespace

std::string to_html(const Report& report) {
  std::string text;
  text += paragraph("Dev set", report.dev) + paragraph(report.score.title, report.score.signature);
  if (const auto sentences = warnings(report); !sentences.empty()) text += bullets(sentences, "warnings");
  if (report.rows.empty()) text += "<h2>Results</h2>\n<p>There are no rows.</p>\n";
  for (const auto& section : sections(report)) {
    const auto content = html_table(section.table, section.title) + bullets(section.legend, "legend");
    text += section.folded ? folded(section.title, content)
                           : fmt::format("<h2>{}</h2>\n", section.title) + content;
  }
  text += fmt::format("<h2>{} and size</h2>\n", escape_markup(report.score.title)) +
          draw_score_by_parameters(report, Ground::page);
  text += "<h2>Learning curves</h2>\n" + draw_learning_curves(report, Ground::page);
  text += failures(report);
  if (!report.notes.empty()) text += "<h2>Notes</h2>\n" + bullets(report.notes);
  if (const auto count = report.departures.size(); count > 0)
    text += folded(fmt::format("Departures from the paper ({})", count), bullets(report.departures));
  return html_page(report.title.empty() ? "Report" : report.title, {}, text);
}

}  // namespace transformer::report
