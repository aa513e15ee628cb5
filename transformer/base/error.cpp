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

std::string what_of(const std::exception& error) {
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  return system && system->code() == std::errc::resource_unavailable_try_again
             ? "the system grants no more threads (a limit on processes or on memory)"
             : error.what();
}

void throw_error_of(int error, const std::string& message) {
  constexpr std::array wrong_place = {EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, EROFS, ELOOP, ENAMETOOLONG};
  if (std::ranges::find(wrong_place, error) != wrong_place.end()) throw InputError(message);
  throw RunError(message);
}

void throw_file_error(const std::filesystem::path& file, std::string_view action, int error) {
  throw_error_of(error, fmt::format("{}: {} failed: {}", intended_place(file).string(), action,
                                    std::generic_category().message(error)));
}

}  // namespace transformer
