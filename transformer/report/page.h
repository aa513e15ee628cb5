// What the pages of this folder are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transformer/report/tables.h"

namespace transformer::report {

/// A whole page, light or dark as the reader's system is, that needs nothing else. `title`, not escaped, is
/// its heading, too; `head` and `body` are markup.
std::string html_page(std::string_view title, std::string_view head, std::string_view body);

/// A list of sentences, not escaped.
std::string bullets(const std::vector<std::string>& sentences, std::string_view style = "plain");

/// In a box that scrolls by itself, with the keyboard too, since tables are wider than a telephone. `name`,
/// not escaped, is for those who do not see it.
std::string html_table(const Table& table, std::string_view name);

}  // namespace transformer::report
