#include "transformer/ops/feed_forward.h"

#include "transformer/ops/linear.h"
#include "transformer/ops/once_differentiable.h"
#include "transformer/ops/working_weights.h"

namespace transformer::ops {
namespace {

class FeedForward : public OnceDifferentiable<FeedForward> {
 public:
  static constexpr const char* kName = "ops::feed_forward";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& inner, const torch::Tensor& inner_bias,
                               const torch::Tensor& outer, const torch::Tensor& outer_bias) {
    const auto rows = x.contiguous().view({-1, x.size(-1)});
    const auto w1 = working(inner, x.scalar_type()), w2 = working(outer, x.scalar_type());
    const auto hidden = linear_rows(rows, w1, working_bias(inner_bias, x), /*relu=*/true);
    const auto y = linear_rows(hidden, w2, working_bias(outer_bias, x));
    context->save_for_backward({rows, hidden, w1, w2});
    return y.view_as(x);
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const auto &rows = saved[0], &hidden = saved[1], &w1 = saved[2], &w2 = saved[3];
    const auto y_gradient = received[0].contiguous().view({-1, received[0].size(-1)});
    const auto outer = linear_gradients(y_gradient, hidden, w2, {});
    const auto inner = linear_gradients(outer.x, rows, w1, {.relu_output = hidden});
    return {inner.x.view_as(received[0]), inner.weight, inner.bias, outer.weight, outer.bias};
  }
};

}  // namespace

torch::Tensor feed_forward(const torch::Tensor& x, const torch::Tensor& inner,
                           const torch::Tensor& inner_bias, const torch::Tensor& outer,
                           const torch::Tensor& outer_bias) {
  return FeedForward::apply(x, inner, inner_bias, outer, outer_bias);
}

}  // namespace transformer::ops
