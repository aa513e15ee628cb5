// A prepared data set that a model is judged by.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/config/experiment.h"
#include "transformer/data/dataset.h"

namespace transformer::apps {

struct DataFile {
  data::Dataset data;
  std::int64_t block = 0;  ///< tokens of the blocks that its documents make; 0: none
};

/// name: train, dev or test of the prepared data that `experiment` names, or a data set's file. Throws
/// InputError for data of other vocabularies, languages or lengths than the model takes. model_name: what the
/// model is called in messages.
DataFile open_data(const std::string& name, const config::Experiment& experiment,
                   const checkpoints::LoadedModel& model, const std::string& model_name);

}  // namespace transformer::apps
