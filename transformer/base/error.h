// Errors that a person, not a programmer, has to mend.
#pragma once

#include <stdexcept>

namespace transformer {

/// Bad input or usage. Programs print the message as one line and exit with status 2, so the message names
/// the file, the line or key, what was expected and what was found.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The work itself failed (a full disk, a lost device). Programs print the message and exit with status 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace transformer
