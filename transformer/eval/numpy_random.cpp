#include "transformer/eval/numpy_random.h"

#include <array>
#include <bit>
#include <cstddef>

namespace transformer::eval {
namespace {

/// A running hash: each call multiplies by another number. Both are constants of O'Neill's seed_seq_fe.
class Hash {
 public:
  Hash(std::uint32_t start, std::uint32_t factor) : multiplier_(start), factor_(factor) {}

  std::uint32_t operator()(std::uint32_t value) {
    value ^= multiplier_;
    multiplier_ *= factor_;
    value *= multiplier_;
    return value ^ value >> 16U;
  }

 private:
  std::uint32_t multiplier_, factor_;
};

std::uint32_t mix(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mixed = 0xca01f9ddU * a - 0x4973f715U * b;
  return mixed ^ mixed >> 16U;
}

/// SeedSequence(seed).generate_state(4, uint64): spreads a seed, most of whose bits are 0, over 256 bits.
std::array<std::uint64_t, 4> spread(std::uint64_t seed) {
  std::array<std::uint32_t, 4> pool = {static_cast<std::uint32_t>(seed),
                                       static_cast<std::uint32_t>(seed >> 32U)};
  Hash enter(0x43b0d7e5U, 0x931e8875U);
  for (auto& word : pool) word = enter(word);
  for (std::size_t from = 0; from < pool.size(); ++from)
    for (std::size_t to = 0; to < pool.size(); ++to)
      if (from != to) pool[to] = mix(pool[to], enter(pool[from]));

  Hash leave(0x8b51f9ddU, 0x58f38dedU);
  std::array<std::uint64_t, 4> state{};
  for (std::size_t half = 0; half < 2 * state.size(); ++half)
    state[half / 2] |= static_cast<std::uint64_t>(leave(pool[half % pool.size()])) << (half % 2 * 32);
  return state;
}

}  // namespace

NumpyRandom::NumpyRandom(std::uint64_t seed) {
  const auto words = spread(seed);
  const auto wide = [&](std::size_t i) { return static_cast<Wide>(words[i]) << 64U | words[i + 1]; };
  increment_ = wide(2) << 1U | 1U;
  next();
  state_ += wide(0);
  next();
}

std::uint64_t NumpyRandom::next() {
  constexpr Wide kMultiplier = static_cast<Wide>(0x2360ed051fc65da4U) << 64U | 0x4385df649fccf645U;
  state_ = state_ * kMultiplier + increment_;
  const auto high = static_cast<std::uint64_t>(state_ >> 64U);
  return std::rotr(high ^ static_cast<std::uint64_t>(state_), static_cast<int>(high >> 58U));
}

std::uint32_t NumpyRandom::next_half() {
  has_upper_ = !has_upper_;
  if (!has_upper_) return upper_;
  const auto number = next();
  upper_ = static_cast<std::uint32_t>(number >> 32U);
  return static_cast<std::uint32_t>(number);
}

std::uint64_t NumpyRandom::below(std::uint64_t limit) {
  if (limit == 1) return 0;  // nothing is drawn
  constexpr std::uint64_t kRange = std::uint64_t{1} << 32U;
  // The upper half of the product is the result. A lower half below this belongs to a result that would come
  // more often than others.
  const auto unfair = static_cast<std::uint32_t>(kRange % limit);
  std::uint64_t product = 0;
  do {
    product = next_half() * limit;
  } while (static_cast<std::uint32_t>(product) < unfair);
  return product >> 32U;
}

bool NumpyRandom::coin() {
  if (coins_left_ == 0) {
    coins_ = next_half();
    coins_left_ = 32;
  } else {
    coins_ >>= 1U;
  }
  --coins_left_;
  return (coins_ & 1U) != 0;
}

}  // namespace transformer::eval
