#include "transformer/experiments/results.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "tests/catch.h"
#include "tests/experiments/study.h"
#include "transformer/base/error.h"
#include "transformer/experiments/runner.h"

using namespace transformer;
using namespace transformer::experiments;
namespace fs = std::filesystem;

namespace {

/// Lets the scripts do all runs.
void finish(const Study& study) {
  const std::atomic<bool> go_on = false;
  Plan plan;
  for (const auto& variation : study.list.variations) plan[variation.name] = {.seconds = 1};
  run_all(study, plan, {.quiet = true, .interrupted = go_on, .changed = [] {}});
}

}  // namespace

TEST_CASE("before any run a report has all rows, and says what they will be") {
  const test::ScriptedStudy scripted;
  const auto report = collect_results(scripted.study);
  CHECK(report.title == "A study");
  CHECK(report.baseline == "base");
  CHECK_THAT(report.score.signature, ContainsSubstring("nrefs:1|case:mixed|eff:no|tok:13a|"));
  REQUIRE(report.rows.size() == 2);
  CHECK(report.rows[0].runs.size() == 2);
  CHECK(report.rows[0].changes.empty());
  CHECK(report.rows[1].group == "C");
  CHECK(report.rows[1].changes == "d_ff 64");
  CHECK(report.rows[1].paper.score == 26.2);
  CHECK(report.rows[1].parameters > report.rows[0].parameters);
  for (const auto& row : report.rows) {
    for (const auto& run : row.runs) CHECK(run.state == "waiting");
    CHECK_FALSE(row.score_interval);
    CHECK_FALSE(row.against_baseline);
  }
  CHECK_THAT(report.notes.back(), ContainsSubstring("not prepared yet"));
}

TEST_CASE("a report says which checkpoints are judged") {
  test::ScriptedStudy scripted;
  const auto note = [&](const std::string& experiments, const std::string& more = "") {
    scripted.load(experiments, more);
    return collect_results(scripted.study).notes.front();
  };
  CHECK(note("{name: wide}") ==
        "BLEU is of the last checkpoint, without averaging, as in the paper's Table 3.");
  CHECK_THAT(note("{name: wide}", "average: 3\n"),
             Catch::Matchers::StartsWith("BLEU is of the mean of the last 3 checkpoints (the"));
  CHECK_THAT(note("{name: wide, average: 20}, {name: deep}", "average: 5\n"),
             Catch::Matchers::StartsWith(
                 "BLEU is of the mean of the last checkpoints, 5 of base, 20 of wide, 5 of deep, (the"));
}

TEST_CASE("a finished run has its figures, and is compared with the baseline") {
  test::ScriptedStudy scripted;
  scripted.prepare();
  // Half of the wide model's translations are another's.
  scripted.script("translate",
                  "case $output in *wide*) printf 'Die Frau sieht zwei Fahrräder.\\nNein.\\nJa.\\n'"
                  " >$output ;; *) cp " +
                      (scripted.folder.path() / "dev.de").string() + " $output ;; esac");
  finish(scripted.study);
  const auto report = collect_results(scripted.study);
  CHECK(report.failures.empty());
  const auto &base = report.rows[0], &wide = report.rows[1];
  for (const auto& run : base.runs) {
    CHECK(run.state == "finished");
    CHECK(run.score == Approx(100));
    CHECK(run.perplexity == 7.5);
    CHECK(run.steps == 10);
    CHECK(run.flops == 20);
    CHECK(run.seconds == 2);
    REQUIRE(run.curve.size() == 1);
    CHECK(run.curve[0].step == 10);
  }
  CHECK(base.runs[1].seed == 2);
  CHECK(base.score_interval->mean == Approx(100));
  CHECK_FALSE(base.against_baseline);
  REQUIRE(wide.runs[0].score);
  CHECK(*wide.runs[0].score < 70);
  REQUIRE(wide.against_baseline);
  CHECK(wide.against_baseline->difference == Approx(*wide.runs[0].score - 100));
  CHECK(wide.against_baseline->p_value <= 1);
}

TEST_CASE("what is claimed of a row is judged against the row that it names") {
  test::ScriptedStudy scripted;
  scripted.load(
      "{name: base, seeds: 2}, {name: wide, set: {model.d_ff: 64}}, {name: late, set: {train.steps: 20}}",
      "claims: [{claim: Width costs, row: wide, expected: worse},"
      " {claim: The base is better, row: base, against: wide, expected: better},"
      " {claim: Time pays, row: late, against: wide, expected: better}]\n");
  scripted.prepare();
  scripted.script("translate",
                  "case $output in *wide*) printf 'Die Frau sieht zwei Fahrräder.\\nNein.\\nJa.\\n'"
                  " >$output ;; *) cp " +
                      (scripted.folder.path() / "dev.de").string() + " $output ;; esac");
  scripted.study.only = {"wide"};
  finish(scripted.study);
  const auto report = collect_results(scripted.study);
  REQUIRE(report.claims.size() == 3);
  const auto &worse = report.claims[0].comparison, &better = report.claims[1].comparison;
  REQUIRE(worse);
  REQUIRE(better);
  CHECK(worse->difference == Approx(*report.rows[1].runs[0].score - 100));
  CHECK(better->difference == Approx(-worse->difference));
  CHECK(better->half_width == Approx(worse->half_width));
  CHECK(report.claims[2].text == "Time pays");
  CHECK_FALSE(report.claims[2].comparison);  // nobody has trained it
}

