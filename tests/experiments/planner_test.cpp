#include "transformer/experiments/planner.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/experiments/study.h"
#include "transformer/base/error.h"
#include "transformer/experiments/results.h"
#include "transformer/variants/registry.h"

using namespace transformer;
using namespace transformer::experiments;

namespace {

const std::atomic<bool> kGoOn{false};
const std::atomic<bool> kStop{true};

/// What transformer-train --dry-run --json prints.
const std::string kMeasures =
    R"(echo '{"parameters":5000,"flops_per_update":200,"steps":10,"source_tokens_per_update":400,)"
    R"("target_tokens_per_update":300,"peak_memory_bytes":2097152,"seconds":90}')";

}  // namespace

TEST_CASE("an experiment is measured once, until something that counts has changed") {
  test::ScriptedStudy scripted;
  auto& study = scripted.study;
  scripted.prepare();
  scripted.script("train", kMeasures);
  const auto plan = make_plan(study, true, kGoOn);
  REQUIRE(plan.size() == 2);
  const auto& wide = plan.at("wide");
  CHECK(wide.parameters == 5000);
  CHECK(wide.flops == 2000);
  CHECK(wide.source_tokens == 400);
  CHECK(wide.target_tokens == 300);
  CHECK(wide.peak_memory == 2097152);
  CHECK(wide.seconds == 90);
  CHECK(wide.problem.empty());
  CHECK(wide.missing.empty());
  CHECK(scripted.count_calls("--dry-run --json --quiet --device auto --precision fp32 --threads 1") == 2);

  scripted.forget_calls();
  CHECK(make_plan(study, true, kGoOn).at("wide").seconds == 90);
  CHECK(scripted.calls().empty());
  study.threads = 2;
  make_plan(study, true, kGoOn);
  CHECK(scripted.calls().size() == 2);
}

TEST_CASE("data that were prepared anew are measured anew") {
  test::ScriptedStudy scripted;
  const auto& data = scripted.study.list.variations.front().experiment.data;
  scripted.prepare();
  scripted.script("train", kMeasures);
  make_plan(scripted.study, true, kGoOn);
  scripted.folder.write("dev.en", "One.\nTwo.\nThree.\n");
  data::prepare(data, {.overwrite = true, .quiet = true});
  scripted.forget_calls();
  make_plan(scripted.study, true, kGoOn);
  CHECK(scripted.calls().size() == 2);
}

TEST_CASE("what is not wanted is not measured") {
  test::ScriptedStudy scripted;
  scripted.load("{name: a}, {name: b, set: {model.d_ff: 64}}");
  scripted.prepare();
  scripted.script("train", kMeasures);
  scripted.study.only = {"b"};
  const auto plan = make_plan(scripted.study, true, kGoOn);
  CHECK(plan.size() == 2);
  CHECK(plan.count("a") == 0);
  CHECK(scripted.calls().size() == 2);  // the baseline belongs to it
}

TEST_CASE("a plan is of what is left to do") {
  test::ScriptedStudy scripted;
  const auto& study = scripted.study;
  scripted.prepare();
  const auto finish = [&](std::size_t run) {
    const auto all = runs_of(study);
    const auto& [variation, experiment, folder, name] = all.at(run);
    std::string put_aside;
    auto record = open_run_folder(folder, experiment, 1, "fp32", checksum_of_data(experiment), put_aside);
    record.trained = experiment.train.steps;
    record.decoded = decoding(experiment, variation->average);
    write_record(folder, record);
    std::ofstream(folder.judged(experiment, "dev")) << "Ein Satz.\n";
  };
  scripted.script("train", kMeasures);
  finish(2);  // wide
  auto plan = make_plan(study, true, kGoOn);
  CHECK(plan.at("wide").finished);
  CHECK(scripted.calls().size() == 1);
  auto text = describe(plan, study);
  CHECK_THAT(text, ContainsSubstring("wide           1 finished\n"));
  CHECK_THAT(text, ContainsSubstring("1 at once: 3m00s"));

  finish(0);  // of the base's two seeds
  text = describe(make_plan(study, true, kGoOn), study);
  CHECK_THAT(text, ContainsSubstring("1 at once: 1m30s"));

  std::filesystem::remove(runs_of(study).at(2).folder.judged(runs_of(study).at(2).experiment, "dev"));
  CHECK_FALSE(make_plan(study, true, kGoOn).at("wide").finished);
  finish(2);
  scripted.forget_calls();
  scripted.load("{name: base, seeds: 2}, {name: wide, set: {model.d_ff: 128}}");
  CHECK_FALSE(make_plan(study, true, kGoOn).at("wide").finished);
  CHECK(scripted.calls().size() == 1);
}

