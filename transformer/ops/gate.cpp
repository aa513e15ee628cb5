#include "transformer/ops/gate.h"

#include "transformer/kernels/gate.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/once_differentiable.h"

namespace transformer::ops {
namespace {

/// Rows begin … end - 1 of `both` (R, 2 F).
template <typename T>
kernels::Gating<T> rows_of(const torch::Tensor& both, nn::Gate kind, std::int64_t begin, std::int64_t end) {
  const auto width = both.size(1) / 2;
  const T* first = kernel_data<T>(both) + begin * 2 * width;
  return {.rows = end - begin,
          .width = width,
          .kind = kind,
          .values = first,
          .gate = first + width,
          .stride = 2 * width};
}

class Gated : public OnceDifferentiable<Gated> {
 public:
  static constexpr const char* kName = "ops::gated";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& both,
                               std::int64_t kind) {
    auto shape = both.sizes().vec();
    shape.back() /= 2;
    const auto rows = both.contiguous().view({-1, both.size(-1)});
    auto y = torch::empty({rows.size(0), shape.back()}, both.options());
    with_type_of(rows, [&](auto type) {
      using T = decltype(type);
      parallel_rows(rows.size(0), [&](std::int64_t begin, std::int64_t end) {
        auto part = rows_of<T>(rows, static_cast<nn::Gate>(kind), begin, end);
        part.y = kernel_data<T>(y) + begin * part.width;
        run_kernel(kernels::gate().forward, kernels::gate().forward_bf16, part);
      });
    });
    context->save_for_backward({rows});
    context->saved_data["kind"] = kind;
    return y.view(shape);
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto rows = context->get_saved_variables()[0];
    const auto kind = static_cast<nn::Gate>(context->saved_data["kind"].toInt());
    const auto gradient = received[0].contiguous();
    auto shape = gradient.sizes().vec();
    shape.back() *= 2;
    const auto of_both = torch::empty_like(rows);
    with_type_of(rows, [&](auto type) {
      using T = decltype(type);
      parallel_rows(rows.size(0), [&](std::int64_t begin, std::int64_t end) {
        const auto part = rows_of<T>(rows, kind, begin, end);
        T* first = kernel_data<T>(of_both) + begin * part.stride;
        run_kernel(kernels::gate().backward, kernels::gate().backward_bf16,
                   kernels::GatingBackward<T>{.forward = part,
                                              .gradient = kernel_data<T>(gradient) + begin * part.width,
                                              .values = first,
                                              .gate = first + part.width});
      });
    });
    return {of_both.view(shape), torch::Tensor()};
  }
};

}  // namespace

bool has_gated(const torch::Tensor& x) {
  return has_kernels(x) && x.numel() > 0;
}

torch::Tensor gated(const torch::Tensor& both, nn::Gate kind) {
  return Gated::apply(both, static_cast<std::int64_t>(kind));
}

}  // namespace transformer::ops
