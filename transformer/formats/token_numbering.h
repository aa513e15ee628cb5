// Another program's list of tokens in the numbering of special_tokens.h.
#pragma once

#include <torch/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transformer/data/tokenizer.h"

namespace transformer::formats {

/// Ids of another program's tokens that have a meaning for ours. Two may be one id, and any may be absent.
struct TheirSpecialTokens {
  std::optional<std::int64_t> unknown, pad, begin, end;
};

/// Unknown, padding, begin and end, then all other tokens in their order.
struct TokenNumbering {
  static constexpr std::int64_t kNone = -1;  ///< no id of theirs
  std::vector<std::int64_t> theirs;          ///< of each id of ours
  std::vector<std::string> tokens;           ///< of each id of ours

  std::int64_t size() const { return static_cast<std::int64_t>(theirs.size()); }

  /// Rows by their ids (V, …) → by ours, zeros where they have none.
  torch::Tensor renumbered(const torch::Tensor& rows) const;

  /// The bias of logits (V). Special tokens that they lack, or that double another's row, take no probability
  /// by it. theirs_bias: (V), by their ids, or undefined. The result is undefined where it would be all
  /// zeros.
  torch::Tensor output_bias(const torch::Tensor& theirs_bias) const;
  bool has_new_tokens() const;

 private:
  bool is_new(std::size_t special) const;
};

/// tokens: by their ids
TokenNumbering number_tokens(const std::vector<std::string>& tokens, const TheirSpecialTokens& special);

/// The tokens of a file, by their ids: one a line, or a JSON list of texts (X.json). Throws InputError for an
/// empty token and for one that occurs twice, naming the line.
std::vector<std::string> read_tokens(const std::filesystem::path& file);

/// Throws InputError, beginning with `source`, for an empty token and for one that occurs twice. line: the
/// word for a place, "line" or "token", counted from 1.
void check_tokens(const std::vector<std::string>& tokens, const std::string& source,
                  const char* line = "line");

/// How a text becomes tokens.
enum class TokenSplit {
  words,       ///< at blanks
  characters,  ///< each is a token
};

/// A tokenizer with these tokens. first: one of them with which each text begins, or empty. `source` names
/// the tokens' origin in messages. Throws InputError for a token that no text can spell: one with a blank,
/// or of characters a longer one.
std::shared_ptr<const data::Tokenizer> tokenizer_of_tokens(const TokenNumbering& numbering, TokenSplit split,
                                                           const std::string& first,
                                                           const std::filesystem::path& source);

/// The same where a SentencePiece model splits texts into these tokens.
std::shared_ptr<const data::Tokenizer> tokenizer_of_pieces(const TokenNumbering& numbering,
                                                           const std::filesystem::path& model,
                                                           const std::string& first,
                                                           const std::filesystem::path& source);

}  // namespace transformer::formats
