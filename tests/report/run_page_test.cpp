#include "transformer/report/run_page.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/report/markup.h"
#include "tests/report/sample.h"

namespace transformer::report {
namespace {

using test::count;
using test::fault_of;
using test::nasty;

WatchedRun trained(const std::string& name, bool bleu = true) {
  WatchedRun run{.name = name, .lines = {}, .samples = {}};
  for (std::int64_t step = 100; step <= 500; step += 100) {
    const auto at = static_cast<double>(step);
    run.lines.push_back({.step = step,
                         .seconds = at / 10,
                         .values = {{"loss", 500 / at},
                                    {"perplexity", 5000 / at},
                                    {"learning_rate", at * 1e-7},
                                    {"gradient_norm", 2},
                                    {"tokens_per_second", 12345},
                                    {"flops", at * 1e10}}});
    if (step % 200 != 0) continue;
    run.lines.push_back({.step = step,
                         .dev = true,
                         .seconds = at / 10 + 1,
                         .values = {{"loss", 600 / at}, {"perplexity", 6000 / at}}});
    if (bleu) run.lines.back().values["bleu"] = at / 20;
    run.samples.push_back({step, 1, "ein Haus", "a house", "a house, version " + std::to_string(step)});
  }
  return run;
}

/// The page without its script, which is no markup.
std::string markup_of(std::string page) {
  const auto begin = page.find("<script>"), end = page.find("</script>");
  REQUIRE(begin != std::string::npos);
  REQUIRE(page.find("<script>", begin + 1) == std::string::npos);
  return page.erase(begin, end + 9 - begin);
}

TEST_CASE("a page shows all that was measured of a run") {
  const auto page = run_page({trained("mine")}, {});
  CHECK(fault_of(markup_of(page)).empty());
  CHECK_THAT(page, ContainsSubstring("<title>mine</title>"));
  for (const char* title : {"Loss", "Perplexity", "BLEU", "Learning rate", "Gradient norm", "Speed"})
    CHECK_THAT(page, ContainsSubstring(std::string("class=\"panel\">") + title));
  CHECK(count(page, "<figure ") == 6);
  CHECK_THAT(page, ContainsSubstring(
                       "<td class=\"number\">15.00 (400)</td>"));  // the best perplexity, of the dev set
  CHECK_THAT(page, ContainsSubstring("<td class=\"number\">20.00 (400)</td>"));  // and BLEU
  CHECK_THAT(page, ContainsSubstring(">updates</text>"));
  CHECK_THAT(page, !ContainsSubstring("Not measured"));
  CHECK_THAT(page, !ContainsSubstring("http-equiv"));
  // Numbers for the pointer: where the point is, in pixels, after how many updates, what it was.
  CHECK_THAT(page, ContainsSubstring(",500.0,1.0]"));
  // The newest translation stands first.
  CHECK(page.find("a house, version 400") < page.find("a house, version 200"));
  CHECK_THAT(page, ContainsSubstring("<td class=\"text\">ein Haus</td>"));
}

TEST_CASE("a page says what a run is doing, when it last wrote, what is left, and how it is set") {
  auto run = trained("mine");
  run.steps = 1000;
  run.settings = {{"model.heads", "4"}, {"train.steps", "1000"}};
  auto other = trained("other");
  other.settings = {{"model.heads", "2"}};
  for (auto& line : run.lines) line.values["time"] = 1.7e9 + line.seconds;
  const auto page = run_page({run, other}, {.now = 1.7e9 + 100});
  CHECK(fault_of(markup_of(page)).empty());
  CHECK_THAT(page, ContainsSubstring("<td class=\"word\">trains</td><td class=\"word\">2023-11-1"));
  CHECK_THAT(page, ContainsSubstring("<td class=\"number\">500</td><td class=\"number\">1\u00a0000</td>"));
  CHECK_THAT(page,
             ContainsSubstring("<td class=\"number\">50 s</td><td class=\"number\">50 s</td>"));  // left, too
  CHECK_THAT(page, ContainsSubstring("Settings that are not the defaults (2)"));
  CHECK_THAT(page, ContainsSubstring("<th scope=\"row\">train.steps</th><td class=\"text\">1000</td>"
                                     "<td class=\"text\">default</td>"));
  CHECK(count(page, "(after updates)</th>") == 2);
  CHECK_THAT(page, ContainsSubstring(">best perplexity (after updates)<") &&
                       ContainsSubstring(">best BLEU (after updates)<"));
  CHECK(page.find("bold curves") < page.find("<figure"));  // before what it explains

  CHECK(state_of(run, 1.7e9 + 50 + 120) == RunState::trains);
  CHECK(state_of(run, 1.7e9 + 50 + 121) == RunState::stopped);
  CHECK(state_of(other, 1.7e9) == RunState::stopped);  // without times nobody knows
  CHECK_FALSE(seconds_left(other));
  run.steps = 500;
  CHECK(state_of(run, 1.7e9 + 1000) == RunState::finished);
  CHECK_FALSE(seconds_left(run));
  CHECK(state_of({.name = "", .lines = {}, .samples = {}}, 0) == RunState::begun);
}

TEST_CASE("runs share charts, each in its colour, and keep their names") {
  std::vector<WatchedRun> runs;
  for (int i = 0; i < 9; ++i) runs.push_back(trained("run-" + std::to_string(i)));
  const auto page = run_page(runs, {});
  CHECK(fault_of(markup_of(page)).empty());
  CHECK_THAT(page, ContainsSubstring("<title>9 runs</title>"));
  CHECK(count(page, "<figure ") == 6);
  for (const auto& run : runs) CHECK_THAT(page, ContainsSubstring("</svg>" + run.name + "</li>"));
  CHECK_THAT(page, ContainsSubstring("class=\"mean c7\""));
  CHECK_THAT(page, ContainsSubstring("class=\"mean c0 dash1\""));  // the ninth
  CHECK(count(page, "<polyline points=\"1,4 25,4\"") == 9);
}

TEST_CASE("what was not measured has no chart and is named") {
  const auto page = run_page({trained("mine", /*bleu=*/false)}, {});
  CHECK(count(page, "<figure ") == 5);
  CHECK_THAT(page, ContainsSubstring("Not measured so far: BLEU of the dev set."));
  CHECK_THAT(run_page({trained("one", false), trained("other", true)}, {}),
             !ContainsSubstring("Not measured"));

  const auto begun = run_page({WatchedRun{.name = "begun", .lines = {}, .samples = {}}}, {});
  CHECK(fault_of(begun).empty());
  CHECK_THAT(begun, ContainsSubstring("Nothing has been measured yet."));
  CHECK_THAT(begun, !ContainsSubstring("<figure"));
}

TEST_CASE("a single point is a mark, and a curve without range has room") {
  auto run = trained("mine");
  run.lines.erase(run.lines.begin() + 1, run.lines.end());
  const auto page = run_page({run}, {});
  CHECK(fault_of(markup_of(page)).empty());
  CHECK(count(page, "<path d=") == 5);
  CHECK_THAT(page, !ContainsSubstring("nan") && !ContainsSubstring("inf\""));
}

TEST_CASE("what is asked for: other axes, smoothing, a page that loads itself anew, a note") {
  const std::vector runs{trained("mine")};
  CHECK_THAT(run_page(runs, {.over = RunAxis::time}), ContainsSubstring(">seconds of training</text>"));
  CHECK_THAT(run_page(runs, {.over = RunAxis::flops}), ContainsSubstring(">10¹² FLOPs</text>"));
  const auto smooth = run_page(runs, {.smooth = 0.5});
  CHECK_THAT(smooth, ContainsSubstring("moving average of weight 0.5"));
  CHECK_THAT(smooth, ContainsSubstring(",200.0,3.33333333"));  // (5 · ½ + 2.5) / 1.5, of the training's loss
  CHECK_THAT(smooth, ContainsSubstring(",400.0,1.5]"));        // the dev set's as it was measured
  const auto watched = run_page(runs, {.reload = 30, .note = "as of <noon>"});
  CHECK(fault_of(markup_of(watched)).empty());
  CHECK_THAT(watched, ContainsSubstring("<meta http-equiv=\"refresh\" content=\"30\"/>"));
  CHECK_THAT(watched, ContainsSubstring("as of &lt;noon&gt;"));
}

TEST_CASE("the page needs nothing else, and escapes every text") {
  auto run = trained(nasty);
  run.samples = {{100, 1, nasty, nasty, nasty}};
  const auto page = run_page({run, trained("\"},{\"")}, {.note = nasty});
  CHECK(fault_of(markup_of(page)).empty());
  CHECK_THAT(markup_of(page), !ContainsSubstring("<script"));
  for (const char* part : {"<link", "<img", "href=", "src=", "url(", "@import", "fetch("})
    CHECK_THAT(page, !ContainsSubstring(part));
  CHECK(count(page, "http") == count(page, "xmlns=\"http") + count(page, "\"http://www.w3.org/2000/svg\";"));
  CHECK_THAT(page, ContainsSubstring("prefers-color-scheme: dark"));
}

TEST_CASE("of long curves and many evaluations some points are shown, the ends among them") {
  WatchedRun run{.name = "long", .lines = {}, .samples = {}};
  for (std::int64_t step = 1; step <= 100000; ++step)
    run.lines.push_back({.step = step, .values = {{"loss", 1.0}}});
  for (std::int64_t step = 1; step <= 100; ++step)
    run.samples.push_back({step, 1, "a", "b", "version " + std::to_string(step)});
  const auto page = run_page({run}, {});
  CHECK(page.size() < 50000);
  for (const char* shown : {",1.0,1.0]", ",100000.0,1.0]", ">version 1<", ">version 100<"})
    CHECK_THAT(page, ContainsSubstring(shown));
  CHECK(count(page, ">version ") == 12);
}

}  // namespace
}  // namespace transformer::report
