#include "transformer/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace transformer {

void throw_file_error(const std::filesystem::path& file, std::string_view action, int error) {
  constexpr std::array wrong_place = {EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, EROFS, ELOOP, ENAMETOOLONG};
  const auto message =
      fmt::format("{}: {} failed: {}", file.string(), action, std::generic_category().message(error));
  if (std::ranges::find(wrong_place, error) != wrong_place.end()) throw InputError(message);
  throw RunError(message);
}

}  // namespace transformer
