// A file damaged in many ways, one after another.
#pragma once

#include <random>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

namespace transformer::test {

/// Calls `use` with the file damaged by a flipped bit, 100 times, and cut short, 100 times, at random places.
/// `use` must throw InputError, or return true: the damage did no harm. Returns how often it was noticed.
template <typename Use>
int damage_noticed(const std::filesystem::path& file, Use use) {
  const auto whole = content_of(file);
  std::mt19937_64 random(7);
  int noticed = 0;
  for (int i = 0; i < 200; ++i) {
    auto bytes = whole;
    const auto place = random() % whole.size();
    if (i < 100) {
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << random() % 8));
    } else {
      bytes.resize(place);
    }
    std::ofstream(file, std::ios::binary) << bytes;
    INFO(file.filename() << (i < 100 ? ": a bit flipped in byte " : ": cut to bytes ") << place);
    try {
      const bool harmless = use();  // in a CHECK, an exception would be a failure
      CHECK(harmless);
    } catch (const InputError&) {
      ++noticed;
    }
  }
  std::ofstream(file, std::ios::binary) << whole;
  return noticed;
}

}  // namespace transformer::test
