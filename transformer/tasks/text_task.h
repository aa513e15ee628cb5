// A model that learns from a prepared data set to predict tokens: translation, and language models.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transformer/checkpoints/tokenizers.h"
#include "transformer/config/experiment.h"
#include "transformer/data/prepared.h"
#include "transformer/models/model.h"
#include "transformer/tasks/next_tokens.h"
#include "transformer/train/task.h"

namespace transformer::tasks {

/// Throws InputError, naming `file`, when an example is longer than the model's learned positions reach.
void check_lengths(const data::Dataset& data, std::int64_t block, const models::ModelOptions& model,
                   const std::filesystem::path& file);

/// Throws InputError, naming `file`, when a side has no token: a loss on it says nothing. So it does where
/// there is less text than a block.
void check_text(const data::Dataset& data, std::int64_t block, const std::filesystem::path& file);

/// A new model on a device. Its weights depend on the seed alone, not on the device. Throws InputError when
/// the machine's memory cannot hold its training.
models::AnyModel make_model(const config::Experiment& experiment, const models::VocabularySizes& sizes,
                            const torch::Device& device);

/// Throws InputError when the tokenizers are others than those that a checkpoint holds: their ids would mean
/// other words.
void check_tokenizers(const std::filesystem::path& checkpoint, const checkpoints::Tokenizers& tokenizers);

class TextTask : public train::Task {
 public:
  /// A metric of the dev set by the given model, in evaluation mode. May throw Interrupted.
  using Measure = std::function<train::DevMetric(const models::AnyModel&)>;

  /// Examples of the dev set with what the given model, in evaluation mode, makes of them. May throw
  /// Interrupted.
  using Show = std::function<std::vector<train::Sample>(const models::AnyModel&)>;

  /// Without `measure` there is no dev metric, without `show` there are no samples. Opens the experiment's
  /// data and makes its model. Throws InputError for data that are missing, damaged or no good, for a model
  /// that cannot learn from them, and as make_model does.
  TextTask(const config::Experiment& experiment, const torch::Device& device, Measure measure = {},
           Show show = {});

  TextTask(const TextTask&) = delete;
  TextTask& operator=(const TextTask&) = delete;

  train::Objective& training() override { return training_; }
  train::Objective& dev() override { return dev_; }
  std::int64_t d_model() const override { return model_->options().d_model; }
  std::string describe_data() const override;
  std::vector<std::string> file_names() const override;
  void write_files(const std::filesystem::path& folder) const override;
  void check_files(const std::filesystem::path& checkpoint) const override;
  std::vector<std::pair<std::string, std::string>> traits() const override;
  std::string begin_from(const std::filesystem::path& model, train::NewPieces new_pieces,
                         bool reported) override;

  std::optional<train::DevMetric> dev_metric() override;
  std::vector<train::Sample> samples() override;

  models::AnyModel model() const { return model_; }

 private:
  data::Prepared data_;
  checkpoints::Tokenizers tokenizers_;
  models::AnyModel model_;
  NextTokens training_, dev_;
  std::string examples_name_;
  Measure measure_;
  Show show_;
};

}  // namespace transformer::tasks
