// Which of Hugging Face's encoder-decoders has a model's layers.
#pragma once

#include "transformer/formats/huggingface/seq2seq_config.h"

namespace transformer::formats::seq2seq {

/// T5, BART or M2M-100: the family that the options fit. Throws InputError in one line if they fit none. It
/// names the first key in which the nearest family differs, and what each of the others would need.
Family family_for(const models::ModelOptions& model);

}  // namespace transformer::formats::seq2seq
