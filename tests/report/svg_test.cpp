#include "transformer/report/svg.h"

#include "tests/catch.h"
#include "tests/report/markup.h"

using namespace transformer::report;
using transformer::test::fault_of;

TEST_CASE("a picture, element by element") {
  Svg svg("id", 100, 50.25, "A & B", "<what>", Ground::page);
  svg.line({0, 0}, {1.04, -0.04}, "axis");
  svg.polyline({{1, 2}, {3, 4}}, "mean", "hint");
  svg.text({1, 2}, "<t>", "small", Anchor::end);
  const std::string text = std::move(svg).finish();
  CHECK(fault_of(text).empty());
  CHECK(text ==
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"100\" height=\"50.3\" "
        "viewBox=\"0 0 100 50.3\" role=\"img\" aria-labelledby=\"id-title id-description\">\n"
        "<title id=\"id-title\">A &amp; B</title>\n<desc id=\"id-description\">&lt;what&gt;</desc>\n"
        "<rect x=\"0\" y=\"0\" width=\"100\" height=\"50.3\" class=\"ground\"/>\n"
        "<line x1=\"0\" y1=\"0\" x2=\"1\" y2=\"0\" class=\"axis\"/>\n"
        "<polyline points=\"1,2 3,4\" class=\"mean\"><title>hint</title></polyline>\n"
        "<text x=\"1\" y=\"2\" text-anchor=\"end\" class=\"small\">&lt;t&gt;</text>\n</svg>\n");
}

TEST_CASE("texts are measured and cut in characters, not bytes") {
  CHECK(text_width("äöü") == text_width("abc"));
  CHECK(shorten("äöü", 3) == "äöü");
  CHECK(shorten("äöüß", 3) == "äö…");
  CHECK(shorten("", 3).empty());
}
