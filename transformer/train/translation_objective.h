// Translation: a model that maps a source to a target, sentence pairs, and the loss of the one on batches of
// the other.
#pragma once

#include <memory>
#include <utility>

#include "transformer/data/batching.h"
#include "transformer/data/drawn_pairs.h"
#include "transformer/models/model.h"
#include "transformer/train/options.h"
#include "transformer/train/task.h"

namespace transformer::train {

/// A batch on the device that computes with it.
struct BatchTensors {
  models::Packed source;
  models::Packed target_input;
  /// (M), what is to be predicted at each of target_input's first M positions; what is behind them fills it
  /// up (data/filler.h).
  torch::Tensor labels;
};

/// In one copy, from pinned memory where the device is not the CPU, so that the host need not wait for it.
BatchTensors to_device(const data::Batch& batch, const torch::Device& device);

class SentencePairs : public Examples {
 public:
  /// The data set is used as long as this lives; the model says where batches go, and what they cost.
  SentencePairs(models::AnyModel model, const data::Dataset& data) : model_(std::move(model)), data_(data) {}

  data::BatchSize size_of(const MicroBatch& examples) const override;
  double flops(const Update& update) const override;
  /// A BatchTensors.
  std::any make_batch(const MicroBatch& examples) const override;

 private:
  models::AnyModel model_;
  const data::Dataset& data_;
};

/// The same in an epoch that draws their subwords.
class DrawnSentencePairs : public Examples {
 public:
  DrawnSentencePairs(models::AnyModel model, data::DrawnPairs pairs)
      : model_(std::move(model)), pairs_(std::move(pairs)) {}

  data::BatchSize size_of(const MicroBatch& examples) const override { return pairs_.size_of(examples); }
  double flops(const Update& update) const override;
  /// A BatchTensors.
  std::any make_batch(const MicroBatch& examples) const override;

 private:
  models::AnyModel model_;
  data::DrawnPairs pairs_;
};

class TranslationObjective : public Objective {
 public:
  /// The data set is used as long as this lives. Of the options, the token limits shape the batches, and
  /// label_smoothing the loss. With `dropout`, each epoch draws its subwords; evaluations do not.
  TranslationObjective(models::AnyModel model, const data::Dataset& data, const TrainOptions& options,
                       std::shared_ptr<const data::PairDropout> dropout = nullptr);

  torch::nn::Module& module() override { return *model_; }
  std::int64_t size() const override { return data_.size(); }
  std::uint64_t data_checksum() const override { return data_.checksum(); }
  void set_bucket_tokens(std::int64_t bucket_tokens) override { limits_.bucket_tokens = bucket_tokens; }
  void set_micro_tokens(std::int64_t micro_tokens) override { limits_.micro_tokens = micro_tokens; }
  std::optional<std::string> takes_whole_updates() const override;
  Epoch epoch(std::uint64_t seed, std::int64_t number) const override;
  Epoch evaluation() const override;
  const SentencePairs& pairs() const { return *pairs_; }  ///< as they are, without dropout

  /// The last states before the output projection; there are no logits. → (N, D)
  torch::Tensor outputs(const std::any& batch) override;
  ops::TokenLoss loss(const torch::Tensor& outputs, const std::any& batch) override;
  ops::TokenLoss r_drop_loss(const torch::Tensor& first, const torch::Tensor& second, const std::any& batch,
                             double alpha) override;
  void after_step(const torch::Tensor& useless) override;

 private:
  models::AnyModel model_;
  models::SequenceToSequence& mapping_;  // the same
  const data::Dataset& data_;
  std::shared_ptr<const SentencePairs> pairs_;
  data::BatchLimits limits_;
  double label_smoothing_;
  std::shared_ptr<const data::PairDropout> dropout_;
};

}  // namespace transformer::train
