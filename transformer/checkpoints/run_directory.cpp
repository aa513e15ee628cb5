#include "transformer/checkpoints/run_directory.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/sibling_link.h"
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
  if (!lies_at(place) || fs::is_symlink(place)) return;
  if (const auto named = linked_sibling(place); named && step_of(*named)) return;
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

std::optional<fs::path> linked_checkpoint(const fs::path& link) {
  const auto target = linked_sibling(link);
  if (!target || !step_of(*target) || !fs::exists(parent_folder(link) / *target)) return std::nullopt;
  return parent_folder(link) / *target;
}

std::optional<std::int64_t> RunDirectory::linked_step(const char* name) const {
  const auto target = linked_checkpoint(checkpoints() / name);
  return target ? step_of(*target) : std::nullopt;
}

void RunDirectory::link(const char* name, std::int64_t step) const {
  make_way(*this, checkpoints() / name);
  link_to_sibling(checkpoints() / name, checkpoint_name(step));
}

void RunDirectory::rehearse() const {
  const AtomicDirectory trial(checkpoints() / "trial");  // never committed
  const RunDirectory inside{trial.temporary()};
  AtomicDirectory checkpoint(inside.checkpoint(1));
  write_file_atomically(checkpoint.temporary() / "content", "as much as a checkpoint needs\n");
  checkpoint.commit();
  for (int time = 0; time < 2; ++time) inside.link("last", 1);
  sync_to_disk(inside.checkpoints(), inside.checkpoints());
  remove_folder(inside.checkpoint(1));
  if (!fs::is_symlink(inside.checkpoints() / "last"))
    spdlog::info("{}: no symbolic links here: 'last' and 'best' are files that name a checkpoint",
                 checkpoints().string());
}

fs::path RunDirectory::set_aside(const CheckpointEntry& checkpoint) const {
  auto name = free_name(checkpoint.path, "damaged");
  fs::rename(checkpoint.path, name);
  return name;
}

}  // namespace transformer::checkpoints
