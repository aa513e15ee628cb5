#include "transformer/ops/once_differentiable.h"

#include <fmt/format.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/functions/utils.h>

namespace transformer::ops {

torch::autograd::variable_list once_differentiable(const char* name,
                                                   const torch::autograd::variable_list& received,
                                                   torch::autograd::variable_list gradients) {
  if (!torch::GradMode::is_enabled()) return gradients;
  // The gradients depend on the gradients received and on the function's inputs. The node that refuses stands
  // between them, so every path to a second derivative leads through it. PyTorch's own DelayedError stands
  // before leaves of its own, so other paths would bypass it.
  auto edges = torch::autograd::collect_next_edges(received);
  const auto& inputs = torch::autograd::get_current_node()->next_edges();
  edges.insert(edges.end(), inputs.begin(), inputs.end());
  const auto refusal = std::make_shared<torch::autograd::Error>(
      fmt::format("{}: the second derivative of this fast path is not implemented; layers in fp64 and "
                  "label_smoothed_loss have theirs",
                  name),
      std::move(edges));
  for (auto& gradient : gradients) {
    if (!gradient.defined()) continue;
    gradient = gradient.detach();
    torch::autograd::set_history(gradient, refusal);
  }
  return gradients;
}

}  // namespace transformer::ops