TEST_CASE("what a run lacks is said, and no figure is taken for another") {
  test::ScriptedStudy scripted;
  scripted.prepare();
  finish(scripted.study);
  const auto folder = scripted.study.output / "wide/seed-1";
  const auto metrics = read_file(folder / "train/metrics.jsonl");
  CHECK(collect_results(scripted.study).rows[1].runs[0].perplexity == 7.5);

  SECTION("the end of its learning curve") {
    std::ofstream(folder / "train/metrics.jsonl") << metrics.substr(0, metrics.size() - 20);
    const auto run = collect_results(scripted.study).rows[1].runs[0];
    CHECK(run.state == "finished");
    CHECK(run.score == Approx(100));
    CHECK_FALSE(run.perplexity);
  }
  SECTION("a line of its translations") {
    std::ofstream(folder / "dev.translation") << "Nein.\nJa.\nJa.\n";
    CHECK_THROWS_WITH(collect_results(scripted.study),
                      ContainsSubstring("wide/seed-1/dev.translation: expected the file whose "));
    auto record = read_record({folder});
    record.decoded_sum.clear();  // as before there were such sums
    write_record({folder}, record);
    std::ofstream(folder / "dev.translation") << "Nein.\nJa.\n";
    CHECK_THROWS_WITH(collect_results(scripted.study),
                      ContainsSubstring("wide/seed-1/dev.translation: expected 3 lines, one for each of the "
                                        "prepared set, found 2"));
  }
  SECTION("success: its translations count nowhere") {
    auto record = read_record({folder});
    record.failure = Failure{"no space left", {}};
    write_record({folder}, record);
    const auto row = collect_results(scripted.study).rows[1];
    CHECK(row.runs[0].state == "failed: no space left");
    CHECK_FALSE(row.runs[0].score);
    CHECK_FALSE(row.score_interval);
    CHECK_FALSE(row.against_baseline);
  }
}

TEST_CASE("a report says in what precision its runs were begun, whatever it is told") {
  test::ScriptedStudy scripted;
  scripted.prepare();
  const auto note = [&] {
    const auto notes = collect_results(scripted.study).notes;
    const auto found = std::ranges::find_if(notes, [](const auto& one) { return one.starts_with("Matrix"); });
    return found == notes.end() ? "" : *found;
  };
  CHECK(note() == "Matrix products are computed in fp32.");  // as they will be
  scripted.study.precision = "auto";
  CHECK(note().empty());
  scripted.study.precision = "bf16";
  finish(scripted.study);
  scripted.study.precision = "fp32";
  CHECK(note() == "Matrix products are computed in bf16.");
  auto record = read_record({scripted.study.output / "wide/seed-1"});
  record.precision = "fp32";
  write_record({scripted.study.output / "wide/seed-1"}, record);
  CHECK(note() == "Matrix products are computed in bf16 or fp32.");
}

TEST_CASE("a report says what was computed elsewhere than on the CPU") {
  test::ScriptedStudy scripted;
  scripted.prepare();
  finish(scripted.study);
  const auto note = [&]() -> std::string {
    for (const auto& one : collect_results(scripted.study).notes)
      if (one.find(" trainings were computed on ") != std::string::npos) return one;
    return "";
  };
  CHECK(note().empty());
  std::int64_t runs = 0;
  for (const auto& run : runs_of(scripted.study)) runs += read_record(run.folder).trained > 0 ? 1 : 0;
  auto record = read_record({scripted.study.output / "wide/seed-1"});
  record.device = "cuda";
  write_record({scripted.study.output / "wide/seed-1"}, record);
  CHECK(note() == "1 of " + std::to_string(runs) + " trainings were computed on cuda.");
}

