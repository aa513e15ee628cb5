// The objective of translation and of language models: to predict each token of a text from those before it,
// and from its source where it has one. And that of encoders: to predict masked tokens from all others, or
// labels.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "transformer/data/blocks.h"
#include "transformer/data/drawn_pairs.h"
#include "transformer/data/masked_texts.h"
#include "transformer/models/model.h"
#include "transformer/tasks/batch_tensors.h"
#include "transformer/tasks/guided_attention.h"
#include "transformer/tasks/text_examples.h"
#include "transformer/train/options.h"
#include "transformer/train/task.h"
#include "transformer/train/variants.h"

namespace transformer::tasks {

/// Of a data set whose targets are labels (data/labelled_texts.h).
struct LabelDrawing {
  std::vector<bool> begins = {};  ///< by id of the source: whether it begins a word, where words have labels
  std::vector<double> weights = {};  ///< by label: how much it counts; empty: 1
  std::vector<double> values = {};   ///< by label: its number, where these are learnt
  bool answers = false;              ///< values are the words where answers begin and end
};

/// How a data set becomes the examples of an epoch.
struct Drawing {
  /// Each epoch draws the subwords of its pairs (data.bpe_dropout); evaluations do not.
  std::shared_ptr<const data::PairDropout> dropout = nullptr;
  /// The documents of a data set of one text lie in blocks of so many tokens (data/blocks.h), which begin
  /// elsewhere in each epoch. 0: each document is an example.
  std::int64_t block = 0;
  /// Of the tokens of a data set of one text some are masked and predicted, others in each epoch. Evaluations
  /// all mask the same.
  std::shared_ptr<const data::Masking> masking = nullptr;
  std::shared_ptr<const LabelDrawing> labels = nullptr;
  /// Links of words that a head of attention learns in training (guided_attention.h); null: none.
  std::shared_ptr<const data::PieceLinker> linker = nullptr;
  data::EpochShares shares = {};  ///< of several training texts; evaluations have each example once
};

class NextTokens : public train::Objective {
 public:
  /// The data set is used as long as this lives. One of two texts needs a model that maps a source to a
  /// target, one of one text needs a language model, or with masks an encoder without a head, and with labels
  /// one with a head; other models
  /// throw InputError. The options' token limits shape the batches; those of targets count predicted tokens.
  /// Their label_smoothing, r_drop and term from outside (variants.loss) shape the loss.
  NextTokens(models::AnyModel model, const data::Dataset& data, const train::TrainOptions& options,
             Drawing drawing = {});

  torch::nn::Module& module() override { return *model_; }
  std::int64_t size() const override { return data_.size(); }
  std::uint64_t data_checksum() const override { return data_.checksum(); }
  void set_bucket_tokens(std::int64_t bucket_tokens) override { limits_.bucket_tokens = bucket_tokens; }
  void set_micro_tokens(std::int64_t micro_tokens) override { limits_.micro_tokens = micro_tokens; }
  std::optional<std::string> takes_whole_updates() const override;
  train::Epoch epoch(std::uint64_t seed, std::int64_t number) const override;
  train::Epoch evaluation() const override;
  const TextExamples& examples() const { return *whole_; }  ///< of evaluations

  std::int64_t passes() const override { return r_drop_ > 0 ? 2 : 1; }
  /// What the output projection multiplies, of all tokens or of the masked ones; there are no logits. → (N,
  /// D)
  torch::Tensor outputs(const std::any& batch) override;
  /// Numbers have the squared error in the place of both losses.
  ops::TokenLoss loss(const std::vector<torch::Tensor>& outputs, const std::any& batch) override;
  void after_step(const torch::Tensor& useless) override;
  std::vector<std::int64_t> shape_of(const std::any& batch) const override;
  void refill(const std::any& batch, const std::any& from) const override;

 private:
  /// Not some of them, or labels.
  bool predicts_each_token() const { return !drawing_.labels && !drawing_.masking; }
  ops::TokenLoss label_loss(const torch::Tensor& outputs, const BatchTensors& batch) const;
  ops::TokenLoss answer_loss(const torch::Tensor& logits, const BatchTensors& batch) const;

  models::AnyModel model_;
  std::function<torch::Tensor(const BatchTensors& batch)> states_;  // by the model
  std::function<models::OutputProjection()> projection_;
  const data::Dataset& data_;
  Drawing drawing_;
  std::shared_ptr<const TextExamples> whole_;  // of evaluations
  data::BatchLimits limits_;
  double label_smoothing_, r_drop_;
  std::unique_ptr<train::LossTerm> term_;  // null: none
  std::optional<GuidedAttention> guided_;
};

}  // namespace transformer::tasks
