#include "transformer/formats/safetensors/sharded_safetensors.h"

#include <fmt/format.h>

#include <set>

#include "transformer/base/error.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/formats/json_object.h"

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
    if (!name.ends_with(".safetensors") || name.find('/') != std::string::npos)
      throw InputError(
          fmt::format("{}: key '{}': expected a safetensors file beside this one for '{}', found {}",
                      file.string(), kMap, tensor, value.dump()));
    files.emplace(tensor, name);
  }
  return files;
}

}  // namespace

fs::path sharded_safetensors_file(const fs::path& folder) {
  const auto whole = folder / "model.safetensors", index = folder / "model.safetensors.index.json";
  return !exists(whole) && exists(index) ? index : whole;
}

std::map<std::string, torch::Tensor> load_sharded_safetensors(const fs::path& folder) {
  const auto file = sharded_safetensors_file(folder);
  if (file.extension() != ".json") return checkpoints::load_weights(file);
  const auto files = read_index(file);
  std::set<std::string> names;
  for (const auto& [tensor, name] : files) names.insert(name);
  std::map<std::string, torch::Tensor> all;
  for (const auto& name : names) {
    for (auto& [tensor, value] : checkpoints::load_weights(folder / name)) {
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
