#include "transformer/checkpoints/run_directory.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>

#include "transformer/base/error.h"
#include "transformer/base/temporary.h"

namespace transformer::checkpoints {
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

/// `path` with ".kind" behind it, or ".kind-2" and so on where that exists.
fs::path free_name(const fs::path& path, const char* kind) {
  fs::path name = fmt::format("{}.{}", path.string(), kind);
  for (int copy = 2; lies_at(name); ++copy) name = fmt::format("{}.{}-{}", path.string(), kind, copy);
  return name;
}

/// The files of a folder with their sizes; nothing for anything but a folder of plain files.
std::optional<std::map<std::string, std::uintmax_t>> files_of(const fs::path& folder) {
  if (fs::symlink_status(folder).type() != fs::file_type::directory) return std::nullopt;
  std::map<std::string, std::uintmax_t> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.symlink_status().type() != fs::file_type::regular) return std::nullopt;
    files[entry.path().filename().string()] = entry.file_size();
  }
  return files;
}

bool same_bytes(const fs::path& one, const fs::path& other) {
  std::ifstream left(one, std::ios::binary), right(other, std::ios::binary);
  std::vector<char> a(1U << 20U), b(a.size());
  while (left && right) {
    left.read(a.data(), std::ssize(a));
    right.read(b.data(), std::ssize(b));
    if (left.bad() || right.bad() || left.gcount() != right.gcount()) return false;
    if (!std::equal(a.begin(), a.begin() + left.gcount(), b.begin())) return false;
  }
  return left.eof() && right.eof();
}

bool same_content(const fs::path& one, const fs::path& other) {
  const auto files = files_of(one);
  return files && files == files_of(other) && std::ranges::all_of(*files, [&](const auto& file) {
           return same_bytes(one / file.first, other / file.first);
         });
}

/// Makes way for a link where something else bears its name. What exists nowhere else is kept.
void make_way(const RunDirectory& run, const fs::path& place) {
  const auto type = fs::symlink_status(place).type();
  if (type == fs::file_type::not_found || type == fs::file_type::symlink) return;
  for (const auto& checkpoint : run.newest_first()) {
    if (!same_content(place, checkpoint.path)) continue;
    spdlog::info("{}: was a copy of {}, and is a link again", place.string(),
                 checkpoint.path.filename().string());
    remove_folder(place);
    return;
  }
  const auto kept = free_name(place, "kept");
  fs::rename(place, kept);
  spdlog::warn("{}: was no link, and like no checkpoint that is here: it is kept as {}", place.string(),
               kept.filename().string());
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

std::vector<CheckpointEntry> RunDirectory::newest_first() const {
  auto found = list_checkpoints();
  std::ranges::reverse(found);
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
  make_way(*this, checkpoints() / name);
  std::error_code error;
  fs::remove(temporary, error);
  fs::create_directory_symlink(checkpoint_name(step), temporary, error);
  if (!error) fs::rename(temporary, checkpoints() / name, error);
  if (error) throw_file_error(checkpoints() / name, "linking", error.value());
}

fs::path RunDirectory::set_aside(const CheckpointEntry& checkpoint) const {
  auto name = free_name(checkpoint.path, "damaged");
  fs::rename(checkpoint.path, name);
  return name;
}

}  // namespace transformer::checkpoints
