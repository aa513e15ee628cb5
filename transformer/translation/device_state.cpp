#include "transformer/translation/device_state.h"

#include <limits>

#include "transformer/translation/scoring.h"

namespace transformer::translation {

void DeviceState::select_sentences(const torch::Tensor& rows, std::int64_t own) {
  cache.select_sentences(rows);
  limits = limits.index_select(0, rows);
  tokens = tokens.index_select(0, rows);
  costs = costs.index_select(0, rows);
  costs.slice(0, own).fill_(std::numeric_limits<double>::quiet_NaN());
}

std::vector<torch::Tensor*> DeviceState::keys_and_values() {
  std::vector<torch::Tensor*> all;
  for (auto& layer : cache.layers)
    for (auto* memory : {&layer.self, &layer.source}) {
      all.push_back(&memory->keys);
      all.push_back(&memory->values);
    }
  return all;
}

std::vector<torch::Tensor*> DeviceState::others() {
  std::vector<torch::Tensor*> all{&cache.visible, &cache.position, &cache.columns, &limits, &tokens, &costs};
  if (cache.bias.defined()) all.push_back(&cache.bias_columns);
  return all;
}

std::vector<torch::Tensor> DeviceState::contents() const {
  auto same = *this;
  std::vector<torch::Tensor> all{cache.source_visible};
  for (const auto* part : same.others()) all.push_back(*part);
  for (const auto* part : same.keys_and_values()) all.push_back(*part);
  return all;
}

StepLog empty_log(const DeviceState& state, const StepsAhead& asked) {
  return {asked.steps, state.cache.sentences(), state.cache.width(), asked.continuations,
          state.costs.device()};
}

void do_steps(models::EncoderDecoder& model, DeviceState& state, const StepsAhead& asked,
              const StepLog& log) {
  auto tokens = state.tokens, costs = state.costs;
  for (std::int64_t i = 0; i < asked.steps; ++i) {
    const auto into = log.at(i);
    torch::Tensor must_end;  // (B · W)
    if (asked.some_must_end)
      must_end = state.limits.eq(state.cache.position).unsqueeze(1).expand_as(costs).flatten();
    const auto logits = model->step(tokens, state.cache).flatten(0, 1);  // (B · W, V)
    const auto next = next_log_probabilities_on_device(logits, must_end);
    auto values = into.log_probabilities.flatten(0, 1), ids = into.continuations.flatten(0, 1);
    at::topk_out(values, ids, next, values.size(1), 1);
    choose_open(costs, asked.ends_take_places, into);
    state.cache.follow(into.parents);
    tokens = into.tokens;
    costs = into.costs;
  }
  state.tokens.copy_(tokens);
  state.costs.copy_(costs);
}

StepLog do_steps(models::EncoderDecoder& model, DeviceState& state, const StepsAhead& asked) {
  const auto log = empty_log(state, asked);
  do_steps(model, state, asked, log);
  return log.to_host();
}

}  // namespace transformer::translation
