// transformer-evaluate: metrics of a translation, such as BLEU and chrF, loss and perplexity of a model, or
// error rates of an alignment.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "apps/common/program.h"
#include "apps/common/text_input.h"
#include "apps/evaluate/effects.h"
#include "apps/evaluate/model_loss.h"
#include "apps/evaluate/options.h"
#include "apps/evaluate/output.h"
#include "transformer/base/error.h"
#include "transformer/base/streams.h"
#include "transformer/eval/alignment.h"
#include "transformer/eval/metric_table.h"
#include "transformer/eval/metrics.h"

namespace {

using namespace transformer;

using Options = apps::EvaluateOptions;

eval::Sentences read_sentences(const std::string& path) {
  auto lines = apps::read_text(path, ByteOrderMark::keep);
  if (lines[0].starts_with("\xEF\xBB\xBF")) {
    spdlog::warn("{}: the byte order mark counts as a part of the first word, as it does for sacreBLEU",
                 input_name(path));
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

void check_texts(const Options& options) {
  if (options.hypothesis.empty())
    throw InputError(
        "expected --hypothesis with --reference, --model with --data, or --alignment with "
        "--alignment-reference, "
        "found none of them");
  std::vector<apps::TextOption> texts{{"--hypothesis", options.hypothesis}};
  for (const auto& path : options.references) texts.emplace_back("--reference", path);
  texts.emplace_back("--baseline", options.baseline);
  texts.emplace_back("--by-length", options.source);
  if (!eval::is_rising(options.lengths))
    throw InputError(
        fmt::format("--lengths {}: expected rising numbers, found others", fmt::join(options.lengths, ",")));
  apps::check_standard_input(texts);
}

eval::ResamplingOptions resampling_options(const Options& options) {
  eval::ResamplingOptions resampling;
  if (options.seed) resampling.seed = static_cast<std::uint64_t>(*options.seed);
  if (options.paired_samples) resampling.samples = *options.paired_samples;
  if (options.samples) resampling.samples = *options.samples;
  if (options.trials) resampling.trials = *options.trials;
  return resampling;
}

std::vector<eval::MetricResult> evaluate_alignment(const Options& options) {
  const auto& [file, gold_file] = std::tie(options.alignment, options.alignment_reference);
  apps::check_standard_input({{"--alignment", file}, {"--alignment-reference", gold_file}});
  const auto links = parse_links(apps::read_text(file), input_name(file));
  const auto gold = parse_gold_links(apps::read_text(gold_file), input_name(gold_file));
  apps::check_line_count(links.size(), file, gold.size(), gold_file);
  if (std::ranges::all_of(gold, [](const auto& line) { return line.sure.empty(); }))
    throw InputError(fmt::format("{}: expected at least one sure link, found none", input_name(gold_file)));
  return eval::score_alignments(links, gold, options.confidence, resampling_options(options));
}

std::vector<eval::MetricResult> evaluate(const Options& options, const apps::CommonOptions& common) {
  apps::check_effects(options);
  if (!options.model.empty()) return apps::model_loss(options.model, options.data, common);
  if (!common.set.empty())
    throw InputError(
        fmt::format("--set {}: expected with --model only, since texts are scored without a configuration",
                    common.set.front()));
  if (!options.alignment.empty()) return evaluate_alignment(options);
  check_texts(options);
  const auto corpus = read_corpus(options);
  eval::Sentences baseline;
  if (!options.baseline.empty()) baseline = read_beside(corpus.hypotheses, options.baseline, options);
  eval::ScoringOptions scoring{
      .metric = {.tokenization = eval::tokenization_from_name(options.tokenize),
                 .lowercase = options.lowercase,
                 .bleu = {.smoothing = *value_named<eval::Smoothing>(options.smooth_method),
                          .value = options.smooth_value,
                          .effective_order = options.effective_order},
                 .chrf = options.chrf},
      .confidence = options.confidence,
      .resampling = resampling_options(options)};
  if (!options.source.empty())
    scoring.lengths = {eval::word_counts(read_beside(corpus.hypotheses, options.source, options)),
                       options.lengths};
  return eval::score_corpus(corpus, options.metrics, scoring, baseline);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "BLEU and chrF of a translation, equal to sacreBLEU's, each with its signature; a model's loss and "
      "perplexity on prepared data; or the alignment error rate of links of words",
      "transformer-evaluate");
  apps::CommonOptions common;
  Options options;
  apps::add_options(app, options);
  apps::add_common_options(app, common);
  apps::run_program(app, common, argc, argv, [&] {
    apps::print_results(evaluate(options, common), options.json);
    return apps::kDone;
  });
}
