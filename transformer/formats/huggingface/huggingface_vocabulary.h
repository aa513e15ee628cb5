// The vocabulary of a folder of Hugging Face's in the numbering of special_tokens.h.
#pragma once

#include <memory>
#include <vector>

#include "transformer/data/tokenizer.h"
#include "transformer/formats/huggingface/huggingface_config.h"

namespace transformer::formats::huggingface {

struct Numbering {
  static constexpr std::int64_t kNew = -1;  ///< no id of theirs
  std::vector<std::int64_t> theirs;         ///< of each id of ours
  std::shared_ptr<const data::Tokenizer> tokenizer;

  /// Rows by their ids (V, …) → by ours, zeros for new ones.
  torch::Tensor renumbered(const torch::Tensor& rows) const;
};

/// unknown, padding, begin and end come first, then all others in their order. tokenizer.model gives the
/// pieces, or vocab.json and merges.txt. Without these the pieces are the ids themselves, as words: "464
/// 3290". Throws InputError for a
/// damaged file, or one with more pieces than the model has.
Numbering read_numbering(const std::filesystem::path& folder, const Config& config);

/// Writes a tokenizer's files and what transformers must know of them, tokenizer_config.json. Texts begin
/// with `begin`. Throws InputError for a tokenizer of whole words.
void write_vocabulary(const data::Tokenizer& tokenizer, std::int32_t begin,
                      const std::filesystem::path& folder);

}  // namespace transformer::formats::huggingface
