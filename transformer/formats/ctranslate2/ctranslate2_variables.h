// A model's weights as CTranslate2 names, joins and shares them: its specification TransformerSpec.
#pragma once

#include "transformer/formats/ctranslate2/ctranslate2_file.h"
#include "transformer/formats/weights.h"

namespace transformer::formats {

/// The variables of a model.
///
/// CTranslate2 has one size for queries, keys and values of a head. It expects d_model / heads, so smaller
/// heads are padded with zeros to that (pad_heads). If d_k or d_v is larger, heads are padded to the larger
/// of the two, and the attribute head_dim says so. Sinusoids become a table of `positions` rows. A tied
/// matrix is stored once, under the first of its names, and has aliases.
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
