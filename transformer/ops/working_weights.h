// Weights as products read them: in the products' type, and those of one product in one matrix.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace transformer::ops {

/// While one is in use, the copies of parameters that products make are made once and kept until these
/// change: an update has many micro-batches, and a search many steps. Of other tensors none is kept.
class WorkingWeights {
 public:
  /// The weights, (O_i, …) each, behind each other in this type: (Σ O_i, …). It holds them as long as it
  /// lives.
  torch::Tensor get(at::TensorList weights, torch::ScalarType type);

  /// Brings all copies up to date at once, say after an optimiser's step. (get() brings up to date what it
  /// gives, copy by copy.)
  void refresh();

  /// While it lives, this thread's products use these.
  class Use {
   public:
    explicit Use(WorkingWeights& weights);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    WorkingWeights* before_;
  };

 private:
  struct Copy {
    std::vector<torch::Tensor> weights, parts;  ///< the parts of `joined`
    torch::Tensor joined;
    std::vector<std::uint32_t> versions;  ///< of the weights, when they were copied
  };
  using Key = std::tuple<const void*, std::size_t, torch::ScalarType>;

  std::map<Key, Copy> copies_;
};

/// The weights behind each other in this type: parameters from what is in use, else a new copy; a single one
/// that has the type already is itself.
torch::Tensor working(at::TensorList weights, torch::ScalarType type);

}  // namespace transformer::ops
