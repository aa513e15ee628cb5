#include "transformer/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"

namespace transformer::data {
namespace {

static_assert(std::endian::native == std::endian::little, "data set files are little-endian");

constexpr std::array<char, 8> kMagic = {'T', 'R', 'P', 'A', 'I', 'R', 'S', '\n'};

struct Header {
  std::array<char, 8> magic = kMagic;
  std::int64_t version = 1;
  std::int64_t pairs = 0;
  std::int64_t source_tokens = 0;
  std::int64_t target_tokens = 0;
  std::int64_t source_vocabulary = 0;
  std::int64_t target_vocabulary = 0;
  std::uint64_t checksum = 0;  ///< of all other bytes, the header's first
};
static_assert(sizeof(Header) == 64);

/// FNV-1a over words of 8 bytes: at memory speed, and any single changed word changes the result.
std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t start) {
  std::uint64_t hash = start;
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    hash = (hash ^ word) * 0x100000001b3ULL;
  }
  return hash;
}

std::uint64_t header_checksum(const Header& header) {
  return checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, checksum)),
                  0xcbf29ce484222325ULL);
}

std::int64_t padded_ids(std::int64_t tokens) {
  return tokens + tokens % 2;
}

/// Bytes that the header promises, or nothing when a count is absurd for a file of `bytes`.
std::int64_t promised_bytes(const Header& header, std::int64_t bytes) {
  for (const auto count : {header.pairs, header.source_tokens, header.target_tokens}) {
    if (count < 0 || count > bytes / 4) return -1;  // so that the sum below cannot overflow
  }
  return static_cast<std::int64_t>(sizeof(Header)) + 2 * (header.pairs + 1) * 8 +
         (padded_ids(header.source_tokens) + padded_ids(header.target_tokens)) * 4;
}

Header read_header(std::span<const std::byte> bytes, const std::filesystem::path& file) {
  Header header;
  if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
  if (bytes.size() < sizeof header || header.magic != kMagic) {
    throw InputError(
        fmt::format("{}: expected a prepared data set, found another kind of file", file.string()));
  }
  if (header.version != Header{}.version) {
    throw InputError(fmt::format("{}: expected a data set of version {}, found version {}: prepare it again",
                                 file.string(), Header{}.version, header.version));
  }
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (const auto promised = promised_bytes(header, size); promised != size) {
    throw InputError(
        fmt::format("{}: damaged: its header does not fit its {} bytes (cut off?)", file.string(), size));
  }
  if (checksum(bytes.subspan(sizeof header), header_checksum(header)) != header.checksum) {
    throw InputError(fmt::format("{}: damaged: its checksum differs", file.string()));
  }
  return header;
}

/// Whether the vocabulary has a size that ids can have and all ids are within 0 … vocabulary - 1. Negative
/// ids turn into huge ones.
bool ids_valid(std::span<const std::int32_t> ids, std::int64_t vocabulary) {
  if (vocabulary < 1 || vocabulary > std::numeric_limits<std::int32_t>::max()) return false;
  std::uint32_t largest = 0;
  for (const auto id : ids) largest = std::max(largest, static_cast<std::uint32_t>(id));
  return ids.empty() || largest < vocabulary;
}

void check_side(const Sentences& side, std::int64_t vocabulary) {
  if (!ids_valid(side.ids, vocabulary) || side.offsets.empty() ||
      side.offsets.back() != static_cast<std::int64_t>(side.ids.size())) {
    throw std::invalid_argument("write_dataset: ids, offsets and vocabulary do not fit together");
  }
}

}  // namespace

std::span<const std::int32_t> Sentences::operator[](std::int64_t i) const {
  const auto begin = offsets.at(static_cast<std::size_t>(i));
  const auto end = offsets.at(static_cast<std::size_t>(i) + 1);
  return {ids.data() + begin, static_cast<std::size_t>(end - begin)};
}

void Sentences::add(std::span<const std::int32_t> sentence) {
  ids.insert(ids.end(), sentence.begin(), sentence.end());
  offsets.push_back(static_cast<std::int64_t>(ids.size()));
}

Dataset::Dataset(const std::filesystem::path& file) : file_(file) {
  const auto bytes = file_.bytes();
  const Header header = read_header(bytes, file);
  const auto* offsets = reinterpret_cast<const std::int64_t*>(bytes.data() + sizeof header);
  const auto* ids = reinterpret_cast<const std::int32_t*>(offsets + 2 * (header.pairs + 1));
  source_ = {header.pairs, header.source_tokens, header.source_vocabulary, offsets, ids};
  target_ = {header.pairs, header.target_tokens, header.target_vocabulary, offsets + header.pairs + 1,
             ids + padded_ids(header.source_tokens)};
  checksum_ = header.checksum;
  source_.check(file, "source");
  target_.check(file, "target");
}

std::span<const std::int32_t> Dataset::Side::sentence(std::int64_t i) const {
  if (i < 0 || i >= pairs) {
    throw std::out_of_range(fmt::format("sentence {} of a data set of {}", i, pairs));
  }
  return {ids + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
}

/// The checksum tells accidents; this keeps even a forged file from leading outside the mapping.
void Dataset::Side::check(const std::filesystem::path& file, const char* name) const {
  const std::span all(offsets, static_cast<std::size_t>(pairs) + 1);
  if (all.front() != 0 || all.back() != tokens || !std::ranges::is_sorted(all)) {
    throw InputError(fmt::format("{}: damaged: {} offsets are out of order", file.string(), name));
  }
  if (!ids_valid({ids, static_cast<std::size_t>(tokens)}, vocabulary)) {
    throw InputError(fmt::format("{}: damaged: expected {} ids within a vocabulary of {}, found others",
                                 file.string(), name, vocabulary));
  }
}

void write_dataset(const std::filesystem::path& file, const Sentences& source, const Sentences& target,
                   std::int64_t source_vocabulary, std::int64_t target_vocabulary) {
  check_side(source, source_vocabulary);
  check_side(target, target_vocabulary);
  if (source.size() != target.size()) throw std::invalid_argument("write_dataset: sides of unequal size");

  Header header;
  header.pairs = source.size();
  header.source_tokens = static_cast<std::int64_t>(source.ids.size());
  header.target_tokens = static_cast<std::int64_t>(target.ids.size());
  header.source_vocabulary = source_vocabulary;
  header.target_vocabulary = target_vocabulary;

  // An odd number of ids ends in half a word: it is written with the zero that fills it.
  const auto last_word = [](const Sentences& side) {
    std::vector<std::int32_t> word;
    if (side.ids.size() % 2 == 1) word = {side.ids.back(), 0};
    return word;
  };
  const auto whole_words = [](const Sentences& side) {
    return std::span(side.ids).first(side.ids.size() / 2 * 2);
  };
  const auto source_end = last_word(source);
  const auto target_end = last_word(target);
  const std::array parts = {
      std::as_bytes(std::span(source.offsets)), std::as_bytes(std::span(target.offsets)),
      std::as_bytes(whole_words(source)),       std::as_bytes(std::span(source_end)),
      std::as_bytes(whole_words(target)),       std::as_bytes(std::span(target_end)),
  };
  header.checksum = header_checksum(header);
  for (const auto part : parts) header.checksum = checksum(part, header.checksum);

  AtomicFile output(file);
  output.write(&header, sizeof header);
  for (const auto part : parts) {
    if (!part.empty()) output.write(part.data(), part.size());
  }
  output.commit();
}

}  // namespace transformer::data
