#include "transformer/translation/module_steps.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "transformer/translation/scoring.h"

namespace transformer::translation {
namespace {

/// How many rows the sentence of each has, for the sentences in order.
std::vector<std::int64_t> rows_by_sentence(const std::vector<std::int32_t>& sentences) {
  std::vector<std::int64_t> counts;
  for (std::size_t row = 0; row < sentences.size(); ++row) {
    if (row == 0 || sentences[row] != sentences[row - 1]) counts.push_back(0);
    ++counts.back();
  }
  return counts;
}

}  // namespace

ModuleSteps::ModuleSteps(models::AnyModel model, const torch::Tensor& source)
    : model_(std::move(model)),
      decoder_(models::sequence_to_sequence(*model_)),
      state_(decoder_.start(source.to(model_->device()))),
      sentences_(static_cast<std::size_t>(source.size(0))),
      places_(sentences_.size()),
      state_rows_(source.size(0)) {
  std::iota(sentences_.begin(), sentences_.end(), 0);
  std::iota(places_.begin(), places_.end(), 0);
}

/// Brings the state to the given rows. Each sentence must have equally many: one with fewer repeats its
/// first, and nobody looks at what follows from that.
void ModuleSteps::select(const search::StepRows& rows) {
  const auto device = model_->device();
  const auto counts = rows_by_sentence(rows.sentences);
  const auto width = *std::max_element(counts.begin(), counts.end());
  std::vector<std::int64_t> hypotheses, sentences, places;
  std::vector<std::int32_t> kept;
  std::size_t row = 0;
  for (const auto count : counts) {
    const auto old = std::find(sentences_.begin(), sentences_.end(), rows.sentences[row]);
    sentences.push_back(old - sentences_.begin());
    kept.push_back(*old);
    for (std::int64_t slot = 0; slot < width; ++slot) {
      const auto parent = rows.parents[row + static_cast<std::size_t>(slot < count ? slot : 0)];
      if (slot < count) places.push_back(static_cast<std::int64_t>(hypotheses.size()));
      hypotheses.push_back(places_[static_cast<std::size_t>(parent)]);
    }
    row += static_cast<std::size_t>(count);
  }
  std::vector<std::int64_t> unchanged(static_cast<std::size_t>(state_rows_));
  std::iota(unchanged.begin(), unchanged.end(), 0);
  if (state_->length() > 0 && hypotheses != unchanged)
    state_->select_hypotheses(torch::tensor(hypotheses, device));
  if (kept != sentences_) state_->select_sentences(torch::tensor(sentences, device));
  state_rows_ = static_cast<std::int64_t>(hypotheses.size());
  sentences_ = std::move(kept);
  places_ = std::move(places);
}

torch::Tensor ModuleSteps::logits(const search::StepRows& rows) {
  const auto device = model_->device();
  select(rows);
  const auto places = torch::tensor(places_, device);
  auto tokens = torch::zeros({state_rows_}, torch::TensorOptions(torch::kLong).device(device));
  tokens.index_put_({places}, torch::tensor(rows.tokens, torch::TensorOptions(torch::kLong).device(device)));
  const auto hypotheses = tokens.view({state_->sentences(), -1});
  return decoder_.step(hypotheses, *state_).flatten(0, 1).index_select(0, places);
}

void ModuleSteps::operator()(const search::StepRows& rows, std::int64_t width, search::Continuations& best) {
  const auto next = next_log_probabilities(logits(rows), rows.only);
  best.width = std::min(width, next.size(1));
  const auto [values, ids] = next.topk(best.width, 1);
  const auto found = torch::stack({values.to(torch::kDouble), ids.to(torch::kDouble)}).cpu();  // exact
  const auto count = static_cast<std::size_t>(values.numel());
  const auto* numbers = found.data_ptr<double>();
  best.log_probabilities.assign(numbers, numbers + count);
  best.tokens.assign(numbers + count, numbers + 2 * count);
}

}  // namespace transformer::translation
