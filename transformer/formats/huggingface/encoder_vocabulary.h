// The tokens of Hugging Face's encoders.
#pragma once

#include <filesystem>
#include <memory>

#include "transformer/data/tokenizer.h"
#include "transformer/formats/huggingface/encoder_config.h"
#include "transformer/formats/numbering.h"

namespace transformer::formats::encoders {

struct Vocabulary {
  PieceNumbering numbering;
  std::shared_ptr<const data::Tokenizer> tokenizer;
};

/// The first of these that the folder has:
/// * vocab.txt: BERT's WordPiece. tokenizer_config.json has its options.
/// * sentencepiece.bpe.model: XLM-R's. Four special tokens precede its pieces, the mask follows them.
/// * vocab.json and merges.txt: GPT-2's pairs of bytes, with RoBERTa's special tokens.
/// * tokenizer.json, which newer versions write alone: WordPiece or pairs of bytes, of ALBERT a unigram
/// model.
/// * spiece.model: ALBERT's (albert_tokenizer.h).
///
/// unknown, padding, begin ([CLS]) and end ([SEP]) come first, then all others in their order. The mask
/// becomes data::kMaskPiece. Throws InputError for a missing or damaged file, another tokenizer, and more
/// pieces than the model has.
Vocabulary read_vocabulary(const std::filesystem::path& folder, const Config& config);

}  // namespace transformer::formats::encoders
