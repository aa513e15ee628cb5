// The data set file's header and checksum, for those who read and write it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

namespace transformer::data {

static_assert(std::endian::native == std::endian::little, "data set files are little-endian");

inline constexpr std::array<char, 8> kDatasetMagic = {'T', 'R', 'P', 'A', 'I', 'R', 'S', '\n'};

struct DatasetHeader {
  std::array<char, 8> magic = kDatasetMagic;
  std::int64_t version = 1;  ///< kOneSide without a source
  std::int64_t sentences = 0;
  std::int64_t source_tokens = 0;
  std::int64_t target_tokens = 0;
  std::int64_t source_vocabulary = 0;
  std::int64_t target_vocabulary = 0;
  std::uint64_t checksum = 0;  ///< of all other bytes, the header's first
};
static_assert(sizeof(DatasetHeader) == 64);

inline constexpr std::int64_t kOneSide = 2;

/// FNV-1a over words of 8 bytes: at memory speed, and any single changed word changes the result.
inline std::uint64_t dataset_checksum(std::span<const std::byte> bytes, std::uint64_t start) {
  std::uint64_t hash = start;
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    hash = (hash ^ word) * 0x100000001b3ULL;
  }
  return hash;
}

inline std::uint64_t header_checksum(const DatasetHeader& header) {
  return dataset_checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(DatasetHeader, checksum)),
                          0xcbf29ce484222325ULL);
}

inline std::int64_t padded_ids(std::int64_t tokens) {
  return tokens + tokens % 2;
}

/// Whether the vocabulary has a size that ids can have and all ids are within 0 … vocabulary - 1. Negative
/// ids turn into huge ones.
inline bool ids_valid(std::span<const std::int32_t> ids, std::int64_t vocabulary) {
  if (vocabulary < 1 || vocabulary > std::numeric_limits<std::int32_t>::max()) return false;
  std::uint32_t largest = 0;
  for (const auto id : ids) largest = std::max(largest, static_cast<std::uint32_t>(id));
  return ids.empty() || largest < vocabulary;
}

}  // namespace transformer::data
