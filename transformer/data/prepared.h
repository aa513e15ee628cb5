// The folder that transformer-prepare makes and the trainer reads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transformer/data/dataset.h"
#include "transformer/data/options.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {

/// Where things lie in a prepared folder. A shared vocabulary is `tokenizer.model`; separate ones are
/// `tokenizer.source.model` and `tokenizer.target.model`.
struct PreparedPaths {
  std::filesystem::path folder;

  std::filesystem::path train() const { return folder / "train.bin"; }
  std::filesystem::path dev() const { return folder / "dev.bin"; }
  std::filesystem::path test() const { return folder / "test.bin"; }  ///< absent where there is no test set
  /// A line for each training pair, with the links of its words (data.links).
  std::filesystem::path train_links() const { return folder / "train.links"; }
  std::filesystem::path summary() const { return folder / "summary.json"; }
  std::filesystem::path source_tokenizer(bool shared) const;
  std::filesystem::path target_tokenizer(bool shared) const;
  /// The raw text of "dev" or "test", in line with its data set: what BLEU is measured against.
  std::filesystem::path source_text(const std::string& split) const {
    return folder / (split + ".source.txt");
  }
  std::filesystem::path target_text(const std::string& split) const {
    return folder / (split + ".target.txt");
  }
};

/// A prepared folder whose tokenizers and texts are there and whole; nobody has looked at its data sets.
struct PreparedFolder {
  /// Throws InputError when the folder is absent ("run transformer-prepare first"), incomplete or damaged:
  /// all files but the data sets are compared with checksums.sha256.
  explicit PreparedFolder(const std::filesystem::path& folder);
  /// The same for options.prepared. Also throws InputError if the folder was made with other options, or from
  /// texts that have changed since, so that a changed configuration never trains on old data. The paths of
  /// the texts are not compared, and the texts may be gone.
  explicit PreparedFolder(const DataOptions& options);

  PreparedPaths paths;
  bool shared_vocabulary;  ///< both tokenizers are the same file
  bool has_pairs;          ///< else documents, whose text is not kept
  bool has_test;
  std::vector<std::int64_t> train_texts;  ///< how many examples were kept of each
};

/// Sizes of the source's and the target's vocabulary, from the first of these that exists:
/// * The folder options.prepared, if it was made with these options.
/// * The model options.tokenizer.
/// * options.vocabulary, which for whole words is an upper limit.
///
/// Throws InputError if a file is damaged.
std::pair<std::int64_t, std::int64_t> vocabulary_sizes(const DataOptions& options);

/// A prepared folder with everything opened.
struct Prepared {
  /// Throws InputError as PreparedFolder does, and for damaged data sets, which have checksums of their own.
  explicit Prepared(const std::filesystem::path& folder) : Prepared(PreparedFolder(folder)) {}
  explicit Prepared(const DataOptions& options) : Prepared(PreparedFolder(options)) {}
  explicit Prepared(PreparedFolder folder);

  PreparedPaths paths;
  std::vector<std::int64_t> train_texts;  ///< how many examples were kept of each
  bool shared_vocabulary;                 ///< both tokenizers are the same
  Tokenizer source_tokenizer;
  Tokenizer target_tokenizer;
  Dataset train;
  Dataset dev;
  std::optional<Dataset> test;
};

}  // namespace transformer::data
