#include "transformer/ops/rotary.h"

#include <algorithm>

#include "transformer/kernels/rotation.h"
#include "transformer/ops/angles.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/once_differentiable.h"

namespace transformer::ops {
namespace {

/// A contiguous copy of x: (…, T, C), rotated forward (direction 1) or back (-1).
torch::Tensor turned(const torch::Tensor& x, const torch::Tensor& rotation, std::int64_t heads,
                     float direction) {
  auto y = x.clone(at::MemoryFormat::Contiguous);
  const auto columns = y.size(-1), positions = y.size(-2), size = rotation.size(-1);
  const auto stride = rotation.size(1) == 1 ? 0 : size;
  with_type_of(y, [&](auto type) {
    using T = decltype(type);
    runtime::parallel_for(0, y.numel() / columns, 32, [&](std::int64_t begin, std::int64_t end) {
      for (auto row = begin; row < end;) {
        const auto position = row % positions, rows = std::min(end - row, positions - position);
        const kernels::Rotation<T> part{.rows = rows,
                                        .heads = heads,
                                        .size = size,
                                        .head_stride = size,
                                        .data = kernel_data<T>(y) + row * columns,
                                        .stride = columns,
                                        .cosine = rotation[0].data_ptr<float>() + position * stride,
                                        .sine = rotation[1].data_ptr<float>() + position * stride,
                                        .table_stride = stride,
                                        .direction = direction};
        run_kernel(kernels::rotation().rotate, kernels::rotation().rotate_bf16, part);
        row += rows;
      }
    });
  });
  return y;
}

class CpuRotation : public OnceDifferentiable<CpuRotation> {
 public:
  static constexpr const char* kName = "ops::rotate";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& rotation, std::int64_t heads) {
    context->save_for_backward({rotation});
    context->saved_data["heads"] = heads;
    return turned(x, rotation, heads, 1.0F);
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    // The gradient of a rotation is the rotation back.
    const auto rotation = context->get_saved_variables()[0];
    return {turned(received[0], rotation, context->saved_data["heads"].toInt(), -1.0F), {}, {}};
  }
};

}  // namespace

torch::Tensor rotation_at(const torch::Tensor& positions, std::int64_t d_k, double base) {
  TORCH_CHECK(d_k % 2 == 0, "rotary positions need an even d_k, found ", d_k);
  const auto angles = angles_at(positions, d_k / 2, static_cast<double>(d_k) / 2, base);  // (T, d_k / 2)
  const auto cosine = angles.cos(), sine = angles.sin();
  const auto both = torch::stack({torch::stack({cosine, cosine}, -1), torch::stack({-sine, sine}, -1)});
  return both.flatten(-2).to(torch::kFloat);
}

torch::Tensor rotate(const torch::Tensor& x, const torch::Tensor& rotation, std::int64_t heads) {
  if (!has_kernels(x) || x.numel() == 0 || !rotation.is_contiguous())
    return reference_rotate(x, rotation, heads);
  return CpuRotation::apply(x, rotation, heads);
}

torch::Tensor reference_rotate(const torch::Tensor& x, const torch::Tensor& rotation, std::int64_t heads) {
  const auto size = rotation.size(-1);
  const auto wide = torch::promote_types(x.scalar_type(), torch::kFloat);
  const auto old = x.slice(-1, 0, heads * size).unflatten(-1, {heads, size}).to(wide);  // (…, T, H, d_k)
  const auto neighbours = old.unflatten(-1, {size / 2, 2}).flip(-1).flatten(-2);
  const auto table = rotation.unsqueeze(2).to(wide);  // (2, T, 1, d_k)
  const auto rotated = old * table.select(0, 0) + neighbours * table.select(0, 1);
  return torch::cat({rotated.flatten(-2).to(x.scalar_type()), x.slice(-1, heads * size)}, -1);
}

}  // namespace transformer::ops
