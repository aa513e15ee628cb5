#include "transformer/base/output_place.h"

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/sibling_link.h"
#include "transformer/base/temporary.h"

namespace transformer {
namespace fs = std::filesystem;
namespace {

/// The nearest folder above `path` for which `is` returns true.
template <typename Is>
std::optional<fs::path> folder_above(const fs::path& path, Is is) {
  for (auto folder = path; folder.has_relative_path();) {
    folder = folder.parent_path();
    if (is(folder)) return folder;
  }
  return std::nullopt;
}

bool is_no_folder(const fs::path& path) {
  std::error_code absent;
  return fs::exists(fs::symlink_status(path, absent)) && !fs::is_directory(path, absent);
}

/// Both where a path stands and where it leads.
std::vector<fs::path> places(const fs::path& path) {
  std::error_code ignored;
  return {fs::absolute(path).lexically_normal(), fs::weakly_canonical(path, ignored)};
}

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code absent;
  return fs::equivalent(a, b, absent);
}

/// As a run has them: the links last and best to checkpoints, or, where a copy made folders of these, the
/// files of a run around it.
bool holds_checkpoints(const fs::path& folder) {
  std::error_code absent;
  for (const auto* name : {"last", "best"})
    if (linked_sibling(folder / name).value_or("").string().starts_with("step-")) return true;
  const auto run = folder.parent_path();
  return folder.filename() == "checkpoints" && fs::exists(run / "metrics.jsonl", absent) &&
         fs::exists(run / "config.yaml", absent);
}

/// The path as it ends in a name: "X/." and "X/" mean X, and ".." ends in no name of its own.
fs::path named(const fs::path& path) {
  auto place = path;
  while (place.has_relative_path() && place.has_parent_path() &&
         (place.filename() == "." || place.filename().empty()))
    place = place.parent_path();
  if (place.filename() != "." && place.filename() != "..") return place;
  std::error_code ignored;
  return fs::weakly_canonical(place, ignored);
}

}  // namespace

fs::path followed(const fs::path& path) {
  constexpr int kMost = 40;  // as many as Linux follows
  auto place = named(path);
  std::error_code absent;
  for (int i = 0; i < kMost; ++i) {
    if (!fs::is_symlink(fs::symlink_status(place, absent))) return place;
    place = named(parent_folder(place) / fs::read_symlink(place));
  }
  throw_file_error(path, "opening", ELOOP);
}

void check_apart(const fs::path& output_name, const std::vector<fs::path>& inputs) {
  const fs::path output = output_name == "-" ? "/dev/stdout" : output_name;
  for (const auto& name : inputs) {
    const fs::path input = name == "-" ? "/dev/stdin" : name;
    std::error_code absent;
    // Pipes and devices may serve both sides.
    if (!fs::is_regular_file(input, absent) && !fs::is_directory(input, absent)) continue;
    if (is_same(input, output))
      throw InputError(fmt::format("{}: expected another place than an input's, found {}: it is not replaced",
                                   output.string(), input.string()));
    for (const auto& place : places(input))
      if (folder_above(place, [&](const fs::path& folder) { return is_same(folder, output); }))
        throw InputError(
            fmt::format("{}: expected a place without inputs, found {} in it: it is not replaced",
                        output.string(), input.string()));
  }
}

void check_output_place(const fs::path& output, const std::vector<fs::path>& inputs) {
  if (const auto above = folder_above(output, is_no_folder))
    throw InputError(fmt::format("{}: expected a place in a folder, found that {} is none", output.string(),
                                 above->string()));
  for (const auto& place : places(output))
    if (holds_checkpoints(place) || folder_above(place, holds_checkpoints))
      throw InputError(fmt::format(
          "{}: expected a place of its own, found the checkpoints of a run, which only its training changes",
          output.string()));
  check_apart(output, inputs);
}

void check_whole_folder(const fs::path& output, const std::vector<fs::path>& inputs) {
  check_output_place(output, inputs);
  std::error_code gone;
  const auto here = fs::current_path(gone);
  const auto is_output = [&](const fs::path& folder) { return is_same(folder, output); };
  if (is_output(here) || folder_above(here, is_output))
    throw InputError(fmt::format(
        "{}: expected another folder than the working directory and those above it, which are not replaced: "
        "name a new one, or call the program from elsewhere",
        output.string()));
}

void check_output_folder(const fs::path& output) {
  check_output_place(output, {});
  if (is_no_folder(output))
    throw InputError(fmt::format("{}: expected a folder or nothing, found {}, which is not replaced",
                                 output.string(),
                                 fs::exists(output) ? "a file or a device" : "a link to nowhere"));
}

void check_output_file(const fs::path& output, const std::vector<fs::path>& inputs) {
  check_output_place(output, inputs);
  const auto file = followed(output);
  if (!fs::exists(file)) return;
  if (!fs::is_regular_file(file))
    throw InputError(
        fmt::format("{}: expected a file or nothing, found a folder or a device, which is not replaced",
                    output.string()));
  const auto folder = parent_folder(file);
  if (!fs::exists(folder / checksums_name)) return;
  const auto name = file.filename().string();
  if (name == checksums_name || read_checksums(folder).contains(name))
    throw InputError(fmt::format("{}: expected a file of its own, found one of the files in {}",
                                 output.string(), (folder / checksums_name).string()));
}

}  // namespace transformer
