// SentencePiece models whose pieces are counted in a text and not trained: words, characters, bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transformer/data/tokenizer_training.h"

namespace transformer::data {

/// Calls count(line) for each line that can shape a vocabulary. Returns the number of those that are too long
/// (kLongestTrainingLine).
std::int64_t for_each_line(const LineSource& next, const std::function<void(const std::string& line)>& count);

using Count = std::pair<std::string, std::int64_t>;

struct CountedPieces {
  std::vector<Count> kept = {};  ///< the most frequent first; of equally frequent ones the first by bytes
  std::int64_t total = 1;        ///< of all that were counted
};

/// Those that occur options.min_frequency times or more, as many as options.vocabulary leaves room for behind
/// the special ones. too_long: lines that were not counted; what: "word". Throws InputError, naming the key,
/// where there is none, or none that is frequent enough.
CountedPieces most_frequent(std::unordered_map<std::string, std::int64_t> counts, const DataOptions& options,
                            std::int64_t too_long, std::string_view what);

/// A model that SentencePiece's trainer makes of one letter, with these arguments besides the normalisation
/// and the special ids: what all models of counted pieces have in common.
std::string model_of_one_piece(const DataOptions& options, const std::filesystem::path& place,
                               std::unordered_map<std::string, std::string> arguments);

/// `model` with these pieces in the place of its own. Its special pieces and its bytes stay. As in
/// SentencePiece, a piece's score is the logarithm of its share of the text. Only which pieces there are
/// decides what a text becomes.
std::string with_pieces(std::string_view model, const CountedPieces& pieces);

}  // namespace transformer::data