TEST_CASE("test sets are scored as the list says, by words of German where the target is German") {
  test::ScriptedStudy scripted;
  scripted.folder.write("test.en", "A red house on an old hill.\n");
  scripted.folder.write("test.de", "Ein rotes US-Haus auf dem Berg.\n");
  scripted.folder.write("found.de", "Ein rotes US-Haus auf einem Berg.\n");
  scripted.folder.write("test.fr", "Une maison rouge sur une vieille colline.\n");
  for (const auto* split : {"train", "dev"})
    fs::copy_file(scripted.folder.path() / (std::string(split) + ".de"),
                  scripted.folder.path() / (std::string(split) + ".fr"));
  const std::string at = scripted.folder.path().string();
  scripted.script("translate", "case $output in *french*test.translation) cp " + at +
                                   "/test.fr $output ;; *test.translation) cp " + at +
                                   "/found.de $output ;; *) cp " + at + "/dev.de $output ;; esac");
  scripted.load(
      "{name: base}, {name: french, set: {data.target: fr, data.prepared: prepared-fr}}",
      "test: true\ntokenize: [13a, paper, moses-fr]\nsustained: 5\ntarget: 30\nset: {data.test: test}\n"
      "published: [{name: ByteNet, bleu: 23.75}]\n");
  for (const auto& variation : scripted.study.list.variations)
    data::prepare(variation.experiment.data, {.quiet = true});
  CHECK(collect_results(scripted.study).rows[0].runs[0].test_scores.empty());
  finish(scripted.study);
  const auto report = collect_results(scripted.study);
  REQUIRE(report.test_measures.size() == 3);
  CHECK(report.test_measures[1].name == "paper");
  CHECK_THAT(report.test_measures[1].signature, ContainsSubstring("|tok:paper|"));
  CHECK(report.test_measures[0].language.empty());
  CHECK(report.test_measures[1].language == "German");
  CHECK(report.test_measures[2].language == "French");
  CHECK(report.sustained == 5);
  CHECK(report.target == 30);
  REQUIRE(report.published.size() == 1);
  CHECK(report.published[0].score == 23.75);
  CHECK(report.rows[0].test == scripted.folder.path().filename().string() + "/test");

  // "Ein rotes US-Haus auf dem/einem Berg ." 6 of 7 words, 4 of 6 pairs, 2 of 5 and 1 of 4 longer ones agree.
  const auto& german = report.rows[0].runs[0].test_scores;
  REQUIRE(german.size() == 3);
  CHECK(*german[0] == Approx(100 * std::pow(6.0 / 7 * 4 / 6 * 2 / 5 * 1 / 4, 0.25)));
  // "US ##AT##-##AT## Haus": 8 of 9, 6 of 8, 4 of 7, 3 of 6.
  CHECK(*german[1] == Approx(100 * std::pow(8.0 / 9 * 6 / 8 * 4 / 7 * 3 / 6, 0.25)));
  CHECK_FALSE(german[2]);
  const auto& french = report.rows[1].runs[0].test_scores;
  REQUIRE(french.size() == 3);
  CHECK(*french[0] == Approx(100));
  CHECK_FALSE(french[1]);
  CHECK(*french[2] == Approx(100));

  const RunFolder folder{scripted.study.output / "base" / "seed-1"};
  fs::remove(folder.path / "test.translation");
  CHECK(collect_results(scripted.study).rows[0].runs[0].state == "trained, test set not yet translated");
}

TEST_CASE("runs with another dev set are not compared with the baseline") {
  test::ScriptedStudy scripted;
  scripted.folder.write("other.en", "One.\nTwo.\nThree.\n");
  scripted.folder.write("other.de", "Eins.\nZwei.\nDrei.\n");  // as many lines
  scripted.load(
      "{name: wide, set: {model.d_ff: 64}}, {name: other, set: {data.dev: other, data.prepared: other, "
      "train.from: general/model}}");
  for (const auto& variation : scripted.study.list.variations)
    data::prepare(variation.experiment.data, {.quiet = true});
  finish(scripted.study);
  const auto report = collect_results(scripted.study);
  CHECK(report.rows[1].against_baseline);
  // Files by their names: where they lie on this machine is of no interest.
  CHECK(report.rows[2].changes ==
        "data.dev " + scripted.folder.path().filename().string() + "/other, train.from general/model");
  CHECK(report.rows[2].runs[0].score);
  CHECK_FALSE(report.rows[2].against_baseline);
  CHECK(report.rows[1].same_subwords);
  CHECK_FALSE(report.rows[2].same_subwords);
}

TEST_CASE("runs with another vocabulary have the baseline's BLEU to compare, and another perplexity") {
  test::ScriptedStudy scripted;
  scripted.load("{name: fewer, set: {data.vocabulary: 40, data.prepared: fewer}}");
  for (const auto& variation : scripted.study.list.variations)
    data::prepare(variation.experiment.data, {.quiet = true});
  finish(scripted.study);
  const auto report = collect_results(scripted.study);
  CHECK(report.rows[1].against_baseline);
  CHECK_FALSE(report.rows[1].same_subwords);
}

