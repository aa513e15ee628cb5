// The message of a training that was stopped without loss; free of LibTorch.
#pragma once

namespace transformer::train {

/// A part of the last line of its log.
inline constexpr const char* kAllSaved = "everything is saved";

}  // namespace transformer::train
