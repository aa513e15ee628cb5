#include "transformer/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "transformer/base/printable.h"
#include "transformer/base/temporary.h"

namespace transformer {

InputError::InputError(std::string_view message) : std::runtime_error(printable(message)) {}

RunError::RunError(std::string_view message) : std::runtime_error(printable(message)) {}

void throw_file_error(const std::filesystem::path& file, std::string_view action, int error) {
  constexpr std::array wrong_place = {EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, EROFS, ELOOP, ENAMETOOLONG};
  const auto message = fmt::format("{}: {} failed: {}", intended_place(file).string(), action,
                                   std::generic_category().message(error));
  if (std::ranges::find(wrong_place, error) != wrong_place.end()) throw InputError(message);
  throw RunError(message);
}

}  // namespace transformer
