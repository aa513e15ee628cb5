// Attention of a model's heads in sentences and their translations, or in texts (Figures 3 to 5 of the
// paper).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "transformer/checkpoints/tokenizers.h"
#include "transformer/maps/attention_map.h"
#include "transformer/models/model.h"
#include "transformer/translation/forced_batches.h"

namespace transformer::translation {

/// The origin of ids. It decides where words begin at unknown pieces.
enum class TextOrigin {
  given,    ///< a text was encoded: blanks are those of the text
  decoded,  ///< a search found them: in their text an unknown piece stands between blanks
};

/// Each id as a piece, without begin and end. A piece with SentencePiece's mark for a blank begins a word. An
/// unknown piece of a given text begins a word only if the vocabulary lacks the mark as a piece of its own.
std::vector<maps::Piece> pieces_of(std::span<const std::int32_t> ids, const data::Tokenizer& tokenizer,
                                   TextOrigin origin);

/// The source as translate() reads it: cut after `longest` tokens (longest_source()).
std::vector<std::int32_t> encode_as_translated(const std::string& line, const data::Tokenizer& tokenizer,
                                               std::int64_t longest);

/// How many matrices of weights a model has for a pair: layers of each kind of attention, heads of each.
struct AttentionSizes {
  std::int64_t encoder_layers = 0, masked_layers = 0, source_layers = 0;
  std::int64_t heads = 0;
};

/// Those that a model leaves in an nn::AttentionRecord. Throws InputError where there is none over the
/// source, or of a language model over its text, and where a variant attends whose results are no sums of the
/// values by weights.
AttentionSizes attention_sizes(const models::AnyModel& model);

/// How many numbers the maps of these pairs hold together.
std::int64_t count_attention_weights(const AttentionSizes& sizes, std::span<const ForcedPair> pairs);

/// The weights of the encoder's self-attention, the decoder's masked one and attention over the source, of
/// each layer and head, while the model reads whole targets at once; in the order of the pairs. A recurrent
/// model has the last alone, of one layer and head, a language model the masked one alone. The modules
/// compute by attention's definition, in evaluation mode, in the precision of their weights or of a
/// surrounding runtime::PrecisionScope; the softmax is in fp32. Neighbours do not matter, beyond rounding. A
/// map holds layers · heads · (S² + T² + T · S) numbers, and all are in memory at once: some pairs at a time.
/// Throws InputError for a pair that is longer than learned positions allow, and as attention_sizes() does.
std::vector<maps::AttentionMap> attention_maps(models::AnyModel model,
                                               const checkpoints::Tokenizers& tokenizers,
                                               std::span<const ForcedPair> pairs, TextOrigin target);

}  // namespace transformer::translation
