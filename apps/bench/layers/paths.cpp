#include "apps/bench/layers/paths.h"

#include <ATen/ops/lstm_cell.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/rnn_tanh_cell.h>
#include <fmt/format.h>

#include "transformer/base/choices.h"
#include "transformer/base/error.h"

namespace transformer::bench {
namespace {

/// Steps that hand a change of the first input on, to the last.
std::int64_t path_of_steps(LayerKind kind, const LayerShape& shape, bool lstm) {
  const torch::NoGradGuard no_gradients;
  const auto layer = build_layer(kind, shape, torch::kFloat);
  const auto step = [&](const torch::Tensor& x, std::vector<torch::Tensor>& state) {
    if (lstm)
      std::tie(state[0], state[1]) =
          at::lstm_cell(x, {state[0], state[1]}, layer.weights[0], layer.weights[1]);
    else
      state[0] = at::rnn_tanh_cell(x, state[0], layer.weights[0], layer.weights[1]);
  };
  const auto start = torch::zeros({1, shape.width});
  std::vector<torch::Tensor> state(lstm ? 2 : 1, start), changed = state;
  std::int64_t steps = 0;
  for (; steps < shape.length; ++steps) {
    const auto x = at::randn({1, shape.width});
    step(x, state);
    step(steps == 0 ? at::randn({1, shape.width}) : x, changed);
    bool handed_on = false;
    for (std::size_t i = 0; i < state.size(); ++i) handed_on = handed_on || !state[i].equal(changed[i]);
    if (!handed_on)
      throw RunError(fmt::format("{}: a change of the first position does not get beyond {} steps",
                                 name_of(kind), steps));
    // Whether a step depends on the one before is asked, not how much: the change must not die away in fp32.
    for (auto& part : changed) part = part + at::randn_like(part);
  }
  return steps;
}

std::int64_t path_of_layers(LayerKind kind, const LayerShape& shape) {
  const auto last = static_cast<std::size_t>(shape.length - 1);
  std::vector<bool> changed(last + 1, false);
  changed[0] = true;
  std::int64_t layers = 0;
  for (; !changed[last] || layers == 0; ++layers) {
    const auto before = changed;
    changed = reach(build_layer(kind, shape, torch::kFloat, layers), shape, before);
    if (changed == before && !changed[last])
      throw RunError(fmt::format("{}: the first position does not reach the last", name_of(kind)));
  }
  return layers;
}

}  // namespace

std::vector<bool> reach(const BuiltLayer& layer, const LayerShape& shape, const std::vector<bool>& changed) {
  const torch::NoGradGuard no_gradients;
  const auto x = at::randn({shape.length, shape.width});
  auto other = x.clone();
  for (std::int64_t i = 0; i < shape.length; ++i)
    if (changed[static_cast<std::size_t>(i)]) other[i] = at::randn({shape.width});
  const auto differs = layer.forward(x).ne(layer.forward(other)).any(1);
  std::vector<bool> reached;
  for (std::int64_t i = 0; i < shape.length; ++i) reached.push_back(differs[i].item<bool>());
  return reached;
}

std::int64_t path_length(LayerKind kind, const LayerShape& shape) {
  switch (kind) {
    case LayerKind::recurrent:
      return path_of_steps(kind, shape, /*lstm=*/false);
    case LayerKind::lstm:
      return path_of_steps(kind, shape, /*lstm=*/true);
    case LayerKind::self_attention:
    case LayerKind::multi_head_attention:
    case LayerKind::additive_attention:
    case LayerKind::restricted_attention:
    case LayerKind::convolution:
    case LayerKind::dilated_convolution:
    case LayerKind::separable_convolution:
      return path_of_layers(kind, shape);
  }
  no_such_choice();
}

}  // namespace transformer::bench
