// CTranslate2's binary file of variables, model.bin, in version 6 of its format.
//
//     u32  version of the format (6)
//     text name of the specification, such as TransformerSpec
//     u32  revision of the specification
//     u32  number of variables, then for each:
//          text name, u8 rank, u32 × rank dimensions, u8 type, u32 bytes, the numbers
//     u32  number of aliases, then for each:
//          text name, text name of the variable that it repeats
//
// Numbers are little-endian; a text is a u16 length, its bytes and a NUL, which the length counts. Versions
// below 4 have the size of a number (4: f32, 2: i16, 1: i8) for its type, and how many there are for the
// bytes. Version 2 has no aliases, version 1 no specification.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace transformer::formats {

/// The version that is written.
inline constexpr std::uint32_t kCTranslate2Version = 6;

struct CTranslate2File {
  std::uint32_t version = kCTranslate2Version;
  std::string specification;
  std::uint32_t revision = 0;
  /// Written by name, as CTranslate2's own converters do. F32, I8, I16, I32, F16 or BF16; attributes are
  /// tensors of rank 0.
  std::map<std::string, torch::Tensor> variables;
  std::map<std::string, std::string> aliases;  ///< name → variable
};

/// Throws InputError for a variable of 4 GiB or more, which the format cannot hold, std::invalid_argument for
/// one of another type, RunError when the file cannot be written.
void save_ctranslate2_file(const std::filesystem::path& path, const CTranslate2File& file);

/// The file is not trusted: sizes are checked against what is left of it before memory is taken, and an alias
/// must mean a variable. Throws InputError naming the file and what is wrong with it, also for a version of
/// the format below `oldest`, which is 2 or more.
CTranslate2File load_ctranslate2_file(const std::filesystem::path& path,
                                      std::uint32_t oldest = kCTranslate2Version);

}  // namespace transformer::formats
