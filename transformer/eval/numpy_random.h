// The random numbers of NumPy's default_rng(seed), in which sacreBLEU draws its samples: PCG64 (O'Neill,
// 2014), seeded by SeedSequence, with Lemire's bounded integers (2019). Equal to NumPy 1.17 and later, bit by
// bit.
#pragma once

#include <cstdint>

namespace transformer::eval {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  /// Any 64 bits.
  std::uint64_t next();

  /// 0 … limit - 1, as Generator.integers(limit) and Generator.choice(limit) have them. limit: 1 … 2^32
  std::uint64_t below(std::uint64_t limit);

  /// The next of the truth values that one call of Generator.integers(2, size, dtype=bool) gives.
  bool coin();

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint32_t next_half();  // 32 bits: the lower half of a number, then its upper one

  Wide state_ = 0;
  Wide increment_ = 0;
  std::uint32_t upper_ = 0;  // the half that is still to be given
  bool has_upper_ = false;
  std::uint32_t coins_ = 0;
  int coins_left_ = 0;
};

}  // namespace transformer::eval
