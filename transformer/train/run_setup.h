// How a run begins, or goes on.
#pragma once

#include "transformer/train/checkpoint.h"

namespace transformer::train {

/// A new model on a device. Its weights depend on the seed alone, not on the device.
models::EncoderDecoder make_model(const config::Experiment& experiment, const models::VocabularySizes& sizes,
                                  const torch::Device& device);

/// Creates the run directory with its configuration, tokenizers and log file, or, with `resume`, opens it and
/// loads the newest whole checkpoint; true when there was one. Throws InputError when a directory holds a
/// training that is not to be resumed, or was made with another configuration.
bool open_run(const store::RunDirectory& run, bool resume, const TrainingParts& parts);

}  // namespace transformer::train
