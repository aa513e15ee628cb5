// From raw text to a prepared folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/base/line_numbers.h"
#include "transformer/data/corpus.h"
#include "transformer/data/options.h"
#include "transformer/data/training_text.h"

namespace transformer::data {

/// What one split became.
struct SplitReport {
  FilterCounts examples;                ///< dev and test are kept whole
  std::vector<std::int64_t> kept = {};  ///< of each text
  std::int64_t source_tokens = 0;
  std::int64_t target_tokens = 0;
  std::int64_t source_unknown = 0;  ///< tokens that are kUnknown
  std::int64_t target_unknown = 0;
  /// Examples of dev or test with a text of more than longest_kept() tokens; with data.longer: cut, of
  /// training with one of more than max_tokens.
  std::int64_t shortened = 0;
  LineNumbers shortened_lines = {};    ///< those examples; unknown of a folder that was there already
  std::int64_t windows_line_ends = 0;  ///< lines of both sides that ended in CR LF
  std::int64_t without_links = 0;      ///< training pairs whose links were left out (links_copy.h)
};

struct PrepareReport {
  bool up_to_date = false;  ///< the folder was there already, made from the same inputs
  std::map<std::string, SplitReport> splits;
  std::int64_t source_vocabulary = 0;
  std::int64_t target_vocabulary = 0;
  std::int64_t untrained_lines = 0;  ///< too long to shape the vocabulary
};

struct PrepareSettings {
  bool overwrite = false;  ///< replace a prepared folder that was made from other inputs
  std::vector<std::filesystem::path> inputs = {};    ///< other files that are read, such as the configuration
  int threads = 0;                                   ///< 0: one per core
  bool quiet = false;                                ///< no progress bars
  std::function<void(std::string_view)> stage = {};  ///< gets a line for a person at the start of each stage
  std::int64_t training_bytes = kMostTrainingBytes;  ///< of the sample for training subwords
};

/// The number of tokens that a sentence of dev or test keeps. It is as many as are translated of a line, or
/// options.max_tokens if that is more. No model is judged by the rest, and a line of a million characters
/// would need more memory than there is. Documents that become blocks are kept whole.
std::int64_t longest_kept(const DataOptions& options);

/// Trains or copies the tokenizers, encodes the splits and puts everything into the folder options.prepared,
/// which appears whole or not at all. The same texts and options give the same bytes.
/// Throws InputError for impossible options and bad texts, when an input lies in the folder, and when the
/// folder exists with other contents and `overwrite` is off. A folder that is not a prepared one, or holds
/// anything that prepare() did not write as it is, is never replaced (check_wholly_ours).
PrepareReport prepare(const DataOptions& options, const PrepareSettings& settings = {});

}  // namespace transformer::data
