#include "transformer/experiments/trivial_outputs.h"

#include <algorithm>

namespace transformer::experiments {
namespace {

eval::Sentences of_other_sentences(eval::Sentences text) {
  std::rotate(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.size() / 2), text.end());
  return text;
}

}  // namespace

std::vector<report::TrivialOutput> compare_with_trivial(const eval::Metric& metric,
                                                        const std::vector<eval::Sentences>& translations,
                                                        const eval::Sentences& sources,
                                                        const eval::Sentences& references) {
  if (translations.empty()) return {};
  const auto count = [&](const eval::Sentences& text) {
    return eval::count_sentences(metric, {text, {references}});
  };
  eval::Runs own, of_others;
  for (const auto& text : translations) {
    own.push_back(count(text));
    of_others.push_back(count(of_other_sentences(text)));
  }
  const auto beside = [&](const char* name, const eval::Runs& trivial) {
    return report::TrivialOutput{name, eval::paired_bootstrap(metric, own, trivial)};
  };
  std::vector<report::TrivialOutput> outputs{beside("the source as it is", {count(sources)})};
  if (references.size() < 2) return outputs;
  outputs.push_back(beside("the references of other sentences", {count(of_other_sentences(references))}));
  outputs.push_back(beside("its own translations of other sentences", of_others));
  return outputs;
}

}  // namespace transformer::experiments
