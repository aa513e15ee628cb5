#include "transformer/eval/accuracy.h"

#include <algorithm>

#include "transformer/eval/text.h"

namespace transformer::eval {
namespace {

struct Right {
  std::int64_t right = 0;
  std::int64_t all = 0;
};

double percent(std::span<const std::int64_t> sum) {
  const auto [right, all] = from_counts<Right>(sum);
  return all == 0 ? 0 : 100 * static_cast<double>(right) / static_cast<double>(all);
}

/// The label in front of a text, which is removed with the blanks around it; empty where there is none.
std::string_view take_label(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto label = text.substr(0, text.find(' '));
  text.remove_prefix(label.size());
  return label;
}

Right compare(std::string_view found, std::string_view expected, bool ignore_case) {
  Right counts;
  while (true) {
    const auto one = take_label(found), other = take_label(expected);
    if (one.empty() && other.empty()) return counts;
    ++counts.all;
    counts.right += one == other || (ignore_case && lowercase(one) == lowercase(other));
  }
}

std::string nothing(std::span<const std::int64_t>) {
  return {};
}

}  // namespace

Metric accuracy_metric(const MetricOptions& options) {
  return {.name = "Accuracy",
          .fields = {{"unit", "label"}},
          .lowercase = options.lowercase,
          .count =
              [ignore_case = options.lowercase](std::string_view found, const Sentences& references) {
                Right best;
                for (const auto& reference : references)
                  if (const auto counts = compare(found, reference, ignore_case);
                      best.all == 0 || counts.right * best.all > best.right * counts.all)
                    best = counts;
                return to_counts(best);
              },
          .score = percent,
          .detail = nothing};
}

Metric token_accuracy_metric() {
  return {.name = "Token accuracy",
          .fields = {{"unit", "subword"}},
          .count_predictions =
              [](std::span<const Prediction> predictions) {
                Right counts{0, std::ssize(predictions)};
                for (const auto& prediction : predictions)
                  counts.right += prediction.best == prediction.token;
                return to_counts(counts);
              },
          .score = percent,
          .detail = nothing};
}

}  // namespace transformer::eval
