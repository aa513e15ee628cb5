// GGUF (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), version 3: what llama.cpp reads.
//
//     "GGUF", u32 version (3), u64 number of tensors, u64 number of keys
//     each key:     text, u32 type, the value; an array has u32 type, u64 count, the values
//     each tensor:  text, u32 rank, u64 × rank sizes (the last of ours first), u32 type, u64 offset
//     the tensors, from a multiple of 32 on, each at a multiple of 32 behind the first
//
// Numbers are little-endian; a text is a u64 length and its bytes.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "transformer/formats/gguf/gguf_types.h"

namespace transformer::formats {

struct GgufTensor {
  torch::Tensor values;  ///< fp32
  GgufType type = GgufType::f32;
};

using GgufValue = std::variant<std::uint32_t, std::int32_t, float, bool, std::string,
                               std::vector<std::string>, std::vector<float>, std::vector<std::int32_t>>;

struct GgufFile {
  std::map<std::string, GgufValue> metadata;
  std::map<std::string, GgufTensor> tensors;
};

/// Throws InputError for a key that is missing or has another type. `source` names the file.
[[noreturn]] void refuse_gguf_key(const std::string& key, const std::string& source);

template <typename T>
const T& gguf_value(const GgufFile& file, const std::string& key, const std::string& source) {
  const auto found = file.metadata.find(key);
  const auto* value = found == file.metadata.end() ? nullptr : std::get_if<T>(&found->second);
  if (value == nullptr) refuse_gguf_key(key, source);
  return *value;
}

void save_gguf(const std::filesystem::path& path, const GgufFile& file);

/// The file is not trusted. Throws InputError, naming it, where it is damaged or has types other than these.
GgufFile load_gguf(const std::filesystem::path& path);

}  // namespace transformer::formats
