#include "apps/evaluate/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/common/not_empty.h"
#include "transformer/eval/metric_table.h"
#include "transformer/eval/tokenize.h"

namespace transformer::apps {
namespace {

void add_draws(CLI::App& app, const std::string& name, std::optional<int>& count, const std::string& help,
               CLI::Option& needed) {
  app.add_option(name, count, help)->needs(&needed)->check(CLI::Range(1, 10000000).description(""));
}

/// What is made of the counts, by sacreBLEU's names.
void add_counting(CLI::App& app, EvaluateOptions& options, CLI::Option& hypothesis) {
  app.add_option("--smooth-method", options.smooth_method,
                 "BLEU: what becomes of an order of n-grams without a match: exp, floor, add-k or none")
      ->check(CLI::IsMember(all_names<eval::Smoothing>()).description(""))
      ->needs(&hypothesis)
      ->capture_default_str();
  app.add_option("--smooth-value", options.smooth_value, "For floor (0.1) and add-k (1)")
      ->check(CLI::Range(1e-9, 1e9).description(""))
      ->needs(&hypothesis);
  app.add_flag("--effective-order", options.effective_order,
               "BLEU: orders for which a translation is too short do not count, as for single sentences")
      ->needs(&hypothesis);
  app.add_option("--chrf-word-order", options.chrf.word_order, "chrF: n-grams of up to so many words, too")
      ->check(CLI::Range(0, 2).description(""))
      ->needs(&hypothesis)
      ->capture_default_str();
  app.add_option("--chrf-beta", options.chrf.beta, "chrF: recall counts so many times as much as precision")
      ->check(CLI::Range(1, 100).description(""))
      ->needs(&hypothesis)
      ->capture_default_str();
  app.add_flag("--chrf-whitespace", options.chrf.whitespace, "chrF: n-grams of characters hold blanks")
      ->needs(&hypothesis);
  app.add_flag("--chrf-eps-smoothing", options.chrf.eps_smoothing,
               "chrF: orders without n-grams count as almost 0, as in NLTK and chrF++.py")
      ->needs(&hypothesis);
}

/// Scores of a translation; returns --hypothesis, without which the others of them say nothing.
CLI::Option* add_translation(CLI::App& app, EvaluateOptions& options) {
  auto* hypothesis = app.add_option("--hypothesis", options.hypothesis,
                                    "The translation, a sentence a line; - is standard input")
                         ->check(kNotEmpty);
  auto* reference = app.add_option("--reference", options.references,
                                   "A correct translation, line by line; may be repeated")
                        ->needs(hypothesis)
                        ->check(kNotEmpty);
  hypothesis->needs(reference);
  app.add_option("--metrics", options.metrics,
                 fmt::format("Some of {}", fmt::join(eval::metric_names(), ",")))
      ->delimiter(',')
      ->check(CLI::IsMember(eval::metric_names()).description(""))
      ->needs(hypothesis)
      ->capture_default_str();
  const auto names = all_names<eval::Tokenization>();
  app.add_option(
         "--tokenize", options.tokenize,
         "For bleu among --metrics: 13a, none, char, intl; moses-de, moses-en or moses-fr, Moses' words of "
         "German, English or French; or paper, by which the paper's BLEU of English to German is measured: "
         "Moses' words, with compounds split")
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())).description(""))
      ->needs(hypothesis)
      ->capture_default_str();
  app.add_flag("--lowercase", options.lowercase, "Ignore case")->needs(hypothesis);
  add_counting(app, options, *hypothesis);
  auto* baseline =
      app.add_option(
             "--baseline", options.baseline,
             "Another translation: tests whether the difference of the scores may be chance, by paired "
             "bootstrap (two-sided, and one-sided as sacreBLEU's) and by paired approximate "
             "randomization")
          ->needs(hypothesis)
          ->check(kNotEmpty);
  add_draws(app, "--paired-bs-n", options.paired_samples, "Samples of the paired bootstrap (1000)",
            *baseline);
  add_draws(app, "--paired-ar-n", options.trials, "Trials of the randomization (10000)", *baseline);
  auto* by_length = app.add_option("--by-length", options.source,
                                   "The source, line by line: also the scores of sentences of up to so many "
                                   "words and more apart, with 95% intervals")
                        ->needs(hypothesis)
                        ->check(kNotEmpty);
  app.add_option("--lengths", options.lengths,
                 "For --by-length: the ends of the groups, in words of the source")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000000).description(""))
      ->needs(by_length)
      ->capture_default_str();
  return hypothesis;
}

/// The loss of a model; returns --model.
CLI::Option* add_model(CLI::App& app, EvaluateOptions& options) {
  auto* model = app.add_option("--model", options.model,
                               "Instead of a translation: a model or run directory, whose loss is measured")
                    ->check(kNotEmpty);
  auto* data = app.add_option("--data", options.data,
                              "For --model: train, dev or test of its prepared data, or a data set file")
                   ->needs(model)
                   ->check(kNotEmpty);
  model->needs(data);
  return model;
}

/// Error rates of links between words; returns --alignment.
CLI::Option* add_alignment(CLI::App& app, EvaluateOptions& options) {
  auto* alignment =
      app.add_option(
             "--alignment", options.alignment,
             "Instead of a translation: links of words, such as 0-0 1-2 (source word - target word, counted "
             "from 0), a sentence pair a line, whose alignment error rate, precision and recall are measured")
          ->check(kNotEmpty);
  auto* gold = app.add_option("--alignment-reference", options.alignment_reference,
                              "For --alignment: the gold links, where 0?1 or 0p1 is no more than possible")
                   ->needs(alignment)
                   ->check(kNotEmpty);
  alignment->needs(gold);
  return alignment;
}

}  // namespace

void add_options(CLI::App& app, EvaluateOptions& options) {
  auto* hypothesis = add_translation(app, options);
  auto* confidence =
      app.add_flag("--confidence", options.confidence,
                   "Also the mean and half the 95% interval of each score over resamplings of the sentences");
  add_draws(app, "--confidence-n", options.samples, "Resamplings for --confidence (1000)", *confidence);
  add_seed_option(app, options.seed,
                  "For --confidence, --by-length and --baseline: seed of the resamplings (12345, as "
                  "sacreBLEU's)");
  auto* model = add_model(app, options);
  auto* alignment = add_alignment(app, options);
  model->excludes(hypothesis)->excludes(confidence);
  alignment->excludes(hypothesis)->excludes(model);
  app.add_flag("--json", options.json,
               "Print a list of {name, score, signature}, with what else was asked for");
}

}  // namespace transformer::apps