TEST_CASE("figures of runs whose configuration has changed are not reported") {
  test::ScriptedStudy scripted;
  scripted.prepare();
  finish(scripted.study);
  scripted.load("{name: base, seeds: 2}, {name: wide, set: {model.d_ff: 48}}");
  const auto report = collect_results(scripted.study);
  CHECK(report.rows[0].runs[0].state == "finished");
  CHECK(report.rows[1].runs[0].state == "waiting; model.d_ff was 64 and is 48");
  CHECK_FALSE(report.rows[1].runs[0].score);
  CHECK(report.rows[1].runs[0].curve.empty());
}

TEST_CASE("figures of runs on other data than those that are prepared are not reported") {
  test::ScriptedStudy scripted;
  scripted.prepare();
  finish(scripted.study);
  for (const auto& run : runs_of(scripted.study)) {
    auto record = read_record(run.folder);
    record.data = "of others";
    write_record(run.folder, record);
  }
  const auto report = collect_results(scripted.study);
  for (const auto& row : report.rows) {
    CHECK(row.runs[0].state == "waiting; the prepared data are others");
    CHECK_FALSE(row.runs[0].score);
    CHECK_FALSE(row.against_baseline);
  }
}

TEST_CASE("a failed run and one at work say so") {
  test::ScriptedStudy scripted;
  scripted.prepare();
  scripted.script("translate", "case $output in *wide*) echo 'error: no' >&2; exit 2 ;; esac\ncp " +
                                   (scripted.folder.path() / "dev.de").string() + " $output");
  finish(scripted.study);
  auto report = collect_results(scripted.study);
  CHECK(report.rows[1].runs[0].state == "failed: translating: exit status 2");
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].run == "wide, seed 1");
  CHECK(report.failures[0].log == std::vector<std::string>{"error: no"});

  const RunFolder folder{scripted.study.output / "base" / "seed-2"};
  auto record = read_record(folder);
  record.trained = 0;
  write_record(folder, record);
  CHECK(collect_results(scripted.study).rows[0].runs[1].state == "training, step 10 of 10");
  record.trained = 10;
  record.decoded.clear();
  write_record(folder, record);
  CHECK(collect_results(scripted.study).rows[0].runs[1].state == "trained, not yet translated");
}

TEST_CASE("a report is written in all its forms, and again only over itself") {
  test::ScriptedStudy scripted;
  scripted.prepare();
  finish(scripted.study);
  write_report(scripted.study);
  for (const auto* name :
       {"report.md", "report.csv", "report.html", "learning-curves.svg", "bleu-by-parameters.svg"})
    CHECK(fs::file_size(scripted.study.output / name) > 100);
  CHECK_NOTHROW(write_report(scripted.study));
  std::ofstream(scripted.study.output / "report.md") << "mine\n";
  CHECK_THROWS_AS(write_report(scripted.study), InputError);
  CHECK_NOTHROW(update_report(scripted.study));  // only says so
  CHECK(test::content_of(scripted.study.output / "report.md") == "mine\n");
}

TEST_CASE("rows can be judged by what a metric of predictions counts") {
  test::ScriptedStudy scripted;
  scripted.load("{name: base, seeds: 2}, {name: wide, set: {model.d_ff: 64}, paper: {score: 3, bleu: 26}}",
                "set: {train.metric: perplexity}\ntarget: 200\n");
  scripted.prepare();
  // exp(2 nats / 2 tokens), and exp(4 / 2) for the wide one
  scripted.script("score",
                  "case $output in *wide*) nats=4000000000 ;; *) nats=2000000000 ;; esac\n"
                  "for i in 1 2 3; do echo \"$nats 2 0\"; done >$output");
  finish(scripted.study);
  CHECK(scripted.count_calls("translate") == 0);
  CHECK(scripted.count_calls("score --model") == 3);
  const auto report = collect_results(scripted.study);
  CHECK(report.failures.empty());
  CHECK(report.score.title == "Perplexity");
  CHECK(report.trivial.empty());
  REQUIRE(report.rows[0].runs[0].score);
  CHECK(*report.rows[0].runs[0].score == Approx(std::exp(1)));
  CHECK(*report.rows[1].runs[0].score == Approx(std::exp(2)));
  CHECK(report.rows[1].paper.score == 3);
  CHECK(report.rows[1].against_baseline->difference == Approx(std::exp(2) - std::exp(1)));
  CHECK_THAT(report.notes.front(), ContainsSubstring("Perplexity is of the last checkpoint"));

  const auto file = scripted.study.output / "wide" / "seed-1" / "dev.perplexity";
  std::ofstream(file) << "1 2\n";
  CHECK_THROWS_WITH(collect_results(scripted.study),
                    ContainsSubstring("dev.perplexity: expected the file whose SHA-256"));
}
