// How the numbers of a tensor lie in a GGUF file.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace transformer::formats {

/// How a tensor's numbers are stored, by GGUF's numbers.
enum class GgufType : std::uint32_t {
  f32 = 0,
  f16 = 1,
  q8_0 = 8,  ///< blocks of 32 numbers in a row: a scale in f16, and 32 bytes
  bf16 = 30,
};

/// Numbers in a row that q8_0 stores together.
inline constexpr std::int64_t kGgufBlock = 32;

/// Of so many numbers; of q8_0 a multiple of kGgufBlock.
std::uint64_t gguf_bytes(GgufType type, std::uint64_t numbers);

/// Numbers of any type and device as they lie in the file.
torch::Tensor gguf_encoded(const torch::Tensor& numbers, GgufType type);

/// Back, in fp32.
torch::Tensor gguf_decoded(const char* bytes, const std::vector<std::int64_t>& sizes, GgufType type);

/// The numbers that a tensor of this type holds where it was given these: fp32 of the same shape.
torch::Tensor gguf_rounded(const torch::Tensor& values, GgufType type);

}  // namespace transformer::formats
