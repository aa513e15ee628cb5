#include "transformer/formats/huggingface/encoder_pooling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/formats/json_file.h"
#include "transformer/formats/json_object.h"

namespace transformer::formats::encoders {

namespace fs = std::filesystem;

std::optional<models::Pooling> read_pooling(const fs::path& folder) {
  if (!exists(folder / "modules.json")) return std::nullopt;
  const auto file = folder / "modules.json";
  const auto content = read_json(file);
  const auto refuse = [&](const std::string& found) {
    throw InputError(
        fmt::format("{}: expected the modules Transformer, Pooling and at most Normalize, found {}",
                    file.string(), found));
  };
  if (!content.is_array()) refuse("other or damaged content");
  std::vector<std::string> names, paths;
  for (const auto& module : content) {
    const auto text = [&](const char* key) {
      const auto found = module.is_object() ? module.find(key) : module.end();
      if (!module.is_object() || found == module.end() || !found->is_string())
        refuse(fmt::format("a module without '{}'", key));
      return found->get<std::string>();
    };
    const auto type = text("type");
    names.push_back(type.substr(type.rfind('.') + 1));
    paths.push_back(text("path"));
  }
  const std::vector<std::string> plain{"Transformer", "Pooling"};
  auto normal = plain;
  normal.emplace_back("Normalize");
  if (names != plain && names != normal) refuse(printable(fmt::format("{}", fmt::join(names, ", "))));
  if (!paths[0].empty()) refuse(fmt::format("the Transformer in '{}'", printable(paths[0])));
  if (paths[1].find("..") != std::string::npos || fs::path(paths[1]).is_absolute())
    refuse(fmt::format("the Pooling in '{}'", printable(paths[1])));
  const JsonObject pooling(folder / paths[1] / "config.json");
  std::vector<std::string> modes;
  for (const auto& [key, value] : pooling.content().items())
    if (key.starts_with("pooling_mode_") && pooling.boolean(key).value_or(false))
      modes.push_back(key.substr(std::string_view("pooling_mode_").size()));
  if (const auto mode = pooling.text("pooling_mode")) modes = {*mode};
  if (modes == std::vector<std::string>{"mean_tokens"} || modes == std::vector<std::string>{"mean"})
    return models::Pooling::mean;
  if (modes == std::vector<std::string>{"cls_token"} || modes == std::vector<std::string>{"cls"})
    return models::Pooling::cls;
  throw InputError(
      fmt::format("{}: expected one pooling, mean or cls, found {}", pooling.file().string(),
                  modes.empty() ? "none" : printable(fmt::format("{}", fmt::join(modes, ", ")))));
}

}  // namespace transformer::formats::encoders
