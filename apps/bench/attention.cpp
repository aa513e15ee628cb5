#include "apps/bench/attention.h"

#include <torch/cuda.h>

#include <algorithm>

#include "transformer/base/stopwatch.h"
#include "transformer/nn/init.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/memory.h"

namespace transformer::bench {
namespace {

constexpr int kRepetitions = 3;

}  // namespace

AttentionSpeed time_attention(const AttentionSetting& setting) {
  const auto on_device = torch::TensorOptions(setting.device);
  nn::MultiHeadAttention layer(nn::MultiHeadAttentionOptions{.d_model = setting.d_model,
                                                             .heads = setting.heads,
                                                             .d_k = setting.d_k,
                                                             .d_v = setting.d_k,
                                                             .window = setting.window});
  nn::initialize(*layer);
  runtime::move_to(*layer, setting.device);
  const auto length = setting.length;
  const auto offsets = torch::tensor({std::int64_t{0}, length});
  const ops::Sequences sequence{offsets, offsets.to(on_device.dtype(torch::kInt)),
                                torch::arange(length, on_device.dtype(torch::kLong)), length};
  const auto mask = ops::AttentionMask::packed(sequence, sequence, setting.causal);
  const auto x = torch::randn({length, setting.d_model}, on_device).to(setting.precision).requires_grad_();
  const auto direction = torch::randn_like(x);

  AttentionSpeed speed{.setting = setting, .forward = 1e9, .backward = 1e9};
  const auto before = runtime::peak_memory(setting.device);
  for (int i = 0; i <= kRepetitions; ++i) {
    const auto finish = [&] {
      if (setting.device.is_cuda()) torch::cuda::synchronize(setting.device.index());
    };
    finish();
    const Stopwatch watch;
    const auto y = layer(x, x, mask);
    finish();
    const double forward = watch.seconds();
    y.backward(direction);
    finish();
    if (i == 0) continue;  // the first one makes what others find made
    speed.forward = std::min(speed.forward, forward);
    speed.backward = std::min(speed.backward, watch.seconds() - forward);
  }
  speed.memory = runtime::peak_memory(setting.device) - before;
  return speed;
}

}  // namespace transformer::bench
