#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace transformer::fuzz {
namespace {

/// Numbers at which sizes, offsets and signs go wrong.
constexpr std::array<std::uint64_t, 16> edges = {
    0,          1,          7,          0x7f,        0x80,       0xff,       0x7fff,    0xffff,
    0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 1ULL << 40, 1ULL << 62, INT64_MAX, UINT64_C(1) << 63,
};

}  // namespace

Mutator::Mutator(std::vector<std::string> seeds, std::vector<std::string> words)
    : seeds_(std::move(seeds)), words_(std::move(words)) {}

std::size_t Mutator::below(std::size_t bound) {
  state_ += kSplitmixIncrement;
  return splitmix(state_) % bound;
}

std::string Mutator::next() {
  std::string input = seeds_[below(seeds_.size())];
  for (std::size_t changes = 1 + below(8); changes > 0; --changes) change(input);
  input.resize(std::min(input.size(), longest));
  return input;
}

void Mutator::change(std::string& input) {
  const std::size_t at = below(input.size() + 1);
  const std::size_t rest = input.size() - at;
  const std::size_t count = std::min(rest, 1 + below(below(8) == 0 ? 256 : 8));
  switch (below(9)) {
    case 0:  // flip a bit
      if (rest > 0) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
      break;
    case 1:  // any byte
      if (rest > 0) input[at] = static_cast<char>(below(256));
      break;
    case 2:
      input.insert(at, 1 + below(4), static_cast<char>(below(256)));
      break;
    case 3:
      input.erase(at, count);
      break;
    case 4:  // repeat a part
      for (std::size_t times = 1 + below(8); times > 0; --times) input.insert(at, input.substr(at, count));
      break;
    case 5: {  // splice
      const auto& other = seeds_[below(seeds_.size())];
      const std::size_t from = below(other.size() + 1);
      input = input.substr(0, at) + other.substr(from, below(2) == 0 ? count : std::string::npos);
      break;
    }
    case 6: {  // a number in binary, where it is likely to be one
      const std::uint64_t number = edges[below(edges.size())] - below(2);
      const std::size_t width = below(2) == 0 ? 4 : 8;
      const std::size_t aligned = at / width * width;
      if (aligned + width <= input.size()) std::memcpy(input.data() + aligned, &number, width);
      break;
    }
    case 7: {  // a number in decimal
      const std::uint64_t number = edges[below(edges.size())] - below(2);
      input.replace(at, below(2) * count, (below(4) == 0 ? "-" : "") + std::to_string(number));
      break;
    }
    default:
      input.replace(at, below(2) * count, words_[below(words_.size())]);
  }
}

}  // namespace transformer::fuzz
