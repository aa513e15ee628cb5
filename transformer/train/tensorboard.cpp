#include "transformer/train/tensorboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "transformer/base/error.h"

namespace transformer::train {
namespace fs = std::filesystem;
namespace {

/// Keys that are not measurements: the step, and times, which TensorBoard records itself.
constexpr std::array<std::string_view, 3> kPlace = {"step", "seconds", "time"};

/// What a line of the dev set repeats of the training.
constexpr std::array<std::string_view, 7> kOfTraining = {
    "learning_rate", "flops", "epoch", "target_tokens", "skipped", "loss_scale", "overflows"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Makes the folder, and empties what event files of ours are in it. They go the next time: a TensorBoard
/// that reads one when it goes away would not look for the next.
void clear(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_file_error(folder, "creating", error.value());
  std::vector<fs::path> ours;
  for (const auto& entry : fs::directory_iterator(folder))
    if (EventFile::is_ours(entry.path())) ours.push_back(entry.path());
  for (const auto& file : ours) {
    if (fs::file_size(file, error) == 0)
      fs::remove(file, error);
    else
      fs::resize_file(file, 0, error);
    if (error) throw_file_error(file, "emptying", error.value());
  }
}

std::string text_of(const nlohmann::ordered_json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<Scalar> scalars_of(const nlohmann::ordered_json& line, bool dev) {
  std::vector<Scalar> scalars;
  for (const auto& [key, value] : line.items())
    if (value.is_number() && !contains(kPlace, key) && !(dev && contains(kOfTraining, key)))
      scalars.push_back({key, value.get<double>()});
  return scalars;
}

/// As a block of code, in which Markdown has no signs.
std::string markdown_of(const nlohmann::ordered_json& sample) {
  return fmt::format("    source       {}\n    reference    {}\n    translation  {}\n",
                     text_of(sample, "source"), text_of(sample, "reference"), text_of(sample, "translation"));
}

}  // namespace

TensorBoard::TensorBoard(const fs::path& folder, const std::vector<fs::path>& lines, double now) : now_(now) {
  for (const auto* split : {"train", "dev"}) {
    clear(folder / split);
    (split == std::string_view("dev") ? dev_ : train_).emplace(folder / split, now);
  }
  for (const auto& path : lines) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) add(line);
  }
}

void TensorBoard::add(std::string_view line) {
  const auto json = nlohmann::ordered_json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) return;
  const bool dev = text_of(json, "split") == "dev";
  auto& file = dev ? *dev_ : *train_;
  const auto time = json.find("time");
  const EventTime at{time != json.end() && time->is_number() ? time->get<double>() : now_, json["step"]};
  if (json.contains("translation")) {
    const auto number = json.find("sentence");
    file.write(at, fmt::format("samples/{}", number != json.end() ? number->dump() : "1"), markdown_of(json));
  } else if (const auto scalars = scalars_of(json, dev); !scalars.empty()) {
    file.write(at, scalars);
  }
}

}  // namespace transformer::train
