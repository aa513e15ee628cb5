#include "transformer/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "transformer/base/error.h"
#include "transformer/data/dataset_format.h"

namespace transformer::data {
namespace {

/// Bytes that the header promises, or nothing when a count is absurd for a file of `bytes`.
std::int64_t promised_bytes(const DatasetHeader& header, std::int64_t bytes) {
  for (const auto count : {header.sentences, header.source_tokens, header.target_tokens}) {
    if (count < 0 || count > bytes / 4) return -1;  // so that the sum below cannot overflow
  }
  const std::int64_t sides = header.version == kOneSide ? 1 : 2;
  return static_cast<std::int64_t>(sizeof(DatasetHeader)) + sides * (header.sentences + 1) * 8 +
         (padded_ids(header.source_tokens) + padded_ids(header.target_tokens)) * 4;
}

DatasetHeader read_header(std::span<const std::byte> bytes, const std::filesystem::path& file) {
  DatasetHeader header;
  if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
  if (bytes.size() < sizeof header || header.magic != kDatasetMagic) {
    throw InputError(
        fmt::format("{}: expected a prepared data set, found another kind of file", file.string()));
  }
  if (header.version != DatasetHeader{}.version && header.version != kOneSide) {
    throw InputError(
        fmt::format("{}: expected a data set of version {} or {}, found version {}: prepare it again",
                    file.string(), DatasetHeader{}.version, kOneSide, header.version));
  }
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (const auto promised = promised_bytes(header, size); promised != size) {
    throw InputError(
        fmt::format("{}: damaged: its header does not fit its {} bytes (cut off?)", file.string(), size));
  }
  if (dataset_checksum(bytes.subspan(sizeof header), header_checksum(header)) != header.checksum) {
    throw InputError(fmt::format("{}: damaged: its checksum differs", file.string()));
  }
  return header;
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
  const DatasetHeader header = read_header(bytes, file);
  const auto* offsets = reinterpret_cast<const std::int64_t*>(bytes.data() + sizeof header);
  checksum_ = header.checksum;
  const auto count = header.sentences + 1;
  if (header.version == kOneSide) {
    if (header.source_tokens != 0 || header.source_vocabulary != 0)
      throw InputError(fmt::format("{}: damaged: expected one side, found counts of two", file.string()));
    const auto* ids = reinterpret_cast<const std::int32_t*>(offsets + count);
    target_ = {header.sentences, header.target_tokens, header.target_vocabulary, offsets, ids};
  } else {
    const auto* ids = reinterpret_cast<const std::int32_t*>(offsets + 2 * count);
    source_ = {header.sentences, header.source_tokens, header.source_vocabulary, offsets, ids};
    target_ = {header.sentences, header.target_tokens, header.target_vocabulary, offsets + count,
               ids + padded_ids(header.source_tokens)};
    source_.check(file, "source");
  }
  target_.check(file, "target");
}

std::span<const std::int32_t> Dataset::sentence(const Side& side, std::int64_t i) const {
  if (i < 0 || i >= side.sentences) {
    throw std::out_of_range(fmt::format("sentence {} of a data set of {}", i, side.sentences));
  }
  const auto begin = side.offsets[i], end = side.offsets[i + 1];
  if (begin < 0 || end < begin || end > side.tokens)  // all was checked when it was opened
    throw RunError(fmt::format("{}: was changed while it was in use", file_.path().string()));
  return {side.ids + begin, static_cast<std::size_t>(end - begin)};
}

/// The checksum tells accidents; this keeps even a forged file from leading outside the mapping.
void Dataset::Side::check(const std::filesystem::path& file, const char* name) const {
  const std::span all(offsets, static_cast<std::size_t>(sentences) + 1);
  if (all.front() != 0 || all.back() != tokens || !std::ranges::is_sorted(all)) {
    throw InputError(fmt::format("{}: damaged: {} offsets are out of order", file.string(), name));
  }
  if (!ids_valid({ids, static_cast<std::size_t>(tokens)}, vocabulary)) {
    throw InputError(fmt::format("{}: damaged: expected {} ids within a vocabulary of {}, found others",
                                 file.string(), name, vocabulary));
  }
}

}  // namespace transformer::data
