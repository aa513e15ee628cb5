// transformer-evaluate: metrics of a translation, such as BLEU and chrF, or loss and perplexity of a model.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "apps/evaluate_output.h"
#include "apps/model_loss.h"
#include "apps/not_empty.h"
#include "apps/program.h"
#include "apps/text_input.h"
#include "transformer/base/error.h"
#include "transformer/eval/metric_table.h"
#include "transformer/eval/metrics.h"

namespace {

using namespace transformer;

struct Options {
  std::string model;
  std::string data;
  std::string hypothesis;
  std::vector<std::string> references;
  std::string baseline;
  std::vector<std::string> metrics{"bleu"};
  std::string tokenize = "13a";
  bool lowercase = false;
  bool confidence = false;
  bool json = false;
};

eval::Sentences read_sentences(const std::string& path) {
  auto lines = apps::read_text(path, ByteOrderMark::keep);
  if (lines[0].starts_with("\xEF\xBB\xBF")) {
    spdlog::warn("{}: the byte order mark counts as a part of the first word, as it does for sacreBLEU",
                 path);
  }
  return lines;
}

/// What must have a line for each of the hypothesis'.
eval::Sentences read_beside(const eval::Sentences& hypotheses, const std::string& path,
                            const Options& options) {
  auto sentences = read_sentences(path);
  apps::check_line_count(sentences.size(), path, hypotheses.size(), options.hypothesis);
  return sentences;
}

eval::Corpus read_corpus(const Options& options) {
  eval::Corpus corpus;
  corpus.hypotheses = read_sentences(options.hypothesis);
  for (const auto& path : options.references)
    corpus.references.push_back(read_beside(corpus.hypotheses, path, options));
  return corpus;
}

void check_texts(const Options& options, const apps::CommonOptions& common) {
  if (options.hypothesis.empty())
    throw InputError("expected --hypothesis with --reference, or --model with --data, found neither");
  if (!common.set.empty())
    throw InputError(
        fmt::format("--set {}: expected with --model only, since texts are scored without a configuration",
                    common.set.front()));
  std::vector<apps::TextOption> texts{{"--hypothesis", options.hypothesis}};
  for (const auto& path : options.references) texts.emplace_back("--reference", path);
  texts.emplace_back("--baseline", options.baseline);
  apps::check_standard_input(texts);
}

std::vector<eval::MetricResult> evaluate(const Options& options, const apps::CommonOptions& common) {
  if (!options.model.empty()) return apps::model_loss(options.model, options.data, common);
  check_texts(options, common);
  const auto corpus = read_corpus(options);
  eval::Sentences baseline;
  if (!options.baseline.empty()) baseline = read_beside(corpus.hypotheses, options.baseline, options);
  eval::ScoringOptions scoring{.metric = {.tokenization = eval::tokenization_from_name(options.tokenize),
                                          .lowercase = options.lowercase},
                               .confidence = options.confidence};
  if (common.seed) scoring.resampling.seed = static_cast<std::uint64_t>(*common.seed);
  return eval::score_corpus(corpus, options.metrics, scoring, baseline);
}

void add_options(CLI::App& app, Options& options) {
  auto* hypothesis = app.add_option("--hypothesis", options.hypothesis,
                                    "The translation, a sentence a line; - is standard input")
                         ->check(apps::kNotEmpty);
  auto* reference = app.add_option("--reference", options.references,
                                   "A correct translation, line by line; may be repeated")
                        ->needs(hypothesis)
                        ->check(apps::kNotEmpty);
  hypothesis->needs(reference);
  app.add_option("--metrics", options.metrics,
                 fmt::format("Some of {}", fmt::join(eval::metric_names(), ",")))
      ->delimiter(',')
      ->check(CLI::IsMember(eval::metric_names()).description(""))
      ->needs(hypothesis)
      ->capture_default_str();
  const auto names = eval::tokenization_names();
  app.add_option(
         "--tokenize", options.tokenize,
         "For BLEU: 13a, none, char, intl, or paper, by which the paper's BLEU of English to German is "
         "measured: Moses' words, with compounds split")
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())).description(""))
      ->needs(hypothesis)
      ->capture_default_str();
  app.add_flag("--lowercase", options.lowercase, "Ignore case")->needs(hypothesis);
  app.add_flag("--confidence", options.confidence,
               "Also the mean and half the 95% interval of each score over 1000 resamplings of the sentences")
      ->needs(hypothesis);
  app.add_option("--baseline", options.baseline,
                 "Another translation: tests whether the difference of the scores may be chance, by paired "
                 "bootstrap and by paired approximate randomization")
      ->needs(hypothesis)
      ->check(apps::kNotEmpty);
  auto* model = app.add_option("--model", options.model,
                               "Instead of a translation: a model or run directory, whose loss is measured")
                    ->check(apps::kNotEmpty);
  auto* data = app.add_option("--data", options.data,
                              "For --model: train, dev or test of its prepared data, or a data set file")
                   ->needs(model)
                   ->check(apps::kNotEmpty);
  model->needs(data)->excludes(hypothesis);
  app.add_flag("--json", options.json,
               "Print a list of {name, score, signature}, with what else was asked for");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "BLEU and chrF of a translation, equal to sacreBLEU's, each with its signature; or a model's loss and "
      "perplexity on prepared data",
      "transformer-evaluate");
  apps::CommonOptions common;
  Options options;
  add_options(app, options);
  apps::add_common_options(app, common);
  return apps::run_program(app, common, argc, argv, [&] {
    apps::print_results(evaluate(options, common), options.json);
    return apps::kDone;
  });
}
