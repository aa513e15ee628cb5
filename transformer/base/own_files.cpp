#include "transformer/base/own_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"

namespace transformer {
namespace fs = std::filesystem;
namespace {

using Sums = std::map<std::string, std::string>;

std::vector<fs::directory_entry> all_entries(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) entries.push_back(entry);
  std::ranges::sort(entries, {}, [](const auto& entry) { return entry.path(); });
  return entries;
}

std::string name_in(const fs::path& folder, const fs::path& path) {
  return path.lexically_relative(folder).generic_string();
}

/// Whether the list speaks of a file below the folder of this name.
bool lists_below(const Sums& sums, const std::string& name) {
  const auto next = sums.lower_bound(name + "/");
  return next != sums.end() && next->first.starts_with(name + "/");
}

bool is_listed(const Sums& sums, const std::string& name, const fs::directory_entry& entry) {
  const auto status = entry.symlink_status();
  if (fs::is_directory(status)) return lists_below(sums, name);
  return fs::is_regular_file(status) && (sums.contains(name) || name == checksums_name);
}

Sums listed(const fs::path& folder) {
  return fs::exists(folder / checksums_name) ? read_checksums(folder) : Sums{};
}

std::optional<fs::path> foreign_among(const std::vector<fs::directory_entry>& entries, const fs::path& folder,
                                      const Sums& sums) {
  for (const auto& entry : entries)
    if (!is_listed(sums, name_in(folder, entry.path()), entry)) return entry.path();
  return std::nullopt;
}

[[noreturn]] void refuse(const fs::path& entry, const fs::path& folder, const std::string& why) {
  throw InputError(
      fmt::format("{}: expected only what these programs wrote, found this ({}): {} is not replaced",
                  entry.string(), why, folder.string()));
}

}  // namespace

std::optional<fs::path> foreign_entry(const fs::path& folder) {
  try {
    return foreign_among(all_entries(folder), folder, listed(folder));
  } catch (const InputError&) {  // a list that is damaged
    return folder / checksums_name;
  } catch (const fs::filesystem_error& error) {
    return error.path1();
  }
}

void check_wholly_ours(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw InputError(fmt::format(
        "{}: expected a folder or nothing, found something else, which is not replaced", folder.string()));
  const auto entries = all_entries(folder);
  const auto sums = listed(folder);
  if (const auto foreign = foreign_among(entries, folder, sums))
    refuse(*foreign, folder,
           fs::exists(folder / checksums_name) ? fmt::format("not listed in {}", checksums_name)
                                               : fmt::format("no {} lists it", checksums_name));
  for (const auto& entry : entries) {
    const auto sum = sums.find(name_in(folder, entry.path()));
    if (sum != sums.end() && sha256_file(entry.path()) != sum->second)
      refuse(entry.path(), folder, fmt::format("changed since {} was written", checksums_name));
  }
}

}  // namespace transformer
