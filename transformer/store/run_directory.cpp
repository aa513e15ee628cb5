#include "transformer/store/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "transformer/base/error.h"

namespace transformer::store {
namespace fs = std::filesystem;
namespace {

std::string checkpoint_name(std::int64_t step) {
  return fmt::format("step-{:08}", step);
}

std::optional<std::int64_t> step_of(const fs::path& path) {
  static const std::regex pattern("step-([0-9]{8,18})");
  std::smatch match;
  const auto name = path.filename().string();
  if (!std::regex_match(name, match, pattern)) return std::nullopt;
  return std::stoll(match[1]);
}

}  // namespace

fs::path RunDirectory::checkpoint(std::int64_t step) const {
  return checkpoints() / checkpoint_name(step);
}

std::vector<CheckpointEntry> RunDirectory::list_checkpoints() const {
  std::vector<CheckpointEntry> found;
  if (!fs::is_directory(checkpoints())) return found;
  for (const auto& entry : fs::directory_iterator(checkpoints()))
    if (const auto step = step_of(entry.path()); step && entry.is_directory() && !entry.is_symlink())
      found.push_back({*step, entry.path()});
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return found;
}

std::optional<std::int64_t> RunDirectory::linked_step(const char* name) const {
  std::error_code error;
  const auto target = fs::read_symlink(checkpoints() / name, error);
  if (error || !fs::exists(checkpoints() / name)) return std::nullopt;
  return step_of(target);
}

void RunDirectory::link(const char* name, std::int64_t step) const {
  const auto temporary = checkpoints() / fmt::format(".{}.link", name);
  std::error_code error;
  fs::remove(temporary, error);
  fs::create_directory_symlink(checkpoint_name(step), temporary, error);
  if (!error) fs::rename(temporary, checkpoints() / name, error);
  if (error) throw_file_error(checkpoints() / name, "linking", error.value());
}

fs::path RunDirectory::set_aside(const CheckpointEntry& checkpoint) const {
  fs::path name = checkpoint.path.string() + ".damaged";
  for (int copy = 2; fs::exists(name); ++copy)
    name = fmt::format("{}.damaged-{}", checkpoint.path.string(), copy);
  fs::rename(checkpoint.path, name);
  return name;
}

}  // namespace transformer::store
