#include "transformer/train/step_lines.h"

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"

namespace transformer::train {
namespace {

/// An object with a step, or a discarded value.
nlohmann::json parse_line(const std::string& line) {
  auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  const bool ours = json.is_object() && json.contains("step") && json["step"].is_number_integer();
  return ours ? json : nlohmann::json(nlohmann::json::value_t::discarded);
}

bool is_kept(const std::string& line, std::int64_t step, std::int64_t evaluated) {
  const auto json = parse_line(line);
  if (json.is_discarded()) return false;
  const bool of_dev = json.contains("split") && json["split"] == "dev";
  return json["step"].get<std::int64_t>() <= (of_dev ? evaluated : step);
}

/// Does not touch a file that loses no line.
void drop_repeated_lines(const std::filesystem::path& path, std::int64_t step, std::int64_t evaluated) {
  std::ifstream file(path);
  if (!file) return;
  std::string kept, line;
  bool all = true;
  while (std::getline(file, line)) {
    const bool keep = is_kept(line, step, evaluated);
    if (keep) kept += line + "\n";
    all = all && keep && !file.eof();  // at its end already: the line lacks its line end
  }
  if (!all) write_file_atomically(path, kept);
}

}  // namespace

void for_each_step_line(const std::filesystem::path& path,
                        const std::function<void(const nlohmann::json&, const std::string&)>& use) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (const auto json = parse_line(line); !json.is_discarded()) use(json, line);
}

std::int64_t last_step(const std::filesystem::path& path) {
  constexpr std::streamoff kTail = 4096;  // several lines
  std::ifstream file(path, std::ios::ate);
  if (!file) return 0;
  const auto size = static_cast<std::streamoff>(file.tellg());
  file.seekg(std::max<std::streamoff>(0, size - kTail));
  std::int64_t step = 0;
  for (std::string line; std::getline(file, line);)
    if (const auto json = parse_line(line); !json.is_discarded()) step = json["step"];
  return step;
}

StepLines::StepLines(const std::filesystem::path& path, std::int64_t step, std::int64_t evaluated)
    : path_(path) {
  drop_repeated_lines(path, step, evaluated);
  errno = 0;
  file_.open(path, std::ios::app);
  if (!file_) throw_file_error(path, "opening", errno);
}

void StepLines::write(std::string_view line) {
  errno = 0;
  file_ << line << '\n' << std::flush;
  if (!file_) throw_file_error(path_, "writing", errno);
}

void StepLines::sync() const {
  sync_to_disk(path_, path_);
}

}  // namespace transformer::train
