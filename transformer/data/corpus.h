// Text files of examples, pairs or documents, and the filters of the training data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transformer/base/word_links.h"
#include "transformer/data/options.h"
#include "transformer/data/text_reader.h"

namespace transformer::data {

/// Whether what a configuration names as a split's text is one file of pairs: in each line the two sides
/// (DataOptions::columns), and perhaps more columns, which are passed over. X.tsv is one by its name. A file
/// of another name is one if there is a tab in its first line, and no file of either side lies beside it. So
/// is X.jsonl, whose lines are objects of JSON with the keys that the columns name: text and label, unless
/// they have names.
bool is_table(const std::string& prefix, const DataOptions& options);

/// The file of one side: the first that exists of `prefix.language`, `prefix.language.gz` and
/// `prefix.language.zst`. A table and trees have both sides, and documents have one, so these are the first
/// of `prefix`, `prefix.gz` and `prefix.zst`.
std::filesystem::path side_path(const std::string& prefix, const std::string& language,
                                const DataOptions& options);

struct Split {
  std::string name;                ///< train, dev or test
  std::vector<std::string> texts;  ///< as the configuration names them: one, and of train perhaps several
};

/// In the order in which they are prepared.
std::vector<Split> splits_of(const DataOptions& options);

/// A file that a prepared folder is made of.
struct InputFile {
  std::string name;  ///< such as "train.source", or "tokenizer"
  std::string key;   ///< of the configuration: data.KEY
  std::filesystem::path path;
};

std::vector<InputFile> input_files(const DataOptions& options);

/// The texts of an example: the source's and the target's, or of documents the one.
std::vector<SideFile> side_files(const std::string& prefix, const DataOptions& options);

/// A split, example by example. Line i of a pair's target translates line i of its source. The lines of a
/// document have line ends between them, and none behind them; a blank line is none, but within a file.
class ExampleReader {
 public:
  /// The first `most` examples; 0: all. links: whether those of words are read, too (DataOptions::links).
  /// Throws InputError when a file cannot be read.
  ExampleReader(const std::string& prefix, const DataOptions& options, std::int64_t most = 0,
                bool links = false);

  /// The next one's texts; false at the end. Throws InputError for what is not text, when only one of an
  /// example's files is at its end, and for a link of a word that the texts do not have. Words stand between
  /// blanks.
  bool next(std::vector<std::string>& texts);

  /// Of the example whose texts came last.
  const Links& links() const { return links_; }
  bool has_links() const { return has_links_; }

  /// Of all files; of a table, of the one.
  std::size_t windows_line_ends() const;

  /// Lines of the first file up to the end of the last example.
  std::int64_t lines_read() const { return static_cast<std::int64_t>(readers_.front()->line_number()); }

 private:
  bool next_document(std::string& text);
  void read_links(const std::vector<std::string>& texts);

  std::vector<SideFile> sides_;
  std::vector<std::unique_ptr<TextReader>> readers_;  // and of links, behind those of the sides
  Links links_;
  bool has_links_;
  DocumentKind document_;
  std::int64_t left_;  // examples
};

/// Why an example of the training data is dropped; the first reason that holds.
enum class Verdict { keep, empty, too_long, ratio };

/// Judges an example by the lengths of its texts in tokens, end tokens not counted.
Verdict judge(std::span<const std::int64_t> tokens, const DataOptions& options);

/// The most tokens that a training example's text may have, end token not counted: data.max_tokens, or, of
/// documents that become blocks, any number.
std::int64_t longest_text(const DataOptions& options);

/// How many examples of a split were kept, and how many dropped for which reason.
struct FilterCounts {
  std::int64_t kept = 0;
  std::int64_t empty = 0;     ///< a text without tokens
  std::int64_t too_long = 0;  ///< a text of more than max_tokens
  std::int64_t ratio = 0;     ///< one side more than max_ratio times as long as the other

  void add(Verdict verdict);
  FilterCounts& operator+=(const FilterCounts& more);
  std::int64_t total() const { return kept + empty + too_long + ratio; }
  bool operator==(const FilterCounts&) const = default;
};

}  // namespace transformer::data
