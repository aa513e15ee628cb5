#include "transformer/base/random.h"
#include "transformer/gpu/kernel.h"
#include "transformer/gpu/source/dropout.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/device_mask.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/once_differentiable.h"

namespace transformer::gpu {
std::string_view dropout_text();
}

namespace transformer::ops {
namespace {

torch::Tensor masked_by(const gpu::Kernels& kernels, const torch::Tensor& x, const DeviceMask& mask) {
  const auto from = x.contiguous();
  auto y = torch::empty_like(from);
  gpu::with_gpu_type(x.scalar_type(), [&](auto type) {
    using T = decltype(type);
    kernels.launch<gpu::Dropout, T>("dropout", from.size(0),
                                    {.x = static_cast<const T*>(from.const_data_ptr()),
                                     .y = static_cast<T*>(y.data_ptr()),
                                     .mask = mask.rows(),
                                     .width = from.size(1)});
  });
  return y;
}

/// With the CPU's masks, on a few rows.
bool dropout_agrees(const gpu::Kernels& kernels, const torch::Device& device) {
  const torch::NoGradGuard no_gradients;
  const std::int64_t examples[] = {7, 7, 1'000'000'007}, places[] = {0, 1, 70'000};
  const auto on_device = [&](const std::int64_t(&numbers)[3]) {
    return torch::tensor(torch::ArrayRef<std::int64_t>(numbers)).to(device);
  };
  constexpr std::int64_t update_seed = -12345;
  const DeviceMask mask{on_device(examples), on_device(places), torch::tensor({update_seed}).to(device), 9,
                        0.3};
  const auto given = torch::arange(1, 3 * 77 + 1).to(torch::kFloat).view({3, 77});
  for (std::int64_t row = 0; row < 3; ++row) {
    const auto first = mix(static_cast<std::uint64_t>(update_seed), mask.number),
               seed = mix(mix(first, examples[row]), places[row]);
    const auto expected =
        masked(given.narrow(0, row, 1), torch::tensor({static_cast<std::int64_t>(seed)}), mask.p);
    for (const auto type : {torch::kFloat, torch::kBFloat16, torch::kHalf}) {
      const auto found =
          masked_by(kernels, given.to(device, type), mask).narrow(0, row, 1).cpu().to(torch::kFloat);
      if (!torch::equal(found == 0, expected == 0) || !torch::allclose(found, expected, 8e-3)) return false;
    }
  }
  return true;
}

const gpu::Kernels* dropout_kernels(const torch::Device& device) {
  return gpu::usable_kernels({"dropout", gpu::dropout_text()}, device,
                             [&](const gpu::Kernels& kernels) { return dropout_agrees(kernels, device); });
}

class DeviceDropout : public OnceDifferentiable<DeviceDropout> {
 public:
  static constexpr const char* kName = "ops::dropout on a device";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& examples, const torch::Tensor& places,
                               const torch::Tensor& seed, std::int64_t number, double p) {
    context->save_for_backward({examples, places, seed});
    context->saved_data["number"] = number;
    context->saved_data["p"] = p;
    return masked_by(*dropout_kernels(x.device()), x, {examples, places, seed, number, p});
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const DeviceMask mask{saved[0], saved[1], saved[2], context->saved_data["number"].toInt(),
                          context->saved_data["p"].toDouble()};
    return {masked_by(*dropout_kernels(received[0].device()), received[0], mask), {}, {}, {}, {}, {}};
  }
};

}  // namespace

gpu::RowMask DeviceMask::rows() const {
  if (p == 0) return {};
  const auto mask = kernels::DropoutMask::with_probability(p, nullptr);
  const auto numbers = [](const torch::Tensor& x) {
    return reinterpret_cast<const gpu::Index*>(x.const_data_ptr<std::int64_t>());
  };
  return {.examples = numbers(examples),
          .places = numbers(places),
          .seed = reinterpret_cast<const gpu::Wide*>(seed.const_data_ptr<std::int64_t>()),
          .number = number,
          .dropped = mask.dropped,
          .scale = mask.scale};
}

std::optional<torch::Tensor> device_dropout(const torch::Tensor& x, double p) {
  if (!gpu::is_gpu_type(x.scalar_type()) || dropout_kernels(x.device()) == nullptr) return std::nullopt;
  const auto mask = draw_device_mask(x, p);
  if (!mask) return std::nullopt;
  return DeviceDropout::apply(x, mask->examples, mask->places, mask->seed, mask->number, p);
}

}  // namespace transformer::ops
