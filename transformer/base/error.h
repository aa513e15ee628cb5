// Errors that a person, not a programmer, has to mend.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace transformer {

/// Bad input or usage. Programs print the message as one line and exit with status 2, so the message names
/// the file, the line or key, what was expected and what was found. what() is printable (printable.h): names
/// and contents of files, of which messages are made, may hold anything, a NUL too.
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

/// The user asked to stop. What throws it leaves its data as they were before the unit of work at hand.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// What an exception says. A refused thread says too little, so that the cause is named.
std::string what_of(const std::exception& error);

/// Throws `message` as what an errno means. That a place does not exist, is of another kind, is out of bounds
/// or may not be written is an InputError: the user named it. All else, such as a full disk, is a RunError.
[[noreturn]] void throw_error_of(int error, const std::string& message);

/// The same of a failed system call, as "FILE: ACTION failed: REASON". What lies under a temporary name is
/// named as the file that it becomes (intended_place, temporary.h).
[[noreturn]] void throw_file_error(const std::filesystem::path& file, std::string_view action, int error);

}  // namespace transformer
