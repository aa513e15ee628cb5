// Section 5.3: what steps are made with. Adam is one of them (optimizers/).
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "transformer/train/options.h"
#include "transformer/train/parameter_rules.h"

namespace transformer::train {

/// What a step does with the gradients. The numbers are on the parameters' device, () in fp32, so that the
/// host need not wait for them. Undefined: nothing.
struct GradientUse {
  torch::Tensor divisor = {};  ///< the gradients are divided by it
  torch::Tensor useless = {};  ///< 1: nothing changes; 0: the gradients are usable
  /// The learning rate once more. A step that reads it instead of the host's number can be a part of a graph
  /// (reads_rate_on_device()).
  torch::Tensor rate = {};
};

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// What every optimiser is made of.
struct OptimizerParts {
  /// Leaves that share a device. Those that take no gradients are left as they are.
  NamedTensors parameters;
  /// Names of what is kept for a parameter: tensors of its shape and type, which begin with zeros. Adam keeps
  /// m and v.
  std::vector<std::string> kept;
  double weight_decay = 0.0;                ///< as rules_of has it (parameter_rules.h)
  std::vector<ParameterGroup> groups = {};  ///< of parameters with a rate or a decay of their own
};

/// Throws InputError for a pattern of train.groups that fits nothing, as the constructor does.
void check_groups(const NamedTensors& parameters, const TrainOptions& options);

/// Those of an optimiser of this project, as the options have it.
OptimizerParts parts_of(NamedTensors parameters, const TrainOptions& options);

/// Changes parameters by their gradients. Here is what all optimisers have in common: groups, the norm of the
/// gradients, and what is kept, for checkpoints and for several processes. One of them says what it keeps and
/// how a group of parameters makes its step.
class Optimizer {
 public:
  /// Throws InputError for a pattern of a group that fits nothing.
  explicit Optimizer(OptimizerParts parts);
  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One update with the parameters' gradients, which must all be there.
  void step(double learning_rate, const GradientUse& use = {});

  /// Whether steps take the rate from GradientUse, and ask the same of a device each time.
  virtual bool reads_rate_on_device() const { return false; }

  /// All that a step changes.
  std::vector<torch::Tensor> changing() const;

  void clear_gradients();

  /// The norm over all gradients, (), fp64, on their device.
  torch::Tensor gradient_norm() const;

  /// The divisor that limits the norm of gradients to `limit`; a limit of 0 means none. `norm` is that of
  /// gradients which are `scale` times too large. () in fp32; undefined if nothing needs to be divided.
  static torch::Tensor divisor(const torch::Tensor& norm, double limit, double scale = 1.0);

  std::vector<torch::Tensor> parameters() const;

  /// How many numbers are kept for each number of a parameter.
  std::size_t kept_numbers() const { return kept_names_.size(); }

  /// From now on, the optimiser keeps numbers for these parameters only (one entry for each), and steps
  /// change no others.
  void keep_share(const std::vector<bool>& own);

  /// All that is kept, for a checkpoint, parameter by parameter: of Adam "m.NAME" and "v.NAME". Undefined
  /// where it is not this process that keeps it.
  NamedTensors state() const;

  /// What is kept is that after so many updates.
  void set_updates(std::int64_t updates);

  /// Restores `state` after `updates` updates. Throws InputError naming `source` when it does not fit:
  /// another optimiser keeps something else, another model has other shapes.
  void restore(const std::map<std::string, torch::Tensor>& state, std::int64_t updates,
               const std::string& source);

 protected:
  /// Parameters that are treated alike, with what belongs to them, in the same order.
  struct Group {
    double rate = 1.0;  ///< times the learning rate
    double weight_decay = 0.0;
    std::vector<torch::Tensor> values = {};
    std::vector<std::vector<torch::Tensor>> kept = {};  ///< by name, in the order of OptimizerParts::kept
    /// For each parameter how many updates were made with this one, (), fp32: one tensor for all.
    std::vector<torch::Tensor> updates = {};
  };

  /// The step of a group; gradients: of its values, in their order. The rate is the group's. No gradients are
  /// recorded here. use.divisor and use.useless are to be heeded without waiting for their numbers. A
  /// training calls it in a runtime::PrecisionScope of its precision.
  virtual void step_group(const Group& group, const std::vector<torch::Tensor>& gradients,
                          double learning_rate, const GradientUse& use) = 0;

 private:
  void make_groups();

  NamedTensors parameters_;
  std::vector<std::string> kept_names_;
  std::vector<std::vector<torch::Tensor>> kept_;  ///< by name, then by parameter
  std::vector<bool> own_ = {};                    ///< by parameter; empty: all
  torch::Tensor updates_;                         ///< on the device of the first parameter
  std::vector<ParameterRule> rules_;              ///< by parameter
  std::vector<Group> groups_;
};

}  // namespace transformer::train
