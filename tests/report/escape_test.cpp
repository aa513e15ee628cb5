#include "transformer/report/escape.h"

#include "tests/catch.h"

using namespace transformer::report;

TEST_CASE("text is cleaned of what no reader takes") {
  CHECK(clean("Größe\t1\n") == "Größe\t1\n");
  CHECK(clean("a\r\nb\rc") == "a\nb\nc");
  CHECK(clean(std::string("\x1b[31m\0\x7f", 7)) == "\uFFFD[31m\uFFFD\uFFFD");
  CHECK(clean("a\xff\xc3") == "a\uFFFD\uFFFD");
  CHECK(clean("\xc2\x85\xc2\xa0") == "\uFFFD\u00a0");  // a control character of two bytes, and a space
  CHECK(clean("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd") == "\uFFFD\uFFFD\uFFFD");
  CHECK(clean("").empty());
}

TEST_CASE("markup is escaped") {
  CHECK(escape_markup("<a b=\"c\">&'|") == "&lt;a b=&quot;c&quot;&gt;&amp;&#39;|");
  CHECK(escape_markup("a\nb") == "a\nb");
}

TEST_CASE("Markdown is escaped, but readable") {
  CHECK(escape_markdown("d_k 512, ε_ls 0.1") == "d_k 512, ε_ls 0.1");
  CHECK(escape_markdown("_a_ *b* `c` [d](e) ~f~ $g$ \\") ==
        "\\_a\\_ \\*b\\* \\`c\\` \\[d\\](e) \\~f\\~ \\$g\\$ \\\\");
  CHECK(escape_markdown("a|b\nc\td") == "a\\|b c d");
  CHECK(escape_markdown("<b>&amp;") == "&lt;b&gt;&amp;amp;");
  CHECK(escape_markdown("# a # b") == "\\# a # b");
  CHECK(escape_markdown("- a") == "\\- a");
  CHECK(escape_markdown("---") == "\\---");
  CHECK(escape_markdown("+0.31") == "+0.31");
}

TEST_CASE("a field of CSV has quotes where it needs them") {
  CHECK(quote_csv("a b") == "a b");
  CHECK(quote_csv("a,b") == "\"a,b\"");
  CHECK(quote_csv("a\"b") == "\"a\"\"b\"");
  CHECK(quote_csv("a\nb") == "\"a\nb\"");
  CHECK(quote_csv("").empty());
}

TEST_CASE("a text in CSV is no formula, a number stays one") {
  CHECK(quote_csv("=1+1") == "'=1+1");
  CHECK(quote_csv("@SUM(A1)") == "'@SUM(A1)");
  CHECK(quote_csv("+1+1") == "'+1+1");
  CHECK(quote_csv("-x") == "'-x");
  CHECK(quote_csv("-") == "'-");
  CHECK(quote_csv("-inf") == "'-inf");
  CHECK(quote_csv("=HYPERLINK(\"a\",1)") == "\"'=HYPERLINK(\"\"a\"\",1)\"");
  for (const auto* text : {"-1", "+0.5", "-1.5e-3", "-.5", "a=b", "1-2", "'=1"})
    CHECK(quote_csv(text) == text);
}
