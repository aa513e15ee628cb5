// Autograd functions of our own, whose gradients are computed by kernels: they have no second derivative.
#pragma once

#include <torch/autograd.h>
#include <torch/utils.h>

#include <utility>

namespace transformer::ops {

/// The gradients that a function's backward returned, for use outside of it. Differentiating them again
/// (create_graph) throws a std::runtime_error with the name; otherwise such a term would be missing silently.
/// received: the gradients that backward was given.
torch::autograd::variable_list once_differentiable(const char* name,
                                                   const torch::autograd::variable_list& received,
                                                   torch::autograd::variable_list gradients);

/// The base of every autograd function here, instead of torch::autograd::Function. A derived class has
/// * `static constexpr const char* kName`,
/// * forward(),
/// * gradients(), which does what PyTorch calls backward().
template <typename Derived>
class OnceDifferentiable : public torch::autograd::Function<Derived> {
 public:
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& received) {
    torch::autograd::variable_list gradients;
    {
      const torch::NoGradGuard no_gradients;
      gradients = Derived::gradients(context, received);
    }
    return once_differentiable(Derived::kName, received, std::move(gradients));
  }
};

}  // namespace transformer::ops
