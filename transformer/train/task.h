// A model and its data as the trainer, updates, evaluations, checkpoints and dry runs know them. A new kind
// of model is a new Task; the trainer stays as it is.
//
// Most of this library inherits only from nn::Module. Here a virtual interface fits. The task is chosen at
// run time. The trainer is compiled once and need not know any task. A call makes or computes a whole
// micro-batch, so the cost of its dispatch is negligible.
#pragma once

#include <torch/nn/module.h>

#include <any>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transformer/data/batching.h"
#include "transformer/ops/token_loss.h"
#include "transformer/train/dev_metric.h"
#include "transformer/train/options.h"
#include "transformer/train/sample.h"

namespace transformer::train {

/// Examples that a model learns from or is judged by, such as sentence pairs, numbered from 0. They never
/// change, and no call depends on an earlier one. So any thread may ask for any batch at any time, and so may
/// any process that makes the same examples.
class Examples {
 public:
  using MicroBatch = data::BatchPlan::MicroBatch;
  using Update = data::BatchPlan::Update;

  virtual ~Examples() = default;

  /// Rows, lengths and real tokens of some examples. target_tokens are those that the loss sums over. With
  /// one side alone, that is the target, and the source has length 0.
  virtual data::BatchSize size_of(const MicroBatch& examples) const = 0;

  /// Floating-point operations of the matrix products, forward and backward, for the real tokens of these.
  virtual double flops(const Update& update) const = 0;

  /// Some examples as tensors on the module's device; what they are, only the task knows.
  virtual std::any make_batch(const MicroBatch& examples) const = 0;
};

/// Examples as they are in one epoch, and the updates that they make.
struct Epoch {
  data::BatchPlan plan;
  std::shared_ptr<const Examples> examples;
};

/// A model and a data set: what an update and an evaluation work on.
class Objective {
 public:
  virtual ~Objective() = default;

  /// Its parameters, which share a device, are what is trained and saved.
  virtual torch::nn::Module& module() = 0;

  virtual std::int64_t size() const = 0;            ///< examples
  virtual std::uint64_t data_checksum() const = 0;  ///< of the data set's whole content

  /// Says so, as "model.norm_type batch", where what an update computes is no sum over its examples: then all
  /// of them must pass in one micro-batch, of one process.
  virtual std::optional<std::string> takes_whole_updates() const { return std::nullopt; }

  /// train.bucket_tokens of later epochs (data::BatchLimits).
  virtual void set_bucket_tokens(std::int64_t bucket_tokens) = 0;

  /// How many tokens of the longer side, padding included, a micro-batch of later epochs and evaluations may
  /// have (train.micro_tokens), where a single example does not have more. Training that takes whole updates
  /// does not divide them all the same.
  virtual void set_micro_tokens(std::int64_t micro_tokens) = 0;

  /// An epoch of training: a pure function of the data, the task's options and limits, seed and epoch. A task
  /// may draw subwords or masks again for each epoch, and so other lengths. Within an epoch the examples stay
  /// as they are. The trainer asks for an epoch on another thread, while it trains on the one before.
  virtual Epoch epoch(std::uint64_t seed, std::int64_t number) const = 0;

  /// All examples, each once and as they are, the way an evaluation takes them.
  virtual Epoch evaluation() const = 0;

  /// The forward pass, in the module's mode and the surrounding runtime::PrecisionScope's precision: whatever
  /// `loss` needs of it, at best before the logits. The batch is of this objective's examples.
  virtual torch::Tensor outputs(const std::any& batch) = 0;

  /// How often each batch passes in training, each time under other dropout masks: more than once where a
  /// loss compares what the passes give (train.r_drop).
  virtual std::int64_t passes() const { return 1; }

  /// Sums over the target_tokens of the batch's size_of. `smoothed` is what gradients are of. outputs: of
  /// each pass; of an evaluation's only one.
  virtual ops::TokenLoss loss(const std::vector<torch::Tensor>& outputs, const std::any& batch) = 0;

  /// Numbers that decide which operations, of what sizes, a forward pass in training and its loss ask of a
  /// device, unless ops::LongestLength::reads() grows meanwhile. Empty: they depend on more, such as numbers
  /// that the host reads back.
  virtual std::vector<std::int64_t> shape_of(const std::any& /*batch*/) const { return {}; }

  /// Writes the numbers of one batch into the memory of another one, whose shape_of is the same.
  virtual void refill(const std::any& /*batch*/, const std::any& /*from*/) const {}

  /// After an optimiser's step, for what a module keeps besides learned weights. useless: () on the device, 1
  /// where the step was not made; then nothing may change.
  virtual void after_step(const torch::Tensor& /*useless*/) {}
};

class Task {
 public:
  virtual ~Task() = default;

  /// One model on the data that it learns from, and on those that it is judged by.
  virtual Objective& training() = 0;
  virtual Objective& dev() = 0;

  virtual std::int64_t d_model() const = 0;       ///< for the schedule `noam` (5.3)
  virtual std::string describe_data() const = 0;  ///< for the log: "29000 training pairs"

  /// Names of a model directory's files besides weights and configuration, such as tokenizers.
  virtual std::vector<std::string> file_names() const = 0;
  /// Writes these files into an existing folder. It may be called during training, on another thread.
  virtual void write_files(const std::filesystem::path& folder) const = 0;
  /// Throws InputError if a checkpoint's files are not this task's, so that its weights would mean other
  /// words.
  virtual void check_files(const std::filesystem::path& checkpoint) const = 0;

  /// Facts that must agree among several processes that train this task together, besides configuration and
  /// data: names and values, such as checksums of the tokenizers.
  virtual std::vector<std::pair<std::string, std::string>> traits() const { return {}; }

  /// Copies what fits of another model's weights into this one, as train.from has it; `reported`: and says so
  /// in the log. → what identifies those weights, such as their checksum. Throws InputError where nothing
  /// fits, and by a task that cannot do it.
  virtual std::string begin_from(const std::filesystem::path& model, NewPieces new_pieces, bool reported);

  /// The model's score on the dev set by train.metric, such as BLEU; nothing if it is not measured. The
  /// module is in evaluation mode. May throw Interrupted.
  virtual std::optional<DevMetric> dev_metric() { return std::nullopt; }

  /// A few examples of the dev set, always the same ones, with the model's current outputs, to be read by a
  /// person. The module is in evaluation mode. With several processes, only rank 0 calls this. May throw
  /// Interrupted.
  virtual std::vector<Sample> samples() { return {}; }

  torch::nn::Module& module() { return training().module(); }
};

/// Where a module computes.
torch::Device device_of(const torch::nn::Module& module);

/// How many numbers are trained; what several parts share counts once.
std::int64_t count_parameters(const torch::nn::Module& module);

}  // namespace transformer::train
