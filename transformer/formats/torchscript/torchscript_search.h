// Beam search in TorchScript's language: loops over data cannot be traced.
#pragma once

#include <cstdint>
#include <string>

namespace transformer::formats {

/// Methods `select` and `translate` (torchscript_module.h) of a module that has `encode`, `start`,
/// `decode_step` and these attributes: pad, begin, end, length_offset, longest: int, gnmt, twice: bool.
/// `translate` takes this beam and alpha where its caller gives none.
std::string torchscript_search(std::int64_t beam, double alpha);

}  // namespace transformer::formats
