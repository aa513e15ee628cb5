#include "transformer/base/sibling_link.h"

#include <fmt/format.h>

#include <fstream>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"

namespace transformer {
namespace fs = std::filesystem;

void link_to_sibling(const fs::path& link, const std::string& name) {
  const auto temporary = parent_folder(link) / fmt::format(".{}.link", link.filename().string());
  std::error_code error, absent;
  fs::remove(temporary, absent);
  fs::create_directory_symlink(name, temporary, error);
  // Whatever the reason: what is wrong with the folder itself, the file meets as well.
  if (error) return write_file_atomically(link, name + "\n");
  fs::rename(temporary, link, error);
  if (error) throw_file_error(link, "linking", error.value());
}

std::optional<fs::path> linked_sibling(const fs::path& link) {
  constexpr std::uintmax_t kLongestName = 255;
  std::error_code error;
  const auto status = fs::symlink_status(link, error);
  if (fs::is_symlink(status)) return fs::read_symlink(link);
  if (!fs::is_regular_file(status) || fs::file_size(link) > kLongestName + 1) return std::nullopt;
  std::ifstream file(link);
  std::string name, more;
  const bool whole = std::getline(file, name) && !file.eof();
  if (!whole || std::getline(file, more)) return std::nullopt;
  return name;
}

}  // namespace transformer
