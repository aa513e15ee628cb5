// The header of a safetensors file: which tensor lies where. Free of LibTorch.
//
// The file: 8 bytes with the header's length (little endian), a header in JSON that gives each tensor's
// dtype, shape and place, then the tensors' bytes without gaps.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace transformer::checkpoints {

struct Dtype {
  std::string_view name;
  std::uint64_t bytes;  ///< of one element
};

/// In the order in which the reference implementation lays tensors out: wide types first, so that each
/// tensor's bytes are aligned.
inline constexpr std::array<Dtype, 10> dtypes = {{{"I64", 8},
                                                  {"F64", 8},
                                                  {"F32", 4},
                                                  {"I32", 4},
                                                  {"BF16", 2},
                                                  {"F16", 2},
                                                  {"I16", 2},
                                                  {"I8", 1},
                                                  {"U8", 1},
                                                  {"BOOL", 1}}};

/// Where one tensor lies.
struct TensorPlace {
  std::string name;
  std::size_t dtype = 0;  ///< index into dtypes
  std::vector<std::int64_t> shape =
      {};                   ///< its elements, and the strides of any view of it, fit std::int64_t
  std::uint64_t begin = 0;  ///< bytes from the end of the header
  std::uint64_t end = 0;

  bool operator==(const TensorPlace&) const = default;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<TensorPlace> tensors;  ///< one behind the other, without gaps

  bool operator==(const SafetensorsHeader&) const = default;
};

/// Reads the header from the front of `file` and leaves the file at the first tensor's bytes. Everything is
/// checked against the file's real `size` before memory is taken. Throws InputError, with `name` for the
/// file, when it is cut short or malformed.
SafetensorsHeader read_safetensors_header(std::istream& file, std::uint64_t size, const std::string& name);

/// The bytes that read_safetensors_header reads, laid out as the reference implementation does. Throws
/// std::invalid_argument for a name that is used twice.
std::string print_safetensors_header(const SafetensorsHeader& header);

}  // namespace transformer::checkpoints
