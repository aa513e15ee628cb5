// The tokenizers of both languages, which may be one.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "transformer/data/tokenizer.h"
#include "transformer/models/options.h"

namespace transformer::data {
struct Prepared;
}

namespace transformer::checkpoints {

struct Tokenizers {
  std::shared_ptr<const data::Tokenizer> source;
  std::shared_ptr<const data::Tokenizer> target;  ///< the same object as `source` for a shared vocabulary

  models::VocabularySizes sizes() const { return {source->size(), target->size()}; }
};

/// The models of a folder: `tokenizer.model`, or `tokenizer.source.model` and `tokenizer.target.model`. Their
/// vocabularies may lie beside them (data::vocabulary_file). Throws InputError when there are none.
std::vector<std::filesystem::path> tokenizer_files(const std::filesystem::path& folder);

/// From a folder with `tokenizer.model`, or with `tokenizer.source.model` and `tokenizer.target.model`.
/// Throws InputError when there are none or they are damaged.
Tokenizers load_tokenizers(const std::filesystem::path& folder);

/// Those of a prepared folder, which are loaded already.
Tokenizers tokenizers_of(const data::Prepared& prepared);

/// The same, whose texts begin with the token of a language: `en` is the piece ">>en<<" or "__en__",
/// eng_Latn also "eng_Latn". An empty name leaves a side as it is. Throws InputError, naming the option
/// --source-language or
/// --target-language, for a language without a token.
Tokenizers with_languages(const Tokenizers& tokenizers, const std::string& source, const std::string& target);

/// Copies the tokenizers' files into a folder, under the names that load_tokenizers expects, each whole or
/// not at all.
void copy_tokenizers(const Tokenizers& tokenizers, const std::filesystem::path& folder);

}  // namespace transformer::checkpoints
