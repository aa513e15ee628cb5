#include "transformer/formats/safetensors/folder_weights.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/formats/json_object.h"
#include "transformer/formats/pytorch/pytorch_checkpoint.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMap = "weight_map";

/// The file of each tensor.
std::map<std::string, std::string> read_index(const fs::path& file) {
  const JsonObject index(file);
  const auto found = index.content().find(kMap);
  if (found == index.content().end() || !found->is_object())
    index.refuse(kMap, "an object that gives the file of each tensor");
  std::map<std::string, std::string> files;
  for (const auto& [tensor, value] : found->items()) {
    const auto name = value.is_string() ? value.get<std::string>() : std::string();
    const bool known = name.ends_with(".safetensors") || name.ends_with(".bin");
    if (!known || name.find('/') != std::string::npos)
      throw InputError(
          fmt::format("{}: key '{}': expected a safetensors file beside this one for '{}', found {}",
                      file.string(), kMap, tensor, value.dump()));
    files.emplace(tensor, name);
  }
  return files;
}

std::map<std::string, torch::Tensor> load_file(const fs::path& file) {
  if (file.extension() == ".bin") {
    auto tensors = load_pytorch_checkpoint(file);
    for (const auto& [name, tensor] : tensors)
      if (tensor.is_floating_point() && !tensor.isfinite().all().item<bool>())
        throw InputError(fmt::format("{}: tensor '{}': expected finite numbers, found others", file.string(),
                                     printable(name)));
    return tensors;
  }
  std::map<std::string, torch::Tensor> tensors;
  for (auto& [name, tensor] : checkpoints::load_weights(file)) tensors.emplace(name, tensor);
  return tensors;
}

}  // namespace

fs::path folder_weights_file(const fs::path& folder) {
  constexpr std::array kNames{"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                              "pytorch_model.bin.index.json"};
  for (const auto* name : kNames)
    if (exists(folder / name)) return folder / name;
  return folder / kNames.front();
}

std::map<std::string, torch::Tensor> load_folder_weights(const fs::path& folder) {
  const auto file = folder_weights_file(folder);
  if (file.extension() != ".json") return load_file(file);
  const auto files = read_index(file);
  std::set<std::string> names;
  for (const auto& [tensor, name] : files) names.insert(name);
  std::map<std::string, torch::Tensor> all;
  for (const auto& name : names) {
    for (auto& [tensor, value] : load_file(folder / name)) {
      const auto place = files.find(tensor);
      if (place == files.end() || place->second != name)
        throw InputError(fmt::format("{}: holds '{}', which {} does not say of it", (folder / name).string(),
                                     tensor, file.filename().string()));
      all.emplace(tensor, value);
    }
  }
  for (const auto& [tensor, name] : files)
    if (!all.contains(tensor))
      throw InputError(fmt::format("{}: '{}' is missing, which {} says is there", (folder / name).string(),
                                   tensor, file.filename().string()));
  return all;
}

}  // namespace transformer::formats
