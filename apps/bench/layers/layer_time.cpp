#include <ATen/Parallel.h>
#include <ATen/ops/randn.h>
#include <torch/cuda.h>

#include <algorithm>
#include <ctime>

#include "apps/bench/layers/layers.h"
#include "transformer/base/stopwatch.h"

namespace transformer::bench {
namespace {

/// Times a layer. A computation on one CPU thread is timed by that thread's CPU time, which excludes other
/// work of the machine. Any other is timed by the wall clock.
class LayerClock {
 public:
  explicit LayerClock(const torch::Tensor& x) : alone_(x.is_cpu() && at::get_num_threads() == 1) {}

  double seconds() const {
    if (!alone_) return watch_.seconds();
    std::timespec spent{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
  }

 private:
  bool alone_;
  Stopwatch watch_;
};

constexpr int kLeastRepetitions = 3, kMostRepetitions = 1000;

}  // namespace

LayerTime time_layer(LayerKind kind, const LayerShape& shape, const torch::TensorOptions& options,
                     double seconds) {
  const auto layer = build_layer(kind, shape, options);
  auto x = at::randn({shape.sequences, shape.length, shape.width}, options.dtype(torch::kFloat))
               .to(options.dtype())
               .set_requires_grad(true);
  const auto direction = torch::randn_like(x);
  const auto finish = [&] {
    if (x.is_cuda()) torch::cuda::synchronize(x.device().index());
  };
  LayerTime time{.forward = 1e9, .backward = 1e9};
  const LayerClock clock(x);
  double begin = clock.seconds();
  for (int i = 0; i <= kMostRepetitions && (i <= kLeastRepetitions || clock.seconds() - begin < seconds);
       ++i) {
    x.mutable_grad() = torch::Tensor();
    for (const auto& weight : layer.weights) weight.mutable_grad() = torch::Tensor();
    finish();
    const double start = clock.seconds();
    const auto y = layer.forward(x);
    finish();
    const double middle = clock.seconds();
    y.backward(direction);
    finish();
    const double end = clock.seconds();
    if (i == 0) {  // it makes what others find made
      begin = end;
      continue;
    }
    time.forward = std::min(time.forward, middle - start);
    time.backward = std::min(time.backward, end - middle);
    time.repetitions = i;
  }
  return time;
}

}  // namespace transformer::bench
