#include "transformer/tasks/labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/data/labelled_texts.h"
#include "transformer/data/word_begins.h"
#include "transformer/eval/label_scores.h"

namespace transformer::tasks {
namespace {

namespace fs = std::filesystem;

std::string text_of(const data::Tokenizer& labels, std::int32_t id) {
  auto text = labels.bytes_of(id);
  if (text.starts_with(' ')) text.erase(0, 1);
  return text;
}

/// Calls use(number of the text, from 1, ids of its words, ids of its labels).
template <typename Use>
void for_each_text(const data::Dataset& data, const Use& use) {
  for (std::int64_t i = 0; i < data.size(); ++i) use(i + 1, data.source(i), data.target(i));
}

void check_counts(const data::Dataset& data, const fs::path& file, const std::vector<bool>& begins,
                  std::int64_t longest) {
  for_each_text(data, [&](std::int64_t number, auto ids, auto labels) {
    const auto words = begins.empty() ? 1 : std::ssize(data::first_pieces(ids, begins));
    const bool was_cut = !begins.empty() && (std::ssize(ids) >= longest || std::ssize(labels) >= longest);
    if (std::ssize(labels) == words || was_cut) return;
    throw InputError(fmt::format(
        "{}: text {}: expected {}, found {}", file.string(), number,
        begins.empty() ? "one label" : fmt::format("a label for each of {} words", words), labels.size()));
  });
}

/// By label, how often it occurs.
std::vector<double> counts_of(const data::Dataset& data) {
  std::vector<double> counts(static_cast<std::size_t>(data::label_of(data.target_vocabulary())));
  for_each_text(data, [&](std::int64_t, auto, auto labels) {
    for (const auto id : labels)
      if (const auto label = data::label_of(id); label >= 0) ++counts[static_cast<std::size_t>(label)];
  });
  return counts;
}

/// label 0 … is seen in training.
void check_seen(const data::Dataset& data, const fs::path& file, const std::vector<double>& seen,
                const data::Tokenizer& names) {
  for_each_text(data, [&](std::int64_t number, auto, auto labels) {
    for (const auto id : labels) {
      const auto label = data::label_of(id);
      if (label >= 0 && seen[static_cast<std::size_t>(label)] > 0) continue;
      throw InputError(fmt::format("{}: text {}: expected a label that a training text has, found '{}'",
                                   file.string(), number, text_of(names, id)));
    }
  });
}

std::vector<double> balanced(const std::vector<double>& counts) {
  double all = 0, kinds = 0;
  for (const auto count : counts) all += count, kinds += count > 0 ? 1 : 0;
  std::vector<double> weights;
  for (const auto count : counts) weights.push_back(count > 0 ? all / (kinds * count) : 0);
  return weights;
}

std::vector<double> values_of(const data::Tokenizer& names) {
  std::vector<double> values;
  for (auto id = kEos + 1; id < names.size(); ++id) {
    try {
      values.push_back(eval::number_of_label(text_of(names, id)));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {} (model.head: number)", names.path().string(), error.what()));
    }
  }
  return values;
}

}  // namespace

std::shared_ptr<const LabelDrawing> labels_of(const config::Experiment& experiment,
                                              const data::Prepared& data,
                                              const checkpoints::Tokenizers& tokenizers) {
  if (!has_parts(experiment.data.examples)) return nullptr;
  LabelDrawing drawing;
  if (experiment.data.examples == data::ExampleKind::answers) {
    drawing.begins = data::begins_to_learn(*tokenizers.source, "model.head: span");
    drawing.values = values_of(*tokenizers.target);
    drawing.answers = true;
    return std::make_shared<LabelDrawing>(std::move(drawing));
  }
  const auto head = experiment.model.encoder.head;
  if (head == models::Head::words)
    drawing.begins = data::begins_to_learn(*tokenizers.source, "model.head: words");
  const auto longest = experiment.data.max_tokens;
  check_counts(data.train, data.paths.train(), drawing.begins, longest);
  check_counts(data.dev, data.paths.dev(), drawing.begins, longest);
  if (head == models::Head::number) {
    drawing.values = values_of(*tokenizers.target);
  } else {
    const auto counts = counts_of(data.train);
    check_seen(data.dev, data.paths.dev(), counts, *tokenizers.target);
    if (experiment.train.class_weights == train::ClassWeights::balanced) drawing.weights = balanced(counts);
  }
  return std::make_shared<LabelDrawing>(std::move(drawing));
}

}  // namespace transformer::tasks
