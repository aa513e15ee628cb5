#include "transformer/report/page.h"

#include "tests/catch.h"
#include "tests/report/markup.h"

namespace transformer::report {

TEST_CASE("a page has its title twice, its head and its body") {
  const auto page = html_page("a < b", "<meta name=\"x\" content=\"y\"/>\n", "<p>text</p>\n");
  CHECK(test::fault_of(page).empty());
  CHECK_THAT(page, ContainsSubstring("<title>a &lt; b</title>"));
  CHECK_THAT(page, ContainsSubstring("</style>\n<meta name=\"x\" content=\"y\"/>\n</head>"));
  CHECK_THAT(page, ContainsSubstring("<h1>a &lt; b</h1>\n<p>text</p>\n</body>"));
}

TEST_CASE("a table of a page escapes its name, its columns and its cells") {
  Table table;
  table.columns = {{"a & b", Kind::word}, {"n", Kind::number}};
  Line line;
  line.cells = {{"<x>"}, {"1"}};
  table.lines.push_back(line);
  const auto text = html_table(table, "\"quoted\"");
  CHECK(test::fault_of(text).empty());
  CHECK_THAT(text, ContainsSubstring("aria-label=\"&quot;quoted&quot;\""));
  CHECK_THAT(text,
             ContainsSubstring("<th scope=\"col\">a &amp; b</th><th scope=\"col\" class=\"number\">n</th>"));
  CHECK_THAT(text, ContainsSubstring("<th scope=\"row\">&lt;x&gt;</th><td class=\"number\">1</td>"));
}

TEST_CASE("a list escapes its sentences") {
  CHECK(bullets({"a", "<b>"}) == "<ul class=\"plain\">\n<li>a</li>\n<li>&lt;b&gt;</li>\n</ul>\n");
}

}  // namespace transformer::report
