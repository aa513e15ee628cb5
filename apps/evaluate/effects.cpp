#include "apps/evaluate/effects.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/eval/metric.h"

namespace transformer::apps {

void check_effects(const EvaluateOptions& options) {
  if (options.seed && !options.confidence && options.source.empty() && options.baseline.empty())
    throw InputError("--seed: expected --confidence, --by-length or --baseline, which draw random numbers");
  const auto has = [&](const char* metric) {
    return std::ranges::find(options.metrics, metric) != options.metrics.end();
  };
  const auto expect = [](bool found, const std::string& option, const char* metric) {
    if (!found)
      throw InputError(
          fmt::format("{}: expected {} among --metrics, the one that it is for", option, metric));
  };
  const EvaluateOptions usual;
  const bool bleu = has("bleu"), chrf = has("chrf") || has("chrf++");
  expect(bleu || options.tokenize == usual.tokenize, "--tokenize " + options.tokenize, "bleu");
  expect(bleu || options.smooth_method == usual.smooth_method, "--smooth-method " + options.smooth_method,
         "bleu");
  expect(bleu || !options.effective_order, "--effective-order", "bleu");
  expect(has("chrf") || options.chrf.word_order == usual.chrf.word_order, "--chrf-word-order", "chrf");
  expect(chrf || options.chrf == usual.chrf, "--chrf-beta, --chrf-whitespace, --chrf-eps-smoothing", "chrf");
  if (options.smooth_value && !eval::usual_value(*value_named<eval::Smoothing>(options.smooth_method)))
    throw InputError(fmt::format("--smooth-value: expected --smooth-method floor or add-k, found {}",
                                 options.smooth_method));
  if (options.samples && options.paired_samples && *options.samples != *options.paired_samples)
    throw InputError(fmt::format("--confidence-n {}: expected as many as --paired-bs-n, found {}",
                                 *options.samples, *options.paired_samples));
}

}  // namespace transformer::apps
