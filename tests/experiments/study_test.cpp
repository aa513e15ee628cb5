#include "transformer/experiments/study.h"

#include "tests/catch.h"
#include "tests/experiments/study.h"
#include "transformer/base/error.h"

using namespace transformer;
using Catch::Matchers::Equals;

TEST_CASE("who wants test sets must have one for each experiment") {
  test::ScriptedStudy scripted;
  scripted.load("{name: base}");
  CHECK_NOTHROW(experiments::check_tests(scripted.study.list));
  scripted.load("{name: base}", "test: true\nset: {data.test: dev}\n");
  CHECK_NOTHROW(experiments::check_tests(scripted.study.list));
  scripted.load("{name: base}, {name: wide, set: {data.test: dev}}", "test: true\n");
  CHECK_THROWS_WITH(
      experiments::check_tests(scripted.study.list),
      Equals("base: data.test: expected a test set, which the list's 'test' asks for, found nothing"));
}

TEST_CASE("as many checkpoints as are averaged must be made and kept, by each experiment") {
  test::ScriptedStudy scripted;
  const auto check = [&](const std::string& experiments, const std::string& more) {
    scripted.load(experiments, more);
    experiments::check_averages(scripted.study.list);
  };
  // 10 updates: checkpoints after 4, 8 and 10.
  CHECK_NOTHROW(check("{name: base}", "average: 3\nset: {train.save_every: 4, train.keep: 3}\n"));
  CHECK_THROWS_WITH(check("{name: base}, {name: short, set: {train.steps: 8}}",
                          "average: 3\nset: {train.save_every: 4, train.keep: 3}\n"),
                    Equals("short: train.steps: expected at least 3 checkpoints to be averaged, found 2: 8 "
                           "updates with one each 4"));
  CHECK_THROWS_WITH(
      check("{name: base}, {name: few, set: {train.keep: 2}}", "average: 3\nset: {train.save_every: 2}\n"),
      Equals("few: train.keep: expected at least the 3 checkpoints to be averaged, found 2"));
}

TEST_CASE("experiments are named with commas between them, also those whose names have some") {
  test::ScriptedStudy scripted;
  scripted.load("{name: base}, {name: a, set: {model.d_ff: [8, 16], train.steps: [10, 20]}}, {name: b}");
  const auto names = [&](const std::string& text) {
    return experiments::names_in(scripted.study.list, text);
  };
  CHECK(names("b") == std::vector<std::string>{"b"});
  CHECK(names("b,base") == std::vector<std::string>{"b", "base"});
  CHECK(names("a.d_ff=8,steps=20,b,a.d_ff=16,steps=10") ==
        std::vector<std::string>{"a.d_ff=8,steps=20", "b", "a.d_ff=16,steps=10"});
  for (const auto& [text, word] :
       {std::pair("b,c", "c"), std::pair("a.d_ff=8", "a.d_ff=8"), std::pair("a.d_ff=8,b", "a.d_ff=8")})
    CHECK_THROWS_WITH(names(text),
                      Equals(std::string("--only ") + word +
                             ": expected the name of an experiment, such as b, found another word"));
  for (const std::string text : {"b,", "", ",b"})
    CHECK_THROWS_WITH(names(text), Equals("--only " + text +
                                          ": expected the name of an experiment, such as b, found nothing"));
}
