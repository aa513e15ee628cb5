#include <fmt/format.h>

#include <algorithm>

#include "transformer/report/escape.h"
#include "transformer/report/format.h"
#include "transformer/report/tables.h"

namespace transformer::report {
namespace {

std::string markdown_list(const std::vector<std::string>& sentences) {
  std::string text;
  for (const auto& sentence : sentences) text += fmt::format("* {}\n", escape_markdown(sentence));
  return text + "\n";
}

std::string markdown_table(const Table& table) {
  std::string names = "|", rule = "|";
  for (const auto& column : table.columns) {
    names += fmt::format(" {} |", escape_markdown(column.name));
    rule += column.kind == Kind::number ? " ---: |" : " --- |";
  }
  std::string text = names + "\n" + rule + "\n";
  for (const auto& line : table.lines) {
    text += "|";
    for (const auto& cell : line.cells) {
      const std::string content = escape_markdown(cell.text);
      text += content.empty() ? " |" : fmt::format(" {} |", content);
    }
    text += "\n";
  }
  return text + "\n";
}

/// Backticks to put around `content`: more than it holds in a row, so that it cannot end its block.
std::string fence(std::string_view content, std::size_t least) {
  std::size_t longest = least - 1, current = 0;
  for (const char c : content) {
    current = c == '`' ? current + 1 : 0;
    longest = std::max(longest, current);
  }
  std::string marks(longest + 1, '`');
  return marks;
}

std::string code_span(std::string_view text) {
  std::string content = clean(text);
  std::replace(content.begin(), content.end(), '\n', ' ');
  const std::string marks = fence(content, 1);
  // The spaces belong to the syntax where the content begins or ends with a backtick.
  return marks.size() > 1 ? fmt::format("{0} {1} {0}", marks, content) : marks + content + marks;
}

std::string code_block(const std::vector<std::string>& lines) {
  std::string content;
  for (const auto& line : lines) content += clean(line) + "\n";
  const std::string marks = fence(content, 3);
  return marks + "\n" + content + marks + "\n\n";
}

/// What GitHub shows when its title is clicked.
std::string markdown_fold(std::string_view title, const std::string& content) {
  return fmt::format("<details>\n<summary>{}</summary>\n\n{}</details>\n\n", title, content);
}

}  // namespace

std::string to_markdown(const Report& report) {
  std::string text = fmt::format("# {}\n\n", escape_markdown(report.title.empty() ? "Report" : report.title));
  if (!report.dev.empty()) text += fmt::format("Dev set: {}\n\n", code_span(report.dev));
  if (!report.score.signature.empty())
    text += fmt::format("{}: {}\n\n", escape_markdown(report.score.title), code_span(report.score.signature));
  if (const auto sentences = warnings(report); !sentences.empty()) text += markdown_list(sentences);
  if (report.rows.empty()) text += "## Results\n\nThere are no rows.\n\n";
  for (const auto& section : sections(report)) {
    const auto content = markdown_table(section.table) + markdown_list(section.legend);
    text += section.folded ? markdown_fold(section.title, content)
                           : fmt::format("## {}\n\n", section.title) + content;
  }
  if (!report.failures.empty()) text += "## Failures\n\n";
  for (const auto& failure : report.failures) {
    text += fmt::format("### {}\n\n", escape_markdown(display_name(failure.run)));
    if (!failure.reason.empty()) text += escape_markdown(failure.reason) + "\n\n";
    if (!failure.log.empty()) text += code_block(failure.log);
  }
  if (!report.notes.empty()) text += "## Notes\n\n" + markdown_list(report.notes);
  if (const auto count = report.departures.size(); count > 0)
    text +=
        markdown_fold(fmt::format("Departures from the paper ({})", count), markdown_list(report.departures));
  text.pop_back();  // one line feed at the end
  return text;
}

}  // namespace transformer::report
