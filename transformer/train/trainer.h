// Section 5: training.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "transformer/config/experiment.h"
#include "transformer/data/prepared.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/store/run_directory.h"

namespace transformer::train {

struct TrainerSettings {
  std::filesystem::path run;
  bool resume = false;
  bool quiet = false;
  torch::Device device = torch::kCPU;
  torch::ScalarType precision = torch::kFloat;
  /// BLEU of the dev set's translations by the given model, in evaluation mode. Needed where bleu_every > 0.
  std::function<double(models::EncoderDecoder&)> dev_bleu = {};
  /// Set from a signal handler: the running update is finished, saved, and the training stops.
  const std::atomic<bool>* interrupted = nullptr;
};

enum class TrainOutcome { finished, interrupted };

/// Trains `experiment` on a prepared data set in a run directory, which is created. Without `resume` the
/// directory must not hold a training yet; with it, training goes on from the newest whole checkpoint, or
/// starts where there is none. Throws InputError for what a person has to mend.
TrainOutcome train(const config::Experiment& experiment, const TrainerSettings& settings);

}  // namespace transformer::train
