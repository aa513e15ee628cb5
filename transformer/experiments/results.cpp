#include "transformer/experiments/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <span>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/config/departures.h"
#include "transformer/config/yaml.h"
#include "transformer/data/blocks.h"
#include "transformer/data/prepared.h"
#include "transformer/data/summary.h"
#include "transformer/eval/metric_table.h"
#include "transformer/eval/significance.h"
#include "transformer/experiments/judged_files.h"
#include "transformer/experiments/metrics.h"
#include "transformer/experiments/own_reports.h"
#include "transformer/experiments/result_texts.h"
#include "transformer/experiments/trivial_outputs.h"
#include "transformer/report/score.h"
#include "transformer/report/statistics.h"
#include "transformer/train/cost.h"

namespace transformer::experiments {
namespace fs = std::filesystem;
namespace {

/// What a report takes from an experiment's prepared data.
struct DataFacts {
  models::VocabularySizes vocabulary;
  eval::Sentences sources = {}, references = {};  ///< of the dev set
  eval::Sentences test_references = {};           ///< where the test set is scored
  std::string subwords = {};                      ///< the checksum of the target's tokenizer
  bool prepared = true;
};

/// A line for each example: its ids. Two sets with the same lines are the same.
eval::Sentences lines_of(const fs::path& file, std::int64_t block) {
  const data::Dataset data(file);
  const auto examples = data::examples_of(data, block);
  eval::Sentences lines;
  for (std::int64_t i = 0; i < examples->size(); ++i)
    lines.push_back(fmt::format("{}", fmt::join(examples->make_batch(std::span(&i, 1)).target_output, " ")));
  return lines;
}

/// Before the first run, the data need not be there: then the configuration tells what it can.
DataFacts facts_of(const config::Experiment& experiment, bool begun, bool test) {
  const auto& data = experiment.data;
  if (!begun && !fs::exists(data::PreparedPaths{data.prepared}.summary())) {
    const auto [source, target] = data::vocabulary_sizes(data);
    return {.vocabulary = {source, target}, .prepared = false};
  }
  const data::PreparedFolder prepared(data);
  const auto summary = data::read_summary(prepared.paths.summary()).at("report");
  if (!prepared.has_pairs)
    return {.vocabulary = {summary.at("source_vocabulary"), summary.at("target_vocabulary")},
            .references = lines_of(prepared.paths.dev(), data.block),
            .test_references =
                test && prepared.has_test ? lines_of(prepared.paths.test(), data.block) : eval::Sentences(),
            .subwords = sha256_file(prepared.paths.target_tokenizer(prepared.shared_vocabulary))};
  return {.vocabulary = {summary.at("source_vocabulary"), summary.at("target_vocabulary")},
          .sources = read_lines(prepared.paths.source_text("dev")),
          .references = read_lines(prepared.paths.target_text("dev")),
          .test_references =
              test && prepared.has_test ? read_lines(prepared.paths.target_text("test")) : eval::Sentences(),
          .subwords = sha256_file(prepared.paths.target_tokenizer(prepared.shared_vocabulary))};
}

/// Which tokenizations are for.
bool is_bleu(const ExperimentList& list) {
  return list.variations.front().experiment.train.metric == "bleu";
}

/// Whether a tokenization is for text of that language.
bool is_for(eval::Tokenization tokenization, const std::string& language) {
  const auto only = eval::language_of(tokenization);
  return !only || only->code == language;
}

/// The list's metric of test sets.
eval::Metric metric_under(const ExperimentList& list, const eval::MetricOptions& options) {
  return eval::find_score(list.variations.front().experiment.train.metric, "train.metric", options);
}

/// Tokenizations are BLEU's.
report::TestMeasure measure_of(const ExperimentList& list, const eval::MetricOptions& options) {
  const auto signature = eval::signature_of(metric_under(list, options), 1);
  if (!is_bleu(list)) return {.name = "", .signature = signature};
  const auto language = eval::language_of(options.tokenization);
  return {.name = fmt::format("{}{}", name_of(options.tokenization), options.lowercase ? kLowercase : ""),
          .signature = signature,
          .language = std::string(language ? language->name : "")};
}

/// Of the end of a training. Absent, with a warning, where metrics.jsonl does not reach that far.
std::optional<double> last_perplexity(const Run& run, const report::Run& found) {
  const auto& train = run.experiment.train;
  const auto last = train.patience > 0 ? found.steps : train.steps;
  if (!found.curve.empty() && found.curve.back().step == last) return found.curve.back().perplexity;
  spdlog::warn("{}: expected a line of the dev set at step {}, found none: no perplexity",
               run.folder.metrics().string(), last);
  return std::nullopt;
}

/// Scores of a finished run's test set, by Report::test_measures.
std::vector<std::optional<double>> test_scores(const Run& run, const Record& record,
                                               const ExperimentList& list,
                                               const eval::Sentences& references) {
  std::vector<std::optional<double>> all;
  if (!list.test) return all;
  const auto file = run.folder.judged(run.experiment, "test");
  const auto lines = read_judged(file, record.tested_sum, references);
  for (const auto& options : list.tokenize) {
    all.emplace_back();
    if (is_bleu(list) && !is_for(options.tokenization, run.experiment.data.target)) continue;
    const auto metric = metric_under(list, options);
    all.back() = metric.score(eval::sum_of(counts_in(metric, lines, references, file)));
  }
  return all;
}

/// What a row is judged by.
struct Scored {
  eval::Runs runs;                            ///< those that are finished
  std::vector<eval::Sentences> translations;  ///< theirs; none where predictions are judged
  eval::Sentences sources, references;
  std::string subwords;
};

/// Absent without runs of both, or where their dev sets differ.
std::optional<eval::Comparison> compare(const eval::Metric& metric, const Scored& row, const Scored& other) {
  if (row.runs.empty() || other.runs.empty() || row.references != other.references) return std::nullopt;
  return eval::paired_bootstrap(metric, row.runs, other.runs);
}

/// A run's figures; what it is compared by is added to `scored` where it is finished.
report::Run collect_run(const Run& run, const ExperimentList& list, const DataFacts& facts, Scored& scored,
                        report::Report& report) {
  report::Run result{.seed = run.experiment.seed, .state = "waiting", .curve = {}};
  const auto& folder = run.folder;
  if (!fs::exists(folder.config())) return result;
  const auto record = read_record(folder);
  const auto data = facts.prepared ? checksum_of_data(run.experiment) : std::string();
  if (const auto changes = what_changed(folder, record, run.experiment, run.variation->average, data);
      !changes.empty()) {
    result.state = "waiting; " + changes;
    return result;
  }
  read_metrics(folder.metrics(), key_of(list.metric), result);
  if (record.failure) {
    result.state = "failed: " + record.failure->reason;
    report.failures.push_back({run.name, record.failure->reason, record.failure->log});
    return result;
  }
  const auto* judged = list.metric.is_of_predictions() ? "scored" : "translated";
  switch (next_stage(folder, record, run.experiment, run.variation->average, list.test)) {
    case Stage::train:
      result.state = fmt::format("training, step {} of {}", result.steps, run.experiment.train.steps);
      break;
    case Stage::average:
    case Stage::decode:
      result.state = fmt::format("trained, not yet {}", judged);
      break;
    case Stage::test:
      result.state = fmt::format("trained, test set not yet {}", judged);
      break;
    case Stage::nothing:
      result.state = report::finished;
      const auto file = folder.judged(run.experiment, "dev");
      auto lines = read_judged(file, record.decoded_sum, facts.references);
      scored.runs.push_back(counts_in(list.metric, lines, facts.references, file));
      if (!list.metric.is_of_predictions()) scored.translations.push_back(std::move(lines));
      result.score = eval::mean_score(list.metric, {scored.runs.back()});
      result.test_scores = test_scores(run, record, list, facts.test_references);
      result.perplexity = last_perplexity(run, result);
  }
  return result;
}

/// What is said of the study as a whole, without its rows.
report::Report report_head(const Study& study, const std::vector<Run>& runs) {
  const auto& list = study.list;
  const auto& base = list.variations.front().experiment;
  report::Report report;
  report.title = list.title;
  report.baseline = kBaseline;
  report.departures = config::departures(base);
  report.score = report::judged_by(list.metric);
  report.dev = name_of_text(base.data.dev);
  if (list.test)
    for (const auto& options : list.tokenize) report.test_measures.push_back(measure_of(list, options));
  report.sustained = list.sustained;
  report.target = list.target;
  report.reach_base = list.reach_base;
  report.published = list.published;
  report.notes.push_back(what_is_judged(list));
  if (const auto precisions = precisions_of(study, runs); !precisions.empty())
    report.notes.push_back(fmt::format("Matrix products are computed in {}.", precisions));
  if (auto devices = devices_of(runs); !devices.empty()) report.notes.push_back(std::move(devices));
  if (is_bleu(list))
    report.notes.emplace_back(
        "BLEU is sacreBLEU's; the paper's is of tokenised text with compounds split, of which 13a gives "
        "about "
        "0.978·x - 0.05.");
  return report;
}

/// A row but for its comparison with the baseline. `scored` gets what it is compared by, `report` what
/// failed.
report::Row collect_row(const ExperimentList& list, const Variation& variation, std::span<const Run> runs,
                        DataFacts facts, Scored& scored, report::Report& report) {
  const auto& experiment = variation.experiment;
  report::Row row;
  row.group = variation.group;
  row.name = variation.name;
  row.changes = changes_of(list.variations.front().experiment, experiment);
  row.parameters = train::count_parameters(experiment, facts.vocabulary);
  row.paper = variation.paper;
  if (list.test) row.test = name_of_text(experiment.data.test);
  for (const auto& run : runs) row.runs.push_back(collect_run(run, list, facts, scored, report));
  if (!scored.runs.empty()) row.score_interval = eval::confidence_interval(list.metric, scored.runs);
  scored.sources = std::move(facts.sources);
  scored.references = std::move(facts.references);
  scored.subwords = std::move(facts.subwords);
  return row;
}

}  // namespace

report::Report collect_results(const Study& study) {
  const auto& list = study.list;
  const auto all_runs = runs_of(study);
  auto report = report_head(study, all_runs);
  std::map<std::string, Scored> scored;  // by the rows' names
  const auto& baseline = scored[kBaseline];
  bool all_prepared = true;
  for (const auto& variation : list.variations) {
    const std::span runs(std::ranges::lower_bound(all_runs, &variation, {}, &Run::variation),
                         std::ranges::upper_bound(all_runs, &variation, {}, &Run::variation));
    const bool begun =
        std::ranges::any_of(runs, [](const Run& run) { return fs::exists(run.folder.config()); });
    auto facts = facts_of(variation.experiment, begun, list.test);
    all_prepared &= facts.prepared;
    auto& of_row = scored[variation.name];
    auto row = collect_row(list, variation, runs, std::move(facts), of_row, report);
    if (variation.name != kBaseline) {
      row.against_baseline = compare(list.metric, of_row, baseline);
      row.same_subwords = of_row.references == baseline.references && of_row.subwords == baseline.subwords;
    }
    report.rows.push_back(std::move(row));
  }
  report.trivial =
      compare_with_trivial(list.metric, baseline.translations, baseline.sources, baseline.references);
  for (auto claim : list.claims) {
    claim.comparison = claim.against == kBaseline
                           ? report::find_row(report, claim.row)->against_baseline
                           : compare(list.metric, scored[claim.row], scored[claim.against]);
    report.claims.push_back(std::move(claim));
  }
  for (const auto& variation : list.variations)
    if (const auto uncounted = train::uncounted_flops(variation.experiment, variation.name);
        !uncounted.empty())
      report.notes.push_back(uncounted + ".");
  if (!all_prepared)
    report.notes.emplace_back(
        "Where the data are not prepared yet, parameters are those of data.vocabulary pieces.");
  return report;
}

void write_report(const Study& study) {
  const auto report = collect_results(study);
  fs::create_directories(study.output);
  write_reports(study, {{"report.md", report::to_markdown(report)},
                        {"report.csv", report::to_csv(report)},
                        {"report.html", report::to_html(report)},
                        {"learning-curves.svg", report::learning_curves_svg(report)},
                        {picture_of_scores(study.list.metric), report::score_by_parameters_svg(report)}});
}

void update_report(const Study& study) {
  try {
    write_report(study);
  } catch (const InputError& error) {
    spdlog::warn("no new report: {}", error.what());
  }
}

}  // namespace transformer::experiments
