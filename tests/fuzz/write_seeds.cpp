#include "tests/fuzz/write_seeds.h"

#include <fmt/format.h>

#include <fstream>

#include "tests/fuzz/target.h"

namespace transformer::fuzz {

bool write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  bool good = true;
  for (const auto& seed : seeds()) {
    std::ofstream file(folder / fmt::format("seed-{:03}", ++number), std::ios::binary);
    good = file << seed << std::flush && good;
  }
  std::ofstream dictionary(folder.string() + ".dict");
  for (const auto& word : words()) {
    dictionary << '"';
    for (const unsigned char byte : word) dictionary << fmt::format("\\x{:02x}", byte);
    dictionary << "\"\n";
  }
  return dictionary.flush() && good;
}

}  // namespace transformer::fuzz
