// Kernels give to tensor cores what PTX's description of mma.m16n8k16 asks for.
#include "transformer/gpu/source/products.h"

#include <array>
#include <vector>

#include "tests/catch.h"

using namespace transformer;

namespace {

constexpr int kLanes = 32;
constexpr std::size_t kRows = 64;

gpu::Bf16 number(int i) {
  gpu::Bf16 x{};
  gpu::store(x, static_cast<float>(i * 37 % 61 - 30));
  return x;
}

float low(gpu::Word pair) {
  return gpu::to_float(gpu::Bf16{static_cast<unsigned short>(pair & 0xffffU)});
}
float high(gpu::Word pair) {
  return gpu::to_float(gpu::Bf16{static_cast<unsigned short>(pair >> 16U)});
}

/// The matrices that all threads of a warp give, element by element as PTX numbers them.
struct Given {
  std::array<std::array<float, 16>, 16> a{};
  std::array<std::array<float, 8>, 16> b{};  // (k, n)

  void take(int lane, const gpu::Word (&of_a)[4], const gpu::Word (&of_b)[2]) {
    const auto group = static_cast<std::size_t>(lane / 4), thread = static_cast<std::size_t>(lane % 4);
    for (std::size_t i = 0; i < 8; ++i) {  // a0 … a7
      const auto row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
      const auto column = thread * 2 + i % 2 + (i < 4 ? 0 : 8);
      a[row][column] = i % 2 == 0 ? low(of_a[i / 2]) : high(of_a[i / 2]);
    }
    for (std::size_t i = 0; i < 4; ++i)  // b0 … b3
      b[thread * 2 + i % 2 + (i < 2 ? 0 : 8)][group] = i % 2 == 0 ? low(of_b[i / 2]) : high(of_b[i / 2]);
  }
  float product(std::size_t row, std::size_t column) const {
    float sum = 0;
    for (std::size_t k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
    return sum;
  }
};

template <bool a_transposed, bool b_transposed>
void check_product() {
  std::vector<gpu::Bf16> first(kRows * gpu::kRowStride), second(first.size());
  for (int i = 0; i < static_cast<int>(first.size()); ++i)
    first[static_cast<std::size_t>(i)] = number(i), second[static_cast<std::size_t>(i)] = number(3 * i + 1);
  const gpu::Matrix<gpu::Bf16, a_transposed> a{first.data()};
  const gpu::Matrix<gpu::Bf16, b_transposed> b{second.data()};
  constexpr int kRow = 16, kInner = 32, kTile = 1;
  std::vector<std::array<float, 4>> sums(kLanes);
  for (int k = 0; k < kInner; k += 16) {
    Given given;
    for (int lane = 0; lane < kLanes; ++lane) {
      gpu::Word of_a[4], of_b[2];
      gpu::take_a(of_a, a, kRow, k, lane);
      gpu::take_b(of_b, b, 8 * kTile, k, lane);
      given.take(lane, of_a, of_b);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      for (std::size_t i = 0; i < 4; ++i)  // c0 … c3
        sums[lane][i] += given.product(lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + i % 2);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    gpu::Quad found[3] = {};
    gpu::add_product(found, a, b, kRow, kInner, 2, lane);
    for (int i = 0; i < 4; ++i) {
      CHECK(found[kTile].values[i] == sums[static_cast<std::size_t>(lane)][static_cast<std::size_t>(i)]);
      CHECK(found[2].values[i] == 0);  // beyond the tiles
      float expected = 0;
      for (int k = 0; k < kInner; ++k)
        expected += gpu::to_float(a.at(kRow + gpu::row_of(lane, i), k)) *
                    gpu::to_float(b.at(8 * kTile + gpu::column_of(lane, i), k));
      CHECK(found[kTile].values[i] == expected);
    }
  }
}

}  // namespace

TEST_CASE("threads give tensor cores the parts that these expect, and hold the parts that they give") {
  check_product<false, false>();
  check_product<false, true>();
  check_product<true, true>();
}
