// Makes data set files, of any size in little memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "transformer/data/dataset.h"
#include "transformer/data/spool.h"

namespace transformer::data {

/// Takes one pair, or one sentence, after another and in the end writes them as a file, whole or not at all.
class DatasetWriter {
 public:
  /// Throws std::invalid_argument for a vocabulary that ids cannot have.
  DatasetWriter(const std::filesystem::path& file, std::int64_t source_vocabulary,
                std::int64_t target_vocabulary);
  /// Of one side alone, the target.
  DatasetWriter(const std::filesystem::path& file, std::int64_t vocabulary);

  /// Throw std::invalid_argument for ids outside the vocabularies and for as many sides as the data set does
  /// not have, and what throw_file_error says.
  void add(std::span<const std::int32_t> source, std::span<const std::int32_t> target);
  void add(std::span<const std::int32_t> sentence);

  void commit();

  std::int64_t size() const { return sentences_; }
  std::int64_t source_tokens() const { return source_ ? source_->tokens : 0; }
  std::int64_t target_tokens() const { return target_.tokens; }

 private:
  struct Side {
    std::int64_t vocabulary;
    Spool offsets;
    Spool ids;
    std::int64_t tokens = 0;

    Side(const std::filesystem::path& file, std::int64_t its_vocabulary);
    void check(std::span<const std::int32_t> sentence) const;
    void add(std::span<const std::int32_t> sentence);
    void add_offset();
  };

  std::filesystem::path file_;
  std::int64_t sentences_ = 0;
  std::optional<Side> source_;
  Side target_;
};

}  // namespace transformer::data
