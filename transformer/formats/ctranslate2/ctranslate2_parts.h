// Which of CTranslate2's variables hold which of our parameters: of a translation model, or of a language
// model.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "transformer/models/options.h"

namespace transformer::formats {

/// A specification of CTranslate2's.
struct CTranslate2Specification {
  const char* name;
  std::uint32_t revision;
  std::vector<std::string> sides;  ///< its stacks; what both have alike is read from the first
};

/// TransformerSpec, and TransformerDecoderSpec for language models.
const std::vector<CTranslate2Specification>& ctranslate2_specifications();
const CTranslate2Specification& ctranslate2_specification(const models::ModelOptions& options);

/// One of CTranslate2's variables: our parameters of these names, one below another.
struct CTranslate2Part {
  std::string theirs;
  std::vector<std::string> ours;
};

/// Our name of a table of sinusoids, which serves both sides and is no parameter.
inline constexpr const char* kSinusoidTable = "sinusoids";

/// All variables that hold weights.
std::vector<CTranslate2Part> ctranslate2_parts(const models::ModelOptions& options);

/// The variables that are no weights. options.d_k is the size of all heads.
std::map<std::string, torch::Tensor> ctranslate2_attributes(const models::ModelOptions& options);

/// CTranslate2's number of an activation whose row says in_exports.
std::int64_t ctranslate2_number(nn::Activation activation);

/// Throws InputError, naming the key, for layers that CTranslate2 does not know.
void check_ctranslate2_layers(const models::ModelOptions& options);

}  // namespace transformer::formats
