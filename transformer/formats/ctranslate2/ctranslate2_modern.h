// Variables of other people's models, of any version of CTranslate2, as this project's exports have them:
// TransformerSpec in its newest revision, fp32, with every attribute.
#pragma once

#include <optional>
#include <string>

#include "transformer/formats/ctranslate2/ctranslate2_file.h"

namespace transformer::formats {

/// What versions of the format below 6 say in model.bin about texts, and later ones in config.json.
struct CTranslate2Texts {
  std::string unknown = "<unk>", begin = "<s>", end = "</s>";
  std::optional<std::string> start = begin;  ///< begins outputs; nothing: the user gives it
  bool source_begin = false, source_end = false;
};

struct CTranslate2Modern {
  CTranslate2File file;
  CTranslate2Texts texts;
  bool starts_from_zeros = false;  ///< outputs begin with an embedding of zeros, as Marian's
  bool is_quantised = false;       ///< weights had 8 or 16 bits; `file` has the numbers that they mean
};

/// The oldest version of the format and revision of the specification.
inline constexpr std::uint32_t kOldestCTranslate2 = 2;

/// A model without stored positions computes sinusoids; they become a table of `positions` rows. `source`
/// names the origin in messages. Throws InputError for another specification than that of translation models,
/// for an unknown revision, and for an option that no model of ours has.
CTranslate2Modern modern_ctranslate2(CTranslate2File file, std::int64_t positions, const std::string& source);

}  // namespace transformer::formats
