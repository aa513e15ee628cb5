// What programs end with.
#pragma once

namespace transformer {

enum ExitStatus {
  kDone = 0,
  kFailed = 1,         ///< on the program's own account
  kBadInput = 2,       ///< bad input or usage
  kInterrupted = 130,  ///< by the user, with everything saved
};

}  // namespace transformer
