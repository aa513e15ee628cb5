// One split of a corpus as token ids, in one file that is mapped into memory.
//
// The file, little-endian: a header of 64 bytes (magic, version, counts, checksum), then for each side the
// `pairs + 1` offsets at which its sentences begin (64 bits), then each side's ids (32 bits), filled up with
// zeros to a multiple of 8 bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

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
  ~Dataset();
  Dataset(Dataset&&) noexcept;
  Dataset& operator=(Dataset&&) noexcept;

  std::int64_t size() const { return size_; }  ///< sentence pairs
  /// Throw std::out_of_range unless 0 <= i < size(). Valid as long as the data set lives (moves keep them).
  std::span<const std::int32_t> source(std::int64_t i) const {
    return sentence(source_offsets_, source_ids_, i);
  }
  std::span<const std::int32_t> target(std::int64_t i) const {
    return sentence(target_offsets_, target_ids_, i);
  }

  std::int64_t source_vocabulary() const { return source_vocabulary_; }
  std::int64_t target_vocabulary() const { return target_vocabulary_; }
  std::int64_t source_tokens() const {
    return source_offsets_[size_];
  }  ///< of all sentences, ends not counted
  std::int64_t target_tokens() const { return target_offsets_[size_]; }

 private:
  std::span<const std::int32_t> sentence(const std::int64_t* offsets, const std::int32_t* ids,
                                         std::int64_t i) const;
  void check(const std::filesystem::path& file);
  void unmap();

  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::int64_t size_ = 0;
  std::int64_t source_vocabulary_ = 0;
  std::int64_t target_vocabulary_ = 0;
  const std::int64_t* source_offsets_ = nullptr;
  const std::int64_t* target_offsets_ = nullptr;
  const std::int32_t* source_ids_ = nullptr;
  const std::int32_t* target_ids_ = nullptr;
};

/// Writes a data set file, whole or not at all. Both sides hold equally many sentences and every id is within
/// its vocabulary, else std::invalid_argument. Throws RunError when the file cannot be written.
void write_dataset(const std::filesystem::path& file, const Sentences& source, const Sentences& target,
                   std::int64_t source_vocabulary, std::int64_t target_vocabulary);

}  // namespace transformer::data
