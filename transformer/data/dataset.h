// One split of a corpus as token ids, in one file that is mapped into memory.
//
// The file, little-endian: a header of 64 bytes (magic, version, counts, checksum); the `pairs + 1` offsets
// (64 bits) at which the source sentences begin, likewise for the target; the source ids (32 bits), then the
// target ids, each filled up with zeros to a multiple of 8 bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "transformer/data/mapped_file.h"

namespace transformer::data {

/// Many sentences' ids, one after another.
struct Sentences {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets = {0};  ///< sentence i is ids[offsets[i]] … ids[offsets[i + 1] - 1]

  std::int64_t size() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::span<const std::int32_t> operator[](std::int64_t i) const;
  void add(std::span<const std::int32_t> sentence);
};

/// Read-only view of a data set file. Ids are without begin and end.
class Dataset {
 public:
  /// Maps the file and checks all of it: sizes, checksum, offsets and ids. Throws InputError when it is
  /// missing, damaged or of another version.
  explicit Dataset(const std::filesystem::path& file);

  std::int64_t size() const { return source_.pairs; }  ///< sentence pairs

  /// The ids of sentence i, valid as long as the data set (or what it was moved into) lives.
  /// Throw std::out_of_range unless 0 <= i < size(), and RunError when another program changed the file.
  std::span<const std::int32_t> source(std::int64_t i) const { return sentence(source_, i); }
  std::span<const std::int32_t> target(std::int64_t i) const { return sentence(target_, i); }

  std::int64_t source_vocabulary() const { return source_.vocabulary; }
  std::int64_t target_vocabulary() const { return target_.vocabulary; }

  /// Of all sentences, end tokens not counted.
  std::int64_t source_tokens() const { return source_.tokens; }
  std::int64_t target_tokens() const { return target_.tokens; }

  std::uint64_t checksum() const { return checksum_; }  ///< of the whole content

 private:
  struct Side {
    std::int64_t pairs = 0;
    std::int64_t tokens = 0;
    std::int64_t vocabulary = 0;
    const std::int64_t* offsets = nullptr;
    const std::int32_t* ids = nullptr;

    void check(const std::filesystem::path& file, const char* name) const;
  };

  std::span<const std::int32_t> sentence(const Side& side, std::int64_t i) const;

  MappedFile file_;
  Side source_;
  Side target_;
  std::uint64_t checksum_ = 0;
};

}  // namespace transformer::data
