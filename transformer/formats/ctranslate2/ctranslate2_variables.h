// A model's weights as CTranslate2 names, joins and shares them: its specification TransformerSpec.
#pragma once

#include "transformer/formats/ctranslate2/ctranslate2_file.h"
#include "transformer/formats/weights.h"

namespace transformer::formats {

/// The variables of a model.
///
/// CTranslate2 has one size for queries, keys and values of a head, so smaller ones are padded with zeros
/// (pad_heads): to d_model / heads, which it expects, or, where d_k or d_v is more than that, to the larger
/// of the two, which the attribute head_dim then tells. Sinusoids become a table of `positions` rows. A tied
/// matrix stands once, under the first of its names, and has aliases.
CTranslate2File ctranslate2_variables(Weights weights, models::ModelOptions options, std::int64_t positions);

struct CTranslate2Model {
  models::ModelOptions options;  ///< positions are learned ones, whatever they were
  models::VocabularySizes vocabulary;
  Weights weights;
};

/// What such variables hold. The layer norms' epsilon stands elsewhere. `source` names their origin in
/// messages. Throws InputError when a variable is missing, has another shape, or is none of a model's.
CTranslate2Model model_of_variables(const CTranslate2File& file, const std::string& source);

}  // namespace transformer::formats
