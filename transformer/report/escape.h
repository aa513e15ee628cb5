// Text from outside (names, states, logs) made safe for each of the three formats.
#pragma once

#include <string>
#include <string_view>

namespace transformer::report {

/// UTF-8 without control characters: these, and bytes that are not UTF-8, become U+FFFD. Tabs and line feeds
/// stay; CR LF and CR become line feeds.
std::string clean(std::string_view text);

/// For text and attribute values in HTML and SVG: clean, with & < > " ' as references.
std::string escape_markup(std::string_view text);

/// For a line of Markdown or a cell of a table: clean, without line breaks, and without what would format it.
std::string escape_markdown(std::string_view text);

/// A field of text in CSV, in quotes only where RFC 4180 wants them. What a spreadsheet would take for a
/// formula (it begins with = + - or @, and is no number) has an apostrophe in front.
std::string quote_csv(std::string_view text);

}  // namespace transformer::report
