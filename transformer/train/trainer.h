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
  /// May throw Interrupted.
  std::function<double(models::EncoderDecoder&)> dev_bleu = {};
  /// Once set, the training stops after the running micro-batch, and saves: an update or evaluation that was
  /// not over by then is made again, as a whole, when the run goes on.
  const std::atomic<bool>* interrupted = nullptr;
};

enum class TrainOutcome { finished, interrupted };

/// Trains `experiment` on a prepared data set in a run directory, which is created. Without `resume` the
/// directory must not hold a training yet; with it, training goes on from the newest whole checkpoint, or
/// starts where there is none, and computes what it would have computed without the stop. Throws InputError
/// for what a person has to mend, and RunError, all being saved, after max_skipped updates in a row with a
/// NaN or infinite loss or gradient.
TrainOutcome train(const config::Experiment& experiment, const TrainerSettings& settings);

}  // namespace transformer::train
