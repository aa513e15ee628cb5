// A file of JSON objects, one a line, each of a step of a training.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace transformer::train {

/// Calls `use` with each line that has a step, a whole number, parsed and as it stands; others, such as one
/// that is being written, are passed over. A file that is not there has none.
void for_each_step_line(const std::filesystem::path& path,
                        const std::function<void(const nlohmann::json&, const std::string&)>& use);

/// The step of the last line that has one; 0 where there is none. The file may be written to at this moment.
std::int64_t last_step(const std::filesystem::path& path);

class StepLines {
 public:
  /// Opens for appending, after dropping what a resumed run repeats: the lines of steps beyond `step`, those
  /// of the split "dev" beyond step `evaluated`, and a last line that a crash cut off.
  StepLines(const std::filesystem::path& path, std::int64_t step, std::int64_t evaluated);

  /// Adds a line, given without its end. Throws RunError when it cannot be written.
  void write(std::string_view line);

  /// Brings all lines to the disk.
  void sync() const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace transformer::train
