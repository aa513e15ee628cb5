#include "transformer/tasks/dev_metric.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/tokenizers.h"
#include "transformer/data/blocks.h"
#include "transformer/data/dataset.h"
#include "transformer/data/prepared.h"
#include "transformer/eval/label_scores.h"
#include "transformer/eval/metric_table.h"
#include "transformer/reading/text_reader.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/exact_fp32.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/forced_scores.h"
#include "transformer/translation/text_translation.h"
#include "transformer/translation/token_texts.h"

namespace transformer::tasks {
namespace {

using Measure = TextTask::Measure;

/// Those of every so many that are this process's.
template <typename Item>
std::vector<Item> share_of(std::vector<Item> all, const distributed::Group* group) {
  if (!group) return all;
  std::vector<Item> share;
  for (auto i = group->rank(); i < std::ssize(all); i += group->size())
    share.push_back(std::move(all[static_cast<std::size_t>(i)]));
  return share;
}

/// All processes' items, where they belong.
template <typename Item>
std::vector<Item> put_together(distributed::Group* group, std::vector<Item> own) {
  if (!group) return own;
  std::vector<std::vector<Item>> shares;
  // Translations are UTF-8 but for what bytes that a tokenizer falls back to may make of them.
  for (const auto& text :
       group->exchange(nlohmann::json(own).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)))
    shares.push_back(nlohmann::json::parse(text).get<std::vector<Item>>());
  std::vector<Item> all;
  for (std::size_t i = 0;; ++i) {
    const auto& share = shares[i % shares.size()];
    if (i / shares.size() >= share.size()) return all;
    all.push_back(share[i / shares.size()]);
  }
}

train::DevMetric scored(const eval::Metric& metric, const std::vector<eval::Counts>& counts) {
  return {metric.name, metric.score(eval::sum_of(counts)), metric.less_is_better};
}

/// Measures translations by beam search, with the configuration's decode options, in the training's
/// precision.
Measure of_translations(const eval::Metric& metric, const config::Experiment& experiment,
                        const TaskSettings& settings) {
  translation::warn_if_declined(experiment.model, settings.device);
  const data::PreparedFolder folder(experiment.data);  // the training opens the data sets
  const auto tokenizers = checkpoints::load_tokenizers(folder.paths.folder);
  const auto sources = share_of(read_lines(folder.paths.source_text("dev")), settings.group);
  const auto references = read_lines(folder.paths.target_text("dev"));
  const bool trees = experiment.data.examples == data::ExampleKind::trees;
  return [=](const models::AnyModel& model) {
    const runtime::PrecisionScope scope(settings.precision);
    const auto stop = [&] {
      if (settings.interrupted) throw Interrupted();
    };
    std::vector<std::string> hypotheses;
    distributed::interrupt_together(settings.group, [&] {
      const auto found =
          translation::translate(model, *tokenizers.source, *tokenizers.target, sources, experiment.decode,
                                 {}, {.before_step = stop}, {.trees = trees});
      for (const auto& translation : found[0]) hypotheses.push_back(translation.texts.at(0));
    });
    hypotheses = put_together(settings.group, std::move(hypotheses));
    return scored(metric, eval::count_sentences(metric, {hypotheses, {references}}));
  };
}

/// Measures predictions on the given texts, in fp32 like the dev set's loss.
Measure of_predictions(const eval::Metric& metric, const config::Experiment& experiment,
                       const TaskSettings& settings) {
  const data::Dataset dev(data::PreparedPaths{experiment.data.prepared}.dev());
  const auto pairs =
      share_of(translation::forced_pairs(*data::examples_of(dev, experiment.data.block)), settings.group);
  const translation::TokenTexts texts(*checkpoints::load_tokenizers(experiment.data.prepared).target);
  return [=](const models::AnyModel& model) {
    const runtime::ExactFp32 not_tf32;
    std::vector<eval::Counts> counts;
    distributed::interrupt_together(settings.group, [&] {
      const auto stop = [&](std::size_t) {
        if (settings.interrupted) throw Interrupted();
      };
      for (auto& predictions :
           translation::forced_predictions(model, pairs, experiment.decode.batch_tokens, stop)) {
        texts.add_to(predictions);
        counts.push_back(metric.count_predictions(predictions));
      }
    });
    return scored(metric, put_together(settings.group, std::move(counts)));
  };
}

/// Compares the labels of the dev set with those that the model gives, in fp32 like the dev set's loss.
Measure of_labels(const eval::LabelScore& score, const config::Experiment& experiment,
                  const TaskSettings& settings) {
  const data::PreparedFolder folder(experiment.data);
  const auto tokenizers = checkpoints::load_tokenizers(folder.paths.folder);
  const auto texts = share_of(read_lines(folder.paths.source_text("dev")), settings.group);
  const auto expected = read_lines(folder.paths.target_text("dev"));
  return [=](const models::AnyModel& model) {
    const runtime::ExactFp32 not_tf32;
    std::vector<std::string> found;
    distributed::interrupt_together(settings.group, [&] {
      const auto stop = [&](std::size_t) {
        if (settings.interrupted) throw Interrupted();
      };
      for (const auto& labels : reading::TextReader(model, tokenizers, torch::kFloat).label(texts, stop))
        found.push_back(reading::best_labels(labels));
    });
    found = put_together(settings.group, std::move(found));
    return train::DevMetric{score.name, score.score(found, expected)};
  };
}

}  // namespace

Measure dev_metric(const config::Experiment& experiment, const TaskSettings& settings) {
  if (has_parts(experiment.data.examples)) {
    if (experiment.train.metric_every == 0) return {};
    return of_labels(eval::find_label_score(experiment.train.metric, "train.metric"), experiment, settings);
  }
  const auto metric = eval::find_score(experiment.train.metric, "train.metric");
  if (experiment.train.metric == "parseval" && experiment.data.examples != data::ExampleKind::trees)
    throw InputError(
        fmt::format("train.metric: expected a score of texts where data.examples is {}, found "
                    "'parseval', which compares trees",
                    name_of(experiment.data.examples)));
  if (experiment.train.metric_every == 0) return {};
  if (experiment.model.kind.name == models::kEncoder)
    throw InputError(
        fmt::format("train.metric_every: expected 0 where masked tokens are learnt, whose perplexity "
                    "evaluations print, found '{}'",
                    experiment.train.metric_every));
  if (metric.is_of_predictions()) return of_predictions(metric, experiment, settings);
  if (experiment.data.examples == data::ExampleKind::documents)
    throw InputError(fmt::format(
        "train.metric: expected a metric of predictions, such as perplexity, where data.examples is "
        "documents, found '{}'",
        experiment.train.metric));
  return of_translations(metric, experiment, settings);
}

}  // namespace transformer::tasks
