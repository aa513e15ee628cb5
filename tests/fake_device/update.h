// An update of training on the fake device, of a model with base's depth and small sizes.
#pragma once

#include <memory>

#include "tests/catch.h"
#include "tests/data/write_dataset.h"
#include "tests/fake_device/fake_device.h"
#include "tests/temporary_folder.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/runtime/device.h"
#include "transformer/tasks/next_tokens.h"
#include "transformer/train/optimizers/adam.h"
#include "transformer/train/update.h"

namespace transformer::test {

inline constexpr models::VocabularySizes kFewWords{64, 64};

/// Of up to five tokens more than `least`, on both sides.
inline data::Dataset few_sentences(const TemporaryFolder& folder, int least = 2) {
  data::Sentences source, target;
  for (int i = 0; i < 12; ++i) {
    source.add(std::vector<std::int32_t>(static_cast<std::size_t>(least + 1 + i % 4), 5 + i));
    target.add(std::vector<std::int32_t>(static_cast<std::size_t>(least + i % 5), 7 + i));
  }
  const auto file = folder.path() / "data.bin";
  write_dataset(file, source, target, kFewWords.source, kFewWords.target);
  return data::Dataset(file);
}

inline models::ModelOptions base_depth() {
  models::ModelOptions options;
  options.d_model = 32;
  options.d_ff = 64;
  options.heads = 2;
  options.d_k = options.d_v = 16;
  return options;
}

class UpdateOnDevice {
 public:
  UpdateOnDevice(const models::ModelOptions& options, const data::Dataset& data, torch::ScalarType precision)
      : model_(options, kFewWords), objective_((prepare(), model_), data, {.label_smoothing = 0.1}) {
    adam_ = std::make_unique<train::Adam>(checkpoints::named_parameters(*model_), train::TrainOptions{});
    updater_ = std::make_unique<train::Updater>(objective_, *adam_,
                                                train::UpdateSettings{.precision = precision, .clip = 1.0});
  }

  /// The cost of an update of this many micro-batches of four sentences, after a first update as warm-up.
  fake_device::Counts counts(std::int64_t micro_batches) const {
    train::Examples::Update update;
    for (std::int64_t i = 0; i < micro_batches; ++i)
      update.push_back({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
    updater_->run(objective_.examples(), update, 1e-3, 1);
    fake_device::reset();
    const auto result = updater_->run(objective_.examples(), update, 1e-3, 2);
    CHECK_FALSE(result.skipped());
    return fake_device::counts();
  }

 private:
  void prepare() {
    runtime::move_to(*model_, fake_device::device());
    model_->train();
  }

  models::EncoderDecoder model_;
  tasks::NextTokens objective_;
  std::unique_ptr<train::Adam> adam_;
  std::unique_ptr<train::Updater> updater_;
};

}  // namespace transformer::test
