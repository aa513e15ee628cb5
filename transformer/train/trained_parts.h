// The part of a module that a training changes: all of it, all but frozen parts, or adapters of low rank
// alone.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "transformer/train/optimizer.h"

namespace transformer::train {

/// Parameters to which train.groups gives the rate 0 are frozen: they take no gradients and do not count in
/// the gradients' norm.
///
/// train.adapters gives each matrix W (M, N) that a pattern fits an adapter of rank R (LoRA, Hu et al. 2021):
///     W = W_0 + alpha / R · B A,   A (R, N) drawn from U(-1/√N, 1/√N), B (M, R) from zeros.
/// W_0 is what the training begins with. A and B are trained, with names of their own: W's with ".adapter_a"
/// and ".adapter_b" behind it. All other parameters are frozen, but those to which train.groups gives a rate.
///
/// The module always computes with W, so checkpoints hold merged weights, which every program reads. The
/// gradients of A and B follow from that of W by the chain rule:
///     dA = alpha / R · Bᵀ dW,   dB = alpha / R · dW Aᵀ.
class TrainedParts {
 public:
  /// The module is used as long as this lives; then all of its parameters take gradients as before. Throws
  /// InputError for a pattern that fits no matrix or no parameter, for a rank that is no less than a
  /// matrix's sides, and if nothing is left to be trained.
  TrainedParts(torch::nn::Module& module, const TrainOptions& options, std::int64_t seed);
  ~TrainedParts();
  TrainedParts(const TrainedParts&) = delete;
  TrainedParts& operator=(const TrainedParts&) = delete;

  /// What an optimiser changes.
  const NamedTensors& parameters() const { return parameters_; }

  bool has_adapters() const { return !adapters_.empty(); }
  std::int64_t trained_numbers() const;
  /// Of frozen parameters and of matrices with adapters.
  std::int64_t frozen_numbers() const;

  /// W_0 is what the module has now. A and B stay.
  void take_base();

  /// Gradients of A and B from those of W, which go. After all backward passes of an update.
  void project_gradients();
  /// W from A and B, after an update's step.
  void merge();
  /// Those of W, where an update was given up.
  void clear_gradients();

  /// "NAME.adapter_a", "NAME.adapter_b" and, apart, W_0 as "NAME": what a checkpoint needs besides weights.
  NamedTensors adapters() const;
  NamedTensors base() const;
  /// Restores both. Throws InputError, naming `source`, for a tensor that is missing or has another shape.
  void restore(const std::map<std::string, torch::Tensor>& adapters,
               const std::map<std::string, torch::Tensor>& base, const std::string& source);

 private:
  struct Adapter {
    std::string name;
    torch::Tensor weight, base, a, b;
  };

  void add_adapter(const std::string& name, const torch::Tensor& weight, const TrainOptions& options);

  double scale_;
  std::vector<Adapter> adapters_ = {};
  std::vector<torch::Tensor> frozen_ = {};
  NamedTensors parameters_ = {};
};

}  // namespace transformer::train
