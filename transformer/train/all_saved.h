// What a training says that was stopped and has lost nothing; free of LibTorch.
#pragma once

namespace transformer::train {

/// A part of the last line of its log.
inline constexpr const char* kAllSaved = "everything is saved";

}  // namespace transformer::train