TEST_CASE("an experiment that cannot be measured says why, and is tried again") {
  test::ScriptedStudy scripted;
  scripted.prepare();
  scripted.script("train", "echo 'a warning' >&2; echo 'error: out of memory with a batch' >&2; exit 1");
  auto plan = make_plan(scripted.study, true, kGoOn);
  CHECK(plan.at("base").problem == "out of memory with a batch");
  CHECK_THAT(describe(plan, scripted.study),
             ContainsSubstring("wide           1 out of memory with a batch"));
  scripted.script("train", "kill -9 $$");
  CHECK(make_plan(scripted.study, true, kGoOn).at("base").problem == "killed by signal 9");
  scripted.script("train", kMeasures);
  CHECK(make_plan(scripted.study, true, kGoOn).at("base").problem.empty());
}

TEST_CASE("without the texts a plan is what the configuration tells") {
  const test::ScriptedStudy scripted;
  const auto& study = scripted.study;
  const auto& data = study.list.variations.front().experiment.data;
  CHECK(missing_text(data).empty());
  std::filesystem::remove(scripted.folder.path() / "dev.de");
  CHECK(missing_text(data) == (scripted.folder.path() / "dev.de").string());
  const auto plan = make_plan(study, true, kGoOn);
  CHECK(scripted.calls().empty());
  CHECK(plan.at("wide").missing == missing_text(data));
  CHECK(plan.at("wide").parameters > plan.at("base").parameters);
  CHECK(plan.at("wide").flops > plan.at("base").flops);
  const auto text = describe(plan, study);
  CHECK_THAT(text, ContainsSubstring("dev.de is missing: parameters and FLOPs of 2 experiments"));
  prepare_data(study, Preparing::possible, true, kGoOn);
  CHECK(scripted.calls().empty());
}

TEST_CASE("a plan says which FLOPs nobody knows") {
  variants::add(variants::Kind::feed_forward, {.name = "uncounted", .about = "a sample"},
                [](const variants::Place& place, const variants::Values&) { return place.d_model; });
  test::ScriptedStudy scripted;
  scripted.load("{name: base}, {name: other, set: {model.variants.feed_forward: uncounted}}");
  const Plan plan = {{"base", {}}, {"other", {}}};
  const std::string sentence =
      "FLOPs of other are counted without those of model.variants.feed_forward: uncounted, which declares "
      "none.";
  CHECK_THAT(describe(plan, scripted.study), ContainsSubstring(sentence));
  CHECK_THAT(describe(plan, scripted.study), !ContainsSubstring("FLOPs of base"));
  CHECK(std::ranges::count(collect_results(scripted.study).notes, sentence) == 1);
}

TEST_CASE("a plan adds up what the trainings take") {
  test::ScriptedStudy scripted;
  Plan plan;
  plan["base"] = {.parameters = 1'500'000,
                  .flops = 1e15,
                  .source_tokens = 10,
                  .target_tokens = 20,
                  .peak_memory = 3.0 * (1 << 20),
                  .seconds = 3600};
  plan["wide"] = plan["base"];
  plan["wide"].seconds = 1800;
  scripted.study.jobs = 2;
  const auto text = describe(plan, scripted.study);
  CHECK_THAT(text, ContainsSubstring("base           2      1.50 M  1.00e+15           10 + 20       3 MiB"));
  // Two trainings of an hour and one of half an hour, two at once.
  CHECK_THAT(text, ContainsSubstring("All of them, 2 at once: 1h15m"));
  plan["wide"].peak_memory = 1e15;
  CHECK_THAT(describe(plan, scripted.study), ContainsSubstring("choose fewer --jobs"));
}

