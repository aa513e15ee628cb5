#include "transformer/train/epoch_steps.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <limits>

#include "transformer/base/error.h"
#include "transformer/config/validate.h"
#include "transformer/data/blocks.h"
#include "transformer/data/dataset.h"
#include "transformer/data/prepared.h"

namespace transformer::train {

data::BatchLimits limits_of(const TrainOptions& options) {
  return {.source_tokens = options.source_tokens,
          .target_tokens = options.target_tokens,
          .bucket_tokens = options.bucket_tokens.value_or(kBucketTokens),
          .micro_tokens = reckoned_micro_tokens(options),
          .sentences = options.sentences};
}

data::BatchLimits planned_limits(data::BatchLimits limits, nn::NormKind norm) {
  if (nn::statistics_of(norm) > 0) {
    limits.bucket_tokens = std::numeric_limits<std::int64_t>::max();
    limits.micro_tokens = 0;
  }
  return limits;
}

std::int64_t count_updates(const data::Dataset& data, std::int64_t block, const data::BatchLimits& limits,
                           std::int64_t seed, std::int64_t epochs, const data::EpochShares& shares) {
  std::int64_t updates = 0;
  const auto run_seed = static_cast<std::uint64_t>(seed);
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch)
    updates += data::BatchPlan(data::examples_of(data, block, run_seed, epoch)->lengths(), limits, run_seed,
                               epoch, shares)
                   .size();
  return updates;
}

config::Experiment with_steps(config::Experiment experiment) {
  auto& train = experiment.train;
  if (train.epochs == 0) return experiment;
  const data::PreparedFolder folder(experiment.data);
  const data::Dataset data(folder.paths.train());
  train.steps =
      count_updates(data, experiment.data.block, planned_limits(limits_of(train), experiment.model.norm_type),
                    experiment.seed, train.epochs, data::epoch_shares(experiment.data, folder.train_texts));
  spdlog::info("train.epochs {}: {} updates of {} {}", train.epochs, train.steps, data.size(),
               data::name_of(experiment.data.examples));
  train.epochs = 0;
  if (const auto problem = config::find_problem(experiment))
    throw InputError(fmt::format("{}: {}", problem->keys.front(), problem->message));
  return experiment;
}

}  // namespace transformer::train
