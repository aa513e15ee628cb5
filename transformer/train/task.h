// What is trained, and on what: all that the trainer, updates, evaluations, checkpoints and dry runs know of
// a model and its data. A new kind of model is a new Task; none of them changes.
//
// Elsewhere this library inherits from nn::Module alone. Here a virtual interface is right: which task it is
// shows when the program runs, the trainer is compiled once and need not know of any, and a call makes or
// computes a whole micro-batch, beside which its dispatch is nothing.
#pragma once

#include <torch/nn/module.h>

#include <any>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "transformer/data/batching.h"
#include "transformer/ops/token_loss.h"
#include "transformer/train/dev_metric.h"

namespace transformer::train {

/// A model and a data set: what an update and an evaluation work on. Examples (say sentence pairs) are known
/// by their numbers, from 0.
class Objective {
 public:
  using MicroBatch = data::BatchPlan::MicroBatch;
  using Update = data::BatchPlan::Update;

  virtual ~Objective() = default;

  /// Its parameters, which share a device, are what is trained and saved.
  virtual torch::nn::Module& module() = 0;

  virtual std::int64_t size() const = 0;            ///< examples
  virtual std::uint64_t data_checksum() const = 0;  ///< of the data set's whole content

  /// The updates of an epoch: a pure function of the data, the task's options, seed and epoch. From here on
  /// the numbers mean the examples as they are in that epoch, since a task may draw subwords or masks anew.
  virtual data::BatchPlan begin_epoch(std::uint64_t seed, std::int64_t epoch) = 0;

  /// All examples, each once, as an evaluation takes them.
  virtual std::vector<MicroBatch> in_order() const = 0;

  /// Rows, lengths and real tokens of some examples. target_tokens are those that the loss sums over. With
  /// one side alone, that is the target, and the source has length 0.
  virtual data::BatchSize size_of(const MicroBatch& examples) const = 0;

  /// Floating-point operations of the matrix products, forward and backward, for the real tokens of these.
  virtual double flops(const Update& update) const = 0;

  /// Some examples as tensors on the module's device; what they are, only the task knows.
  virtual std::any make_batch(const MicroBatch& examples) const = 0;

  /// The forward pass, in the module's mode and the surrounding runtime::Autocast's precision: whatever
  /// `loss` needs of it, at best before the logits.
  virtual torch::Tensor outputs(const std::any& batch) = 0;

  /// Sums over the batch's size_of().target_tokens tokens. `smoothed` is what gradients are of.
  virtual ops::TokenLoss loss(const torch::Tensor& outputs, const std::any& batch) = 0;
};

class Task {
 public:
  virtual ~Task() = default;

  /// One model on the data that it learns from, and on those that it is judged by.
  virtual Objective& training() = 0;
  virtual Objective& dev() = 0;

  virtual std::int64_t d_model() const = 0;       ///< for the schedule `noam` (5.3)
  virtual std::string describe_data() const = 0;  ///< for the log: "29000 training pairs"

  /// What a model directory of this task holds besides weights and configuration, say tokenizers: the names
  /// that such files may have,
  virtual std::vector<std::string> file_names() const = 0;
  /// how they are written into an existing folder,
  virtual void write_files(const std::filesystem::path& folder) const = 0;
  /// and whether a checkpoint's are this task's: throws InputError where its weights would mean other words.
  virtual void check_files(const std::filesystem::path& checkpoint) const = 0;

  /// How good the model is on the dev set apart from its loss, say BLEU; nothing where that is not measured.
  /// The module is in evaluation mode. May throw Interrupted.
  virtual std::optional<DevMetric> dev_metric() { return std::nullopt; }

  torch::nn::Module& module() { return training().module(); }
};

/// Where a module computes.
torch::Device device_of(const torch::nn::Module& module);

/// How many numbers are trained; what several parts share counts once.
std::int64_t count_parameters(const torch::nn::Module& module);

}  // namespace transformer::train
