// Tensors in files of the safetensors format, which Python reads with one call:
// safetensors.torch.load_file("model.safetensors").
#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace transformer::checkpoints {

/// Writes tensors of any device and layout, durably and all at once (see AtomicFile). Equal tensors, in any
/// order, give equal bytes: they are laid out as the format's reference implementation does, by dtype and
/// then by name. dtypes: F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL. Throws RunError when the file cannot be
/// written, std::invalid_argument for another dtype, an undefined tensor, or a name that is used twice.
void save_safetensors(const std::filesystem::path& path,
                      const std::vector<std::pair<std::string, torch::Tensor>>& tensors,
                      const std::map<std::string, std::string>& metadata = {});

/// Reads all tensors to the CPU; `metadata`, where given, receives the header's "__metadata__". The file is
/// not trusted: everything is checked against the file's real size before memory is taken. Throws InputError
/// naming the file when it is missing, cut short or malformed.
std::map<std::string, torch::Tensor> load_safetensors(const std::filesystem::path& path,
                                                      std::map<std::string, std::string>* metadata = nullptr);

/// The same of a model's weights. Throws InputError also for the first tensor that holds a NaN, an infinity,
/// or a number beyond the range of fp32.
std::map<std::string, torch::Tensor> load_weights(const std::filesystem::path& path);

}  // namespace transformer::checkpoints