TEST_CASE("data are prepared once for all experiments that share them") {
  test::ScriptedStudy scripted;
  prepare_data(scripted.study, Preparing::all, true, kGoOn);
  REQUIRE(scripted.calls().size() == 1);
  CHECK_THAT(scripted.calls()[0], ContainsSubstring("config.yaml --quiet"));
  scripted.load(
      "{name: base}, {name: more, set: {data.vocabulary: 100, data.prepared: other}}, "
      "{name: most, set: {data.vocabulary: 110, data.prepared: third, data.bpe_dropout: [0, 0.1]}}");
  scripted.forget_calls();
  prepare_data(scripted.study, Preparing::all, true, kGoOn);
  CHECK(scripted.calls().size() == 4);
  scripted.prepare();
  scripted.forget_calls();
  prepare_data(scripted.study, Preparing::all, true, kGoOn);
  CHECK(scripted.calls().size() == 3);
}

TEST_CASE("experiments that would make one folder each otherwise are refused before anything is prepared") {
  test::ScriptedStudy scripted;
  scripted.load("{name: base}, {name: more, set: {data.vocabulary: [100, 110], data.prepared: other}}");
  CHECK_THROWS_WITH(
      prepare_data(scripted.study, Preparing::all, true, kGoOn),
      ContainsSubstring("more.vocabulary=110: key 'data.prepared': expected a folder of its own, "
                        "since data.vocabulary is 110, but was 100 in experiment "
                        "'more.vocabulary=100', found ") &&
          ContainsSubstring("/other for both"));
  CHECK(scripted.calls().empty());
}

TEST_CASE("data that were prepared without the test set that is wanted are refused") {
  test::ScriptedStudy scripted;
  scripted.prepare();
  CHECK_NOTHROW(prepare_data(scripted.study, Preparing::all, true, kGoOn));
  scripted.study.list.test = true;
  CHECK_THROWS_WITH(
      prepare_data(scripted.study, Preparing::all, true, kGoOn),
      ContainsSubstring("/prepared: expected a test set, which the list's 'test' asks for, found"));
}

TEST_CASE("data that cannot be prepared end it with what the program said") {
  test::ScriptedStudy scripted;
  scripted.script("prepare", "echo 'error: dev.de: no lines' >&2; exit 2");
  CHECK_THROWS_AS(prepare_data(scripted.study, Preparing::all, true, kGoOn), InputError);
  CHECK_THROWS_WITH(prepare_data(scripted.study, Preparing::all, true, kGoOn), "base: dev.de: no lines");
  scripted.script("prepare", "exit 1");
  CHECK_THROWS_AS(prepare_data(scripted.study, Preparing::all, true, kGoOn), RunError);
  CHECK_THROWS_WITH(prepare_data(scripted.study, Preparing::all, true, kGoOn), "base: exit status 1");
}

TEST_CASE("preparing and planning can be interrupted, and leave nothing") {
  test::ScriptedStudy scripted;
  scripted.script("prepare", "sleep 60");
  CHECK_THROWS_AS(prepare_data(scripted.study, Preparing::all, true, kStop), Interrupted);
  scripted.prepare();
  scripted.script("train", "sleep 60");
  CHECK_THROWS_AS(make_plan(scripted.study, true, kStop), Interrupted);
  CHECK(std::filesystem::is_empty(scripted.study.output));
}

TEST_CASE("somebody's file in the place of the plans is not replaced") {
  const test::ScriptedStudy scripted;
  std::ofstream(scripted.study.output / "plan.json") << R"({"mine": {}})";
  CHECK_THROWS_WITH(make_plan(scripted.study, true, kGoOn),
                    ContainsSubstring("plan.json: expected the plans that transformer-experiments made"));
  for (const char* flops : {"null", "\"1e9\"", "[1]"}) {
    std::ofstream(scripted.study.output / "plan.json")
        << "{\"" << std::string(64, 'a') << R"(": {"parameters": 1, "flops": )" << flops
        << R"(, "source_tokens": 1, "target_tokens": 1, "peak_memory": 1, "seconds": 1}})";
    CHECK_THROWS_AS(make_plan(scripted.study, true, kGoOn), InputError);
  }
}
