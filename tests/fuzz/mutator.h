// Inputs made from others at random, the same in every run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transformer/base/random.h"

namespace transformer::fuzz {

class Mutator {
 public:
  /// `seeds` and `words` as in target.h; neither may be empty.
  Mutator(std::vector<std::string> seeds, std::vector<std::string> words);

  /// A seed after one to eight changes, at most `longest` bytes.
  std::string next();

  static constexpr std::size_t longest = std::size_t{1} << 16U;

 private:
  std::size_t below(std::size_t bound);  // uniform enough, from 0; bound is at least 1
  void change(std::string& input);

  std::vector<std::string> seeds_;
  std::vector<std::string> words_;
  std::uint64_t state_ = 0;
};

}  // namespace transformer::fuzz
