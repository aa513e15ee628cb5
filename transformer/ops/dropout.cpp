#include "transformer/ops/dropout.h"

#include <ATen/CPUGeneratorImpl.h>

#include <utility>

#include "transformer/base/random.h"
#include "transformer/kernels/dropout.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/device_mask.h"
#include "transformer/ops/once_differentiable.h"

namespace transformer::ops {
namespace {

thread_local DropoutScope* scope = nullptr;
thread_local const Sequences* packed = nullptr;

std::uint64_t draw_seed() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return at::get_generator_or_default<at::CPUGeneratorImpl>(generator, generator)->random64();
}

/// As those of the first two dimensions (B, T) of draw_row_seeds: (N)
torch::Tensor packed_row_seeds(std::uint64_t first, const Sequences& sequences) {
  auto tensor = torch::empty({sequences.rows()}, torch::kLong);
  auto* seeds = reinterpret_cast<std::uint64_t*>(tensor.data_ptr<std::int64_t>());
  const auto* offsets = sequences.host_offsets();
  for (std::int64_t b = 0; b < sequences.size(); ++b) {
    const auto seed = mix(first, scope->examples()[static_cast<std::size_t>(b)]);
    for (auto row = offsets[b]; row < offsets[b + 1]; ++row) seeds[row] = mix(seed, row - offsets[b]);
  }
  return tensor;
}

class CpuDropout : public OnceDifferentiable<CpuDropout> {
 public:
  static constexpr const char* kName = "ops::dropout";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, double p) {
    const auto seeds = draw_row_seeds(x, p);
    context->save_for_backward({seeds});
    context->saved_data["p"] = p;
    return masked(x, seeds, p);
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto seeds = context->get_saved_variables()[0];
    return {masked(received[0], seeds, context->saved_data["p"].toDouble()), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor masked(const torch::Tensor& x, const torch::Tensor& seeds, double p) {
  const auto from = x.contiguous();
  auto y = torch::empty_like(from);
  const auto rows = seeds.numel(), width = from.numel() / std::max<std::int64_t>(rows, 1);
  const auto mask = dropout_mask(p, seeds);
  const auto run = [&](auto type) {
    using T = decltype(type);
    constexpr std::int64_t worth_a_thread = 1 << 15;  // elements
    const auto least = worth_a_thread / std::max<std::int64_t>(width, 1) + 1;
    runtime::parallel_for(0, rows, least, [&](std::int64_t begin, std::int64_t end) {
      const kernels::Dropout<T> part{.begin = begin,
                                     .end = end,
                                     .width = width,
                                     .mask = mask,
                                     .x = kernel_data<T>(from),
                                     .y = kernel_data<T>(y)};
      run_kernel(kernels::dropout().run, kernels::dropout().run_bf16, part);
    });
  };
  with_type_of(from, run);
  return y;
}

DropoutScope::DropoutScope(std::uint64_t seed, std::int64_t update, std::vector<std::int64_t> examples,
                           torch::Tensor device_seed)
    : seed_(seed_of(seed, update)),
      examples_(std::move(examples)),
      device_seed_(std::move(device_seed)),
      before_(std::exchange(scope, this)) {}

DropoutScope::~DropoutScope() {
  scope = before_;
}

std::uint64_t DropoutScope::seed_of(std::uint64_t seed, std::int64_t update) {
  return mix(seed, update);
}

std::uint64_t DropoutScope::next() {
  return mix(seed_, take_number());
}

torch::Tensor DropoutScope::seed_on(const torch::Device& device) {
  if (!device_seed_.defined())
    device_seed_ = torch::tensor({static_cast<std::int64_t>(seed_)}, torch::kLong).to(device);
  return device_seed_;
}

PackedRows::PackedRows(const Sequences& sequences) : before_(std::exchange(packed, &sequences)) {}

PackedRows::~PackedRows() {
  packed = before_;
}

torch::Tensor draw_row_seeds(const torch::Tensor& x, double p) {
  if (p == 0.0) return {};
  auto first = scope ? scope->next() : draw_seed();
  const auto leading = x.sizes().slice(0, static_cast<std::size_t>(std::max<std::int64_t>(x.dim() - 1, 0)));
  if (scope && packed && leading.size() == 1 && leading[0] == packed->rows() &&
      packed->size() == std::ssize(scope->examples()))
    return packed_row_seeds(first, *packed);
  const bool by_example = scope && !leading.empty() && leading[0] == std::ssize(scope->examples());
  if (scope && !by_example)
    for (const auto example : scope->examples()) first = mix(first, example);
  auto tensor = torch::empty({c10::multiply_integers(leading)}, torch::kLong);
  if (tensor.numel() == 0) return tensor;
  auto* seeds = reinterpret_cast<std::uint64_t*>(tensor.data_ptr<std::int64_t>());
  seeds[0] = first;
  // A dimension at a time, from the last seed to the first: where a seed's successors go, none is still
  // needed. An index is mixed in, never a number over several dimensions, which would depend on their sizes.
  std::int64_t count = 1;
  for (std::size_t d = 0; d < leading.size(); ++d) {
    for (auto i = count - 1; i >= 0; --i) {
      const auto seed = seeds[i];
      for (std::int64_t j = 0; j < leading[d]; ++j)
        seeds[i * leading[d] + j] =
            mix(seed, d == 0 && by_example ? scope->examples()[static_cast<std::size_t>(j)] : j);
    }
    count *= leading[d];
  }
  return tensor;
}

std::optional<DeviceMask> draw_device_mask(const torch::Tensor& x, double p) {
  if (p == 0.0) return DeviceMask{};
  if (!scope || !packed || !packed->examples.defined() || x.dim() != 2 || x.size(0) != packed->rows())
    return std::nullopt;
  return DeviceMask{packed->examples, packed->places, scope->seed_on(x.device()), scope->take_number(), p};
}

kernels::DropoutMask dropout_mask(double p, const torch::Tensor& seeds) {
  if (p == 0.0) return {};
  return kernels::DropoutMask::with_probability(
      p, reinterpret_cast<const std::uint64_t*>(seeds.const_data_ptr<std::int64_t>()));
}

torch::Tensor dropout(const torch::Tensor& x, double p, bool training) {
  if (!training || p == 0.0) return x;
  if (!x.is_cpu()) {
    const auto y = device_dropout(x, p);
    return y ? *y : std::get<0>(at::native_dropout(x, p, /*train=*/true));
  }
  if (!has_kernels(x)) return torch::dropout(x, p, /*train=*/true);
  return CpuDropout::apply(x, p);
}

}  // namespace transformer::ops
