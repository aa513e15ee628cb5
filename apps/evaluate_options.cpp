#include "apps/evaluate_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/not_empty.h"
#include "transformer/eval/metric_table.h"
#include "transformer/eval/tokenize.h"

namespace transformer::apps {

void add_options(CLI::App& app, EvaluateOptions& options) {
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
         "For BLEU: 13a, none, char, intl; moses-de, moses-en or moses-fr, Moses' words of German, English "
         "or French; or paper, by which the paper's BLEU of English to German is measured: Moses' words, "
         "with compounds split")
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())).description(""))
      ->needs(hypothesis)
      ->capture_default_str();
  app.add_flag("--lowercase", options.lowercase, "Ignore case")->needs(hypothesis);
  auto* confidence = app.add_flag(
      "--confidence", options.confidence,
      "Also the mean and half the 95% interval of each score over 1000 resamplings of the sentences");
  app.add_option("--baseline", options.baseline,
                 "Another translation: tests whether the difference of the scores may be chance, by paired "
                 "bootstrap and by paired approximate randomization")
      ->needs(hypothesis)
      ->check(kNotEmpty);
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
  auto* model = app.add_option("--model", options.model,
                               "Instead of a translation: a model or run directory, whose loss is measured")
                    ->check(kNotEmpty);
  auto* data = app.add_option("--data", options.data,
                              "For --model: train, dev or test of its prepared data, or a data set file")
                   ->needs(model)
                   ->check(kNotEmpty);
  model->needs(data)->excludes(hypothesis)->excludes(confidence);
  auto* alignment =
      app.add_option(
             "--alignment", options.alignment,
             "Instead of a translation: links of words, such as 0-0 1-2 (source word - target word, counted "
             "from 0), a sentence pair a line, whose alignment error rate, precision and recall are measured")
          ->excludes(hypothesis)
          ->excludes(model)
          ->check(kNotEmpty);
  auto* gold = app.add_option("--alignment-reference", options.alignment_reference,
                              "For --alignment: the gold links, where 0?1 or 0p1 is no more than possible")
                   ->needs(alignment)
                   ->check(kNotEmpty);
  alignment->needs(gold);
  app.add_flag("--json", options.json,
               "Print a list of {name, score, signature}, with what else was asked for");
}

}  // namespace transformer::apps
