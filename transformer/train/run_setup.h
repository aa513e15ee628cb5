// How a run begins, or goes on.
#pragma once

#include "transformer/data/dataset.h"
#include "transformer/store/run_lock.h"
#include "transformer/train/checkpoint.h"

namespace transformer::train {

/// Throws InputError, naming `file`, when a sentence is longer than the model's learned positions reach.
void check_lengths(const data::Dataset& data, const models::ModelOptions& model,
                   const std::filesystem::path& file);

/// Throws InputError, naming `file`, when a side has no token: a loss on it says nothing.
void check_text(const data::Dataset& data, const std::filesystem::path& file);

/// A new model on a device. Its weights depend on the seed alone, not on the device. Throws InputError when
/// the machine's memory cannot hold its training.
models::EncoderDecoder make_model(const config::Experiment& experiment, const models::VocabularySizes& sizes,
                                  const torch::Device& device);

struct OpenedRun {
  store::RunLock lock;  ///< to be kept as long as the run is written to
  bool resumed;         ///< a checkpoint was loaded
};

/// Creates the run directory with its configuration, tokenizers and log file, or, with `resume`, opens it and
/// loads the newest whole checkpoint, if there is one. Throws InputError when a directory holds a training
/// that is not to be resumed, was made with another configuration or under other conditions, or runs now.
OpenedRun open_run(const store::RunDirectory& run, bool resume, const TrainingParts& parts);

}  // namespace transformer::train
