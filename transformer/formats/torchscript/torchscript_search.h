// Beam search in TorchScript's language: loops over data cannot be traced.
#pragma once

namespace transformer::formats {

/// Methods `select` and `translate` (torchscript_module.h) of a module that has `encode`, `start`,
/// `decode_step` and these attributes: pad, begin, end, length_offset, longest: int, gnmt, twice: bool.
extern const char* const kTorchScriptSearch;

}  // namespace transformer::formats
