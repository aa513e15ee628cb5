// Translation as a task: a model that learns from a prepared data set of sentence pairs.
#pragma once

#include <functional>

#include "transformer/checkpoints/tokenizers.h"
#include "transformer/config/experiment.h"
#include "transformer/data/prepared.h"
#include "transformer/train/translation_objective.h"

namespace transformer::train {

/// Throws InputError, naming `file`, when a sentence is longer than the model's learned positions reach.
void check_lengths(const data::Dataset& data, const models::ModelOptions& model,
                   const std::filesystem::path& file);

/// Throws InputError, naming `file`, when a side has no token: a loss on it says nothing.
void check_text(const data::Dataset& data, const std::filesystem::path& file);

/// A new model on a device. Its weights depend on the seed alone, not on the device. Throws InputError when
/// the machine's memory cannot hold its training.
models::AnyModel make_model(const config::Experiment& experiment, const models::VocabularySizes& sizes,
                            const torch::Device& device);

/// Throws InputError when the tokenizers are others than those that a checkpoint holds: their ids would mean
/// other words.
void check_tokenizers(const std::filesystem::path& checkpoint, const checkpoints::Tokenizers& tokenizers);

class TranslationTask : public Task {
 public:
  /// A metric of the dev set's translations by the given model, in evaluation mode. May throw Interrupted.
  using Measure = std::function<DevMetric(const models::AnyModel&)>;

  /// Sentences of the dev set with their translations by the given model, in evaluation mode. May throw
  /// Interrupted.
  using Show = std::function<std::vector<Sample>(const models::AnyModel&)>;

  /// Opens the experiment's data and makes its model. Without `measure` there is no dev metric, without
  /// `show` there are no samples. Throws InputError for data that are missing, damaged or no good, and as
  /// make_model does.
  TranslationTask(const config::Experiment& experiment, const torch::Device& device, Measure measure = {},
                  Show show = {});

  TranslationTask(const TranslationTask&) = delete;
  TranslationTask& operator=(const TranslationTask&) = delete;

  Objective& training() override { return training_; }
  Objective& dev() override { return dev_; }
  std::int64_t d_model() const override { return model_->options().d_model; }
  std::string describe_data() const override;
  std::vector<std::string> file_names() const override;
  void write_files(const std::filesystem::path& folder) const override;
  void check_files(const std::filesystem::path& checkpoint) const override;
  std::vector<std::pair<std::string, std::string>> traits() const override;
  std::optional<DevMetric> dev_metric() override;
  std::vector<Sample> samples() override;

  models::AnyModel model() const { return model_; }

 private:
  data::Prepared data_;
  checkpoints::Tokenizers tokenizers_;
  models::AnyModel model_;
  TranslationObjective training_, dev_;
  Measure measure_;
  Show show_;
};

}  // namespace transformer::train
