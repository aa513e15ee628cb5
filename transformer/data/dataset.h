// One split of a corpus as token ids, in one file that is mapped into memory: sentence pairs, or one side
// alone, which is the target (a language model's text).
//
// The file is little-endian and has these parts:
// * A header of 64 bytes: magic, version, counts, checksum.
// * The places, in 64 bits each, where the source sentences begin and the last one ends: `sentences + 1`
//   numbers. The same for the target.
// * The source ids, then the target ids, in 32 bits each. Either is filled up with zeros to a multiple of 8
//   bytes.
//
// Without a source side its parts are missing, its counts and vocabulary are 0, and the version is 2 instead
// of 1.
//
// The file holds no text. If a split's text is kept, it lies beside the file, one sentence per line in the
// same order (prepared.h).
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

  std::int64_t size() const { return target_.sentences; }  ///< sentence pairs, or sentences of one side
  bool has_source() const { return source_.vocabulary > 0; }

  /// The ids of sentence i, valid as long as the data set (or what it was moved into) lives.
  /// Throw std::out_of_range unless 0 <= i < size(), and for the source of a data set that has none; RunError
  /// when another program changed the file.
  std::span<const std::int32_t> source(std::int64_t i) const { return sentence(source_, i); }
  std::span<const std::int32_t> target(std::int64_t i) const { return sentence(target_, i); }

  /// The source's is 0 where there is none.
  std::int64_t source_vocabulary() const { return source_.vocabulary; }
  std::int64_t target_vocabulary() const { return target_.vocabulary; }

  /// Of all sentences, end tokens not counted.
  std::int64_t source_tokens() const { return source_.tokens; }
  std::int64_t target_tokens() const { return target_.tokens; }

  /// Target tokens of all sentences before i. 0 <= i <= size().
  std::int64_t target_tokens_before(std::int64_t i) const { return target_.offsets[i]; }

  std::uint64_t checksum() const { return checksum_; }  ///< of the whole content

 private:
  struct Side {
    std::int64_t sentences = 0;
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
