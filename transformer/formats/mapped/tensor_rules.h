// From the tensors of a state_dict to our parameters, by the rules of a mapping.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "transformer/formats/mapped/mapping_file.h"

namespace transformer::formats {

/// A parameter of ours before its shape is checked.
struct MappedTensor {
  torch::Tensor numbers;  ///< fp32, a copy
  std::string theirs;     ///< its name there
  std::string place;      ///< of the rule that gives it
};

/// By our names. file: that of the tensors, for messages. Throws InputError for a tensor that is neither used
/// nor ignored, for two that give one parameter, for a rule that matches none, and for numbers that are not
/// finite.
std::map<std::string, MappedTensor> apply_rules(const MappingFile& mapping,
                                                const std::map<std::string, torch::Tensor>& tensors,
                                                const std::filesystem::path& file);

}  // namespace transformer::formats
