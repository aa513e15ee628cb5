#include "transformer/report/page.h"

#include <fmt/format.h>

#include "transformer/base/choices.h"
#include "transformer/report/escape.h"
#include "transformer/report/svg.h"

namespace transformer::report {
namespace {

constexpr std::string_view page_style =
    R"(:root { color-scheme: light dark; --ink: #222; --faint: #666; --ground: #fff; --rule: #ddd; --group: #888;
  --base: #f3f3f3; --agrees: #00694b; --opposite: #b03a00; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 1260px;
  margin: 2em auto; padding: 0 1em; }
h1, h2, h3 { line-height: 1.25; }
table { border-collapse: collapse; font-size: 12.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25em 0.5em; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
td, tbody th { white-space: nowrap; }
td.text { white-space: normal; min-width: 11em; max-width: 24em; }
thead th { vertical-align: bottom; }
tbody th { font-weight: 600; }
.number { text-align: right; }
.new-group td, .new-group th { border-top: 2px solid var(--group); }
.baseline td, .baseline th { background: var(--base); }
.agrees { color: var(--agrees); }
.opposite { color: var(--opposite); font-weight: 600; }
.wide { overflow-x: auto; }
.legend { color: var(--faint); font-size: 13px; }
.warnings { color: var(--opposite); font-weight: 600; }
summary { cursor: pointer; }
summary h2 { display: inline; }
code { overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: 0.7em; border: 1px solid var(--rule); font-size: 12px; }
svg { max-width: 100%; height: auto; }
)";

constexpr std::string_view dark_page_style =
    R"(:root { --ink: #ddd; --faint: #aaa; --ground: #161a1f; --rule: #333a41; --group: #777; --base: #20262c;
  --agrees: #4fd0a5; --opposite: #ff9a5c; }
)";

std::string style_of(Kind kind) {
  switch (kind) {
    case Kind::word:
      return "word";
    case Kind::text:
      return "text";
    case Kind::number:
      return "number";
  }
  no_such_choice();
}

/// In the place of its column's, or nothing.
std::string style_of(Mark mark) {
  switch (mark) {
    case Mark::none:
      return {};
    case Mark::agrees:
      return "agrees";
    case Mark::opposite:
      return "opposite";
  }
  no_such_choice();
}

std::string table_row(const Table& table, const Line& line) {
  std::string text = fmt::format("<tr class=\"{}{}\">", line.is_baseline ? "baseline" : "row",
                                 line.starts_group ? " new-group" : "");
  for (std::size_t i = 0; i < line.cells.size(); ++i) {
    const auto& cell = line.cells[i];
    std::string style = style_of(cell.mark);
    if (style.empty()) style = style_of(table.columns[i].kind);
    const std::string content = escape_markup(cell.text);
    text += i == table.name_column ? fmt::format("<th scope=\"row\">{}</th>", content)
                                   : fmt::format("<td class=\"{}\">{}</td>", style, content);
  }
  return text + "</tr>\n";
}

}  // namespace

std::string html_page(std::string_view title, std::string_view head, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{0}</title>\n<style>\n{1}{2}@media (prefers-color-scheme: dark) "
      "{{\n{3}{4}}}\n</style>\n{5}</head>\n<body>\n<h1>{0}</h1>\n{6}</body>\n</html>\n",
      escape_markup(title), page_style, chart_style(), dark_page_style, dark_chart_style(), head, body);
}

std::string bullets(const std::vector<std::string>& sentences, std::string_view style) {
  std::string text = fmt::format("<ul class=\"{}\">\n", style);
  for (const auto& sentence : sentences) text += fmt::format("<li>{}</li>\n", escape_markup(sentence));
  return text + "</ul>\n";
}

std::string html_table(const Table& table, std::string_view name) {
  std::string text = fmt::format(
      "<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table>\n<thead><tr>",
      escape_markup(name));
  for (const auto& column : table.columns)
    text += fmt::format("<th scope=\"col\"{}>{}</th>", column.kind == Kind::number ? " class=\"number\"" : "",
                        escape_markup(column.name));
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& line : table.lines) text += table_row(table, line);
  return text + "</tbody>\n</table>\n</div>\n";
}

}  // namespace transformer::report
