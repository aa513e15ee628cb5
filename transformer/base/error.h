// Errors that a person, not a programmer, has to mend.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace transformer {

/// Bad input or usage. Programs print the message as one line and exit with status 2. So the message names
/// the file, the line or key, what was expected and what was found. The text of what() is printable
/// (printable.h), since messages quote names and contents of files, which may hold any byte, even NUL.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::string_view message);
};

/// The work itself failed (a full disk, a lost device). Programs print the message and exit with status 1.
/// what() is printable, too.
class RunError : public std::runtime_error {
 public:
  explicit RunError(std::string_view message);
};

/// The user asked to stop. Code that throws this leaves its data as they were before the current unit of
/// work.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// An exception's message. For a refused thread it adds the cause, since the system's message says too
/// little.
std::string what_of(const std::exception& error);

/// Throws `message` as the kind of error that `error`, an errno, means. It is an InputError if the user named
/// a bad place: absent, of another kind, out of bounds, or not writable. Anything else, such as a full disk,
/// is a RunError.
[[noreturn]] void throw_error_of(int error, const std::string& message);

/// The same for a failed system call, as "FILE: ACTION failed: REASON". A temporary name is replaced by the
/// name that the file will get (intended_place, temporary.h).
[[noreturn]] void throw_file_error(const std::filesystem::path& file, std::string_view action, int error);

}  // namespace transformer
