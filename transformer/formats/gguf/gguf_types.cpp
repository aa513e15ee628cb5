#include "transformer/formats/gguf/gguf_types.h"

#include <cstring>
#include <stdexcept>
#include <utility>

namespace transformer::formats {
namespace {

/// (N, 32) → scales (N, 1) in fp16, and numbers in int8 by which they are multiplied.
std::pair<torch::Tensor, torch::Tensor> q8_blocks(const torch::Tensor& values) {
  constexpr double kLargest = 127;
  const auto blocks = values.reshape({-1, kGgufBlock});
  const auto scale = blocks.abs().amax(1, /*keepdim=*/true) / kLargest;
  const auto inverse = torch::where(scale > 0, scale.reciprocal(), torch::zeros_like(scale));
  return {scale.to(torch::kHalf), (blocks * inverse).round().to(torch::kChar)};
}

}  // namespace

torch::Tensor gguf_encoded(const torch::Tensor& numbers, GgufType type) {
  const auto values = numbers.detach().to(torch::kCPU, torch::kFloat).contiguous();
  switch (type) {
    case GgufType::f32:
      return values;
    case GgufType::f16:
      return values.to(torch::kHalf);
    case GgufType::bf16:
      return values.to(torch::kBFloat16);
    case GgufType::q8_0: {
      const auto [scale, multiples] = q8_blocks(values);
      return torch::cat({scale.view(torch::kByte), multiples.view(torch::kByte)}, 1).contiguous();
    }
  }
  throw std::invalid_argument("no such type");
}

std::uint64_t gguf_bytes(GgufType type, std::uint64_t numbers) {
  constexpr std::uint64_t kBytesOfBlock = 34;
  if (type == GgufType::q8_0) return numbers / kGgufBlock * kBytesOfBlock;
  return numbers * (type == GgufType::f32 ? 4 : 2);
}

torch::Tensor gguf_decoded(const char* bytes, const std::vector<std::int64_t>& sizes, GgufType type) {
  const auto filled = [&](const std::vector<std::int64_t>& shape, torch::ScalarType scalar) {
    auto tensor = torch::empty(shape, scalar);
    std::memcpy(tensor.mutable_data_ptr(), bytes, tensor.nbytes());
    return tensor;
  };
  if (type != GgufType::q8_0)
    return filled(sizes, type == GgufType::f32   ? torch::kFloat
                         : type == GgufType::f16 ? torch::kHalf
                                                 : torch::kBFloat16)
        .to(torch::kFloat);
  std::int64_t numbers = 1;
  for (const auto size : sizes) numbers *= size;
  const auto blocks = filled({numbers / kGgufBlock, kGgufBlock + 2}, torch::kByte);
  const auto scale = blocks.slice(1, 0, 2).contiguous().view(torch::kHalf).to(torch::kFloat);
  return (blocks.slice(1, 2).contiguous().view(torch::kChar).to(torch::kFloat) * scale).view(sizes);
}

torch::Tensor gguf_rounded(const torch::Tensor& values, GgufType type) {
  const auto bytes = gguf_encoded(values, type);
  return gguf_decoded(static_cast<const char*>(bytes.const_data_ptr()), values.sizes().vec(), type);
}

}  // namespace transformer::formats
