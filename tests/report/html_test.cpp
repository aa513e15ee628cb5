#include "tests/catch.h"
#include "tests/report/markup.h"
#include "tests/report/sample.h"

using namespace transformer::test;

TEST_CASE("the check of markup finds faults") {
  CHECK(fault_of("<a b=\"c\"><d/>&lt;</a>\n").empty());
  CHECK(!fault_of("<a><b></a></b>").empty());
  CHECK(!fault_of("<a>").empty());
  CHECK(!fault_of("<a>&</a>").empty());
  CHECK(!fault_of("<a>&nbsp;</a>").empty());
  CHECK(!fault_of("<a></a><b></b>").empty());
  CHECK(!fault_of("<a b=\"<\"></a>").empty());
  CHECK(!fault_of("<a> < </a>").empty());
  CHECK(!fault_of("<a>\x1b</a>").empty());
  CHECK(!fault_of("").empty());
}

TEST_CASE("HTML of a small report") {
  const std::string text = to_html(small_report());
  CHECK(fault_of(text).empty());
  CHECK_THAT(text, ContainsSubstring("<title>Table 3</title>"));
  CHECK_THAT(text,
             ContainsSubstring("<td class=\"number\">p = 0.333 (sentences p = 0.012, seeds p = 0.333)</td>"));
  auto one_seed = small_report();
  one_seed.rows[0].runs.pop_back();
  CHECK_THAT(to_html(one_seed), ContainsSubstring("<td class=\"number\">sentences p = 0.012</td>"));
  CHECK_THAT(to_html(one_seed), ContainsSubstring("not decided (−0.75, sentences p = 0.012)</td>"));
  auto steady = small_report();  // seeds change nothing
  steady.rows[0].runs[0].score = steady.rows[0].runs[1].score = 25.25;
  CHECK_THAT(to_html(steady),
             ContainsSubstring("<td class=\"agrees\">agrees (−0.75, sentences p = 0.012)</td>"));
  CHECK_THAT(text,
             ContainsSubstring("<tr class=\"baseline\"><td class=\"word\"></td><th scope=\"row\">base</th>"));
  CHECK_THAT(text, ContainsSubstring("<tr class=\"row new-group\"><td class=\"word\">A</td>"));
  CHECK_THAT(text,
             ContainsSubstring("<details>\n<summary><h2>Departures from the paper (1)</h2></summary>\n"));
  CHECK(text.find("<h2>Compared with the paper</h2>") < text.find("<h2>Results</h2>"));
  CHECK(text.find("<h2>Results</h2>") < text.find("<h2>Scores by seed</h2>"));
  CHECK(text.find("<h2>Scores by seed</h2>") < text.find("<h2>Departures"));
  CHECK_THAT(
      text, ContainsSubstring("code { overflow-wrap: anywhere; }"));  // a signature is wider than a telephone
  CHECK(count(text, "<svg ") == 2);
  CHECK(count(text, "<style>") == 1);
}

TEST_CASE("HTML of test sets and published systems") {
  const std::string text = to_html(report_with_tests());
  CHECK(fault_of(text).empty());
  CHECK_THAT(text, ContainsSubstring("<h2>BLEU and training cost</h2>"));
  CHECK_THAT(text, ContainsSubstring("<th scope=\"row\">ByteNet</th><td class=\"text\">published</td>"));
  CHECK_THAT(to_html(small_report()), !ContainsSubstring("training cost"));
}

TEST_CASE("HTML of claims") {
  auto report = report_with_claims();
  report.rows[0].runs[0].score = report.rows[0].runs[1].score = 25.25;
  const std::string text = to_html(report);
  CHECK(fault_of(text).empty());
  CHECK_THAT(text, ContainsSubstring("<h2>Claims</h2>"));
  CHECK_THAT(text, ContainsSubstring("<td class=\"agrees\">held</td>"));
  CHECK_THAT(to_html(small_report()), !ContainsSubstring("Claims"));
}

TEST_CASE("HTML needs nothing else") {
  const std::string text = to_html(small_report());
  for (const char* part : {"<script", "<link", "<img", "href=", "src=", "url(", "@import"})
    CHECK_THAT(text, !ContainsSubstring(part));
  // The only addresses are the names of namespaces.
  CHECK(count(text, "http") == count(text, "xmlns=\"http"));
  CHECK_THAT(text, ContainsSubstring("prefers-color-scheme: dark"));
}

TEST_CASE("HTML escapes every text") {
  auto report = small_report();
  report.title = report.dev = report.score.signature = nasty;
  report.departures = report.notes = {nasty};
  report.failures = {{nasty, nasty, {nasty}}};
  for (auto& row : report.rows) {
    row.name = row.group = row.changes = row.runs[0].state = nasty;
  }
  const std::string text = to_html(report);
  CHECK(fault_of(text).empty());
  CHECK_THAT(text, !ContainsSubstring("<b>"));
  CHECK_THAT(text, ContainsSubstring("<pre>&lt;b&gt;&amp;&quot;&#39;|`*\n\n\uFFFD[0m\uFFFD\n</pre>"));
}

TEST_CASE("HTML of odd reports is well formed and has no figure that is none") {
  for (const auto& report : odd_reports()) {
    const std::string text = to_html(report);
    CHECK(fault_of(text) == "");
    for (const char* part : {"=\"nan", "=\"inf", "=\"-nan", "=\"-inf", ",nan", ",inf", ",-nan"})
      CHECK_THAT(text, !ContainsSubstring(part));
  }
}
