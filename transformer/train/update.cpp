#include "transformer/train/update.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cmath>
#include <new>

#include "transformer/base/error.h"
#include "transformer/nn/device.h"
#include "transformer/train/batch_tensors.h"

namespace transformer::train {
namespace {

void count_tokens(const data::Dataset& data, const data::BatchPlan::Update& update, UpdateResult& result) {
  for (const auto& indices : update) {
    for (const auto i : indices) {
      const auto source = static_cast<std::int64_t>(data.source(i).size()) + 1;
      const auto target = static_cast<std::int64_t>(data.target(i).size()) + 1;
      result.source_tokens += source;
      result.target_tokens += target;
      result.counts.add_pair(source, target);
    }
  }
}

/// The micro-batches, each cut into at most `parts` pieces of about equally many sentences.
data::BatchPlan::Update cut(const data::BatchPlan::Update& update, std::int64_t parts) {
  data::BatchPlan::Update pieces;
  for (const auto& indices : update) {
    const auto size = std::ssize(indices);
    for (std::int64_t part = 0; part < parts; ++part) {
      const auto begin = indices.begin() + size * part / parts,
                 end = indices.begin() + size * (part + 1) / parts;
      if (begin != end) pieces.emplace_back(begin, end);
    }
  }
  return pieces;
}

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) || dynamic_cast<const std::bad_alloc*>(&error))
    return true;
  // LibTorch's CPU allocator has no type of exception of its own.
  return std::string_view(error.what()).find("DefaultCPUAllocator") != std::string_view::npos;
}

/// Of the micro-batch that takes most memory: "64 × (31 source and 40 target tokens)".
std::string largest_shape(const data::Dataset& data, const data::BatchPlan::Update& update) {
  std::int64_t most = -1;
  std::string shape;
  for (const auto& indices : update) {
    const auto batch = data::batch_size(data, indices);
    const auto size = batch.rows * std::max(batch.source_length, batch.target_length);
    if (size <= most) continue;
    most = size;
    shape = fmt::format("{} × ({} source and {} target tokens)", batch.rows, batch.source_length,
                        batch.target_length);
  }
  return shape;
}

/// Adds the time since the last call to what it is told.
class PhaseClock {
 public:
  void end(double& phase) {
    const auto now = std::chrono::steady_clock::now();
    phase += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

PhaseSeconds& PhaseSeconds::operator+=(const PhaseSeconds& other) {
  data += other.data;
  forward += other.forward;
  loss += other.loss;
  backward += other.backward;
  optimizer += other.optimizer;
  waiting += other.waiting;
  return *this;
}

std::vector<std::pair<std::string, double>> PhaseSeconds::parts() const {
  return {{"data", data},         {"forward", forward},     {"loss", loss},
          {"backward", backward}, {"optimizer", optimizer}, {"waiting", waiting}};
}

Updater::Updater(models::EncoderDecoder& model, Adam& adam, const data::Dataset& data,
                 const UpdateSettings& settings)
    : model_(model), adam_(adam), data_(data), settings_(settings) {}

UpdateResult Updater::run(const data::BatchPlan::Update& update, double learning_rate) {
  while (true) {
    try {
      return try_run(parts_ == 1 ? update : cut(update, parts_), learning_rate);
    } catch (const std::exception& error) {
      if (!is_out_of_memory(error)) throw;
    }
    // Outside the handler: the exception keeps alive what its stack refers to.
    adam_.clear_gradients();
    cut_smaller(update);
  }
}

void Updater::cut_smaller(const data::BatchPlan::Update& update) {
  const auto pieces = cut(update, parts_);
  const auto shape = largest_shape(data_, pieces);
  const bool alone = std::ranges::all_of(pieces, [](const auto& piece) { return piece.size() == 1; });
  if (alone)
    throw RunError(
        fmt::format("out of memory with a batch of {}: a smaller model, or a smaller "
                    "data.max_tokens, is needed",
                    shape));
  parts_ *= 2;
  spdlog::warn(
      "out of memory with a batch of {}: going on with micro-batches cut into {}; a smaller "
      "train.micro_tokens avoids this",
      shape, parts_);
}

UpdateResult Updater::try_run(const data::BatchPlan::Update& update, double learning_rate) {
  UpdateResult result;
  auto& phases = result.phases;
  PhaseClock clock;
  count_tokens(data_, update, result);
  adam_.clear_gradients();
  std::vector<torch::Tensor> losses;  // on the device: reading them back would wait for it each time
  torch::Tensor nll;
  for (const auto& indices : update) {
    if (settings_.interrupted && *settings_.interrupted) throw Interrupted();
    const auto batch = to_device(data::make_batch(data_, indices), model_->device());
    clock.end(phases.data);
    TokenLoss sums;
    {
      const nn::Autocast autocast(model_->device(), settings_.precision);
      const auto states = batch_states(model_, batch);
      clock.end(phases.forward);
      sums = projected_loss(states, model_->output_weight(), batch.labels, settings_.label_smoothing,
                            model_->output_bias);
      clock.end(phases.loss);
    }
    (sums.smoothed / static_cast<double>(result.target_tokens)).backward();
    clock.end(phases.backward);
    losses.push_back(sums.smoothed.detach());
    nll = nll.defined() ? nll + sums.nll : sums.nll;
  }
  result.gradient_norm = adam_.clip_gradients(settings_.clip);
  clock.end(phases.optimizer);
  result.nll = nll.item<double>();
  const auto on_cpu = torch::stack(losses).to(torch::kCPU, torch::kDouble);
  result.loss = on_cpu.sum().item<double>();
  clock.end(phases.waiting);
  if (std::isfinite(result.loss) && std::isfinite(result.gradient_norm)) {
    adam_.step(learning_rate);
    clock.end(phases.optimizer);
    return result;
  }
  for (std::size_t i = 0; i < update.size(); ++i) {
    const bool bad = !std::isfinite(on_cpu[static_cast<std::int64_t>(i)].item<double>());
    if (bad || std::isfinite(result.loss))
      result.suspects.insert(result.suspects.end(), update[i].begin(), update[i].end());
  }
  return result;
}

}  // namespace transformer::train
