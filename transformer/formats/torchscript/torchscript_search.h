// Beam search, and the writing of texts, in TorchScript's language: loops over data cannot be traced.
#pragma once

#include <cstdint>
#include <string>

namespace transformer::formats {

/// Methods `select` and `translate` (torchscript_module.h) of a module that has `decode_step` and these
/// attributes: pad, begin, end, length_offset, longest: int, gnmt, twice: bool, and selected_by: List[int],
/// by what each tensor of a cache is selected (0: not at all, 1: sentences, 2: hypotheses). `translate` takes
/// this beam and alpha where its caller gives none. start: what makes `cache` of `source`, indented by four.
std::string torchscript_search(std::int64_t beam, double alpha, const std::string& start);

/// Method `generate` (torchscript_module.h) of a module that has `start`, `decode_step` and the attributes
/// pad, begin, end and longest.
std::string torchscript_generation();

}  // namespace transformer::formats
