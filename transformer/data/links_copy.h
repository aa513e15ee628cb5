// Links of words on their way into a prepared folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "transformer/base/atomic_file.h"
#include "transformer/data/encoding.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {

/// Writes a line with the links of each training pair that is kept. The line is empty where the pieces of a
/// side have other words than its text, because the pair was cut or normalisation changed its blanks.
class LinksCopy {
 public:
  /// Throws InputError, naming the file, for a tokenizer whose pieces do not say where words begin.
  LinksCopy(const std::filesystem::path& file, const Tokenizer& source, const Tokenizer& target);

  void add(const ExampleBlock& block);
  void commit() { file_.commit(); }

  std::int64_t left_out() const { return left_out_; }  ///< pairs that had links and lost them

 private:
  bool fits(const ExampleBlock& block, std::size_t side, std::int64_t kept) const;

  AtomicFile file_;
  std::vector<std::vector<bool>> begins_;  // by side and id
  std::int64_t left_out_ = 0;
};

}  // namespace transformer::data
