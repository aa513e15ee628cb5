#include "transformer/translation/step_graphs.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/variants/choice.h"

namespace transformer::translation {
namespace {

/// Elements of a memory, so that each part begins where kernels like it.
std::int64_t aligned(std::int64_t numbers) {
  constexpr std::int64_t kNumbers = 256;
  return (numbers + kNumbers - 1) / kNumbers * kNumbers;
}

/// Whether both went the same way. Devices may add up in another order, which exchanges hypotheses that are
/// about as probable.
bool agree(const StepLog& one, const StepLog& other) {
  constexpr double kRelative = 1e-2, kAbsolute = 1e-2;
  for (std::int64_t i = 0; i < one.steps(); ++i)
    if (!torch::allclose(one.at(i).costs, other.at(i).costs, kRelative, kAbsolute, /*equal_nan=*/true))
      return false;
  return true;
}

}  // namespace

std::unique_ptr<StepGraphs> StepGraphs::of(const models::EncoderDecoder& model) {
  if (!model || !gpu::may_be_graphs(model->device()) || !variants::chosen(model->options().variants).empty())
    return nullptr;
  return std::make_unique<StepGraphs>(model);
}

StepGraphs::StepGraphs(models::EncoderDecoder model)
    : model_(std::move(model)), pool_(gpu::new_graph_pool(model_->device())) {}

void StepGraphs::decline(const std::string& why) {
  declined_ = true;
  shapes_.clear();
  memory_.reset();
  size_ = 0;
  spdlog::warn("{}: steps of searches are computed operation by operation, since they cannot be graphs: {}",
               model_->device().str(), why.substr(0, why.find('\n')));
}

StepGraphs::Key StepGraphs::key_of(const DeviceState& state) {
  const auto& source = state.cache.layers.front().source.keys;
  return {source.scalar_type(), state.cache.sentences(), source.size(2), state.cache.width(),
          state.cache.positions()};
}

StepLog StepGraphs::run(DeviceState& state, const StepsAhead& asked) {
  if (declined_) return do_steps(model_, state, asked);
  auto& steps = settled(state).graphs[asked];
  if (!steps.graph) {
    if (!std::exchange(steps.seen, true) || size_ == kMost) return do_steps(model_, state, asked);
    if (!record(steps, state, asked)) return do_steps(model_, state, asked);
    if (!agreed_) return compared(steps, state, asked);
  }
  steps.graph->replay();
  state.cache.length += asked.steps;
  return steps.log->to_host();
}

/// The shape of a state, which lies in its memory then.
StepGraphs::Shape& StepGraphs::settled(DeviceState& state) {
  const auto key = key_of(state);
  auto found = shapes_.find(key);
  if (found == shapes_.end()) {
    auto place = state;
    allocate(place);  // may forget all shapes
    found = shapes_.emplace(key, Shape{std::move(place), {}}).first;
  }
  const auto& place = found->second.state;
  if (place.tokens.is_same(state.tokens)) return found->second;
  torch::_foreach_copy_(place.contents(), state.contents());
  const auto length = state.cache.length;
  state = place;
  state.cache.length = length;
  return found->second;
}

/// Gives a state memory of its own, with numbers in it.
void StepGraphs::allocate(DeviceState& state) {
  std::int64_t numbers = 0, first = 0;
  const auto parts = state.keys_and_values();
  for (const auto* part : parts) numbers += aligned(part->numel());
  const auto options = parts.front()->options();
  if (!memory_.defined() || memory_.numel() < numbers || memory_.scalar_type() != options.dtype()) {
    if (memory_.defined()) numbers = std::max(numbers, memory_.numel() + memory_.numel() / 2);
    shapes_.clear();
    size_ = 0;
    memory_.reset();
    memory_ = torch::zeros({numbers}, options);
  }
  for (auto* part : parts) {
    const auto place = memory_.narrow(0, first, part->numel()).view(part->sizes());
    first += aligned(part->numel());
    *part = place;
  }
  for (auto* other : state.others()) *other = other->clone();
  // A copy would be stored without the alignment of its rows.
  auto& visible = state.cache.source_visible;
  visible = nn::added_mask(visible.eq(0), visible.scalar_type());
}

bool StepGraphs::record(Recorded& steps, const DeviceState& state, const StepsAhead& asked) {
  try {
    steps.log.emplace(empty_log(state, asked));
    steps.graph = std::make_unique<gpu::Graph>(model_->device(), pool_, [&] {
      auto same = state;  // the host's numbers are not recorded
      do_steps(model_, same, asked, *steps.log);
    });
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    decline(error.what());
    return false;
  }
  ++size_;
  spdlog::debug("{}: {} graphs of steps", model_->device().str(), size_);
  return true;
}

/// Goes on with what is computed.
StepLog StepGraphs::compared(Recorded& steps, DeviceState& state, const StepsAhead& asked) {
  std::vector<torch::Tensor> before;
  for (const auto& part : state.contents()) before.push_back(part.clone());
  steps.graph->replay();
  const auto found = steps.log->to_host();
  torch::_foreach_copy_(state.contents(), before);
  auto log = do_steps(model_, state, asked);
  agreed_ = agree(found, log);
  if (!agreed_) decline("one goes another way than what is computed");
  return log;
}

}  // namespace transformer::translation
