// Section 5.3: the Adam optimiser; with a weight decay, AdamW.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "transformer/train/options.h"

namespace transformer::train {

/// What a step makes of the gradients, told by numbers on the parameters' device, () in fp32, so that nobody
/// waits for them. Undefined: nothing.
struct GradientUse {
  torch::Tensor divisor = {};  ///< they are divided by it
  torch::Tensor useless = {};  ///< 1: nothing changes; 0: they are as they should be
};

/// Adam with bias correction and the paper's β1, β2 and ε, as one fused kernel over all parameters.
///
/// A weight decay λ is decoupled from the gradients, as in AdamW: before each step, w ← w − rate · λ · w. It
/// falls on matrices (the embeddings among them, of which the paper's one is the output projection too), not
/// on biases and norms, which have one dimension.
class Adam {
 public:
  using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

  /// parameters: leaves that share a device; their moments start at zero. Those that take no gradients are
  /// left as they are.
  Adam(NamedTensors parameters, const TrainOptions& options);

  /// One update with the parameters' gradients, which must all be there.
  void step(double learning_rate, const GradientUse& use = {});

  void clear_gradients();

  /// The norm over all gradients, (), fp64, on their device.
  torch::Tensor gradient_norm() const;

  /// What gradients of this norm, which are `scale` times what they should be, are to be divided by, that
  /// theirs is `limit` at most; a limit of 0 is none. () in fp32; undefined where there is nothing to do.
  static torch::Tensor divisor(const torch::Tensor& norm, double limit, double scale = 1.0);

  std::vector<torch::Tensor> parameters() const;

  /// From now on, only these parameters (one entry for each) have moments, and steps change no others.
  void keep_moments(const std::vector<bool>& kept);

  /// The moments by name, for a checkpoint: "m.NAME" and "v.NAME", parameter by parameter; undefined where
  /// none are kept.
  NamedTensors state() const;

  /// The moments are those after so many updates.
  void set_updates(std::int64_t updates);

  /// Restores `state` after `updates` updates. Throws InputError naming `source` when it does not fit.
  void restore(const std::map<std::string, torch::Tensor>& state, std::int64_t updates,
               const std::string& source);

 private:
  /// Parameters that share a weight decay, with what belongs to them.
  struct Group {
    double weight_decay = 0.0;
    std::vector<torch::Tensor> values = {}, first_moments = {}, second_moments = {}, updates = {};
  };

  void make_groups();

  NamedTensors parameters_;
  std::vector<torch::Tensor> first_moments_, second_moments_;
  torch::Tensor updates_;  ///< how many were made, on the device of the first parameter
  std::vector<Group> groups_;
  double beta1_, beta2_, epsilon_, weight_decay_;
};

}  // namespace transformer::train
