#include "transformer/checkpoints/tokenizers.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/prepared.h"

namespace transformer::checkpoints {
namespace fs = std::filesystem;
namespace {

std::shared_ptr<const data::Tokenizer> with_language(const std::shared_ptr<const data::Tokenizer>& tokenizer,
                                                     const std::string& language, const char* option) {
  if (language.empty()) return tokenizer;
  // A name without an underscore may be a piece of texts, too.
  const auto alone = language.find('_') == std::string::npos ? std::string() : language;
  for (const auto& piece : {">>" + language + "<<", "__" + language + "__", alone})
    if (tokenizer->id_of(piece) != kUnknown)
      return std::make_shared<const data::Tokenizer>(tokenizer->with_begin(piece));
  throw InputError(
      fmt::format("{} {}: expected a language whose token {} has, found no '{}', '>>{}<<' or '__{}__'",
                  option, language, tokenizer->path().string(), language, language, language));
}

}  // namespace

std::vector<fs::path> tokenizer_files(const fs::path& folder) {
  const data::PreparedPaths paths{folder};
  if (fs::exists(paths.source_tokenizer(true))) return {paths.source_tokenizer(true)};
  if (!fs::exists(paths.source_tokenizer(false)))
    throw InputError(fmt::format(
        "{}: expected tokenizer.model, or tokenizer.source.model and tokenizer.target.model, found neither",
        folder.string()));
  return {paths.source_tokenizer(false), paths.target_tokenizer(false)};
}

Tokenizers load_tokenizers(const fs::path& folder) {
  const auto files = tokenizer_files(folder);
  const auto source = std::make_shared<const data::Tokenizer>(files.front());
  if (files.size() == 1) return {source, source};
  return {source, std::make_shared<const data::Tokenizer>(files.back())};
}

Tokenizers tokenizers_of(const data::Prepared& prepared) {
  const auto source = std::make_shared<const data::Tokenizer>(prepared.source_tokenizer);
  if (prepared.shared_vocabulary) return {source, source};
  return {source, std::make_shared<const data::Tokenizer>(prepared.target_tokenizer)};
}

Tokenizers with_languages(const Tokenizers& tokenizers, const std::string& source,
                          const std::string& target) {
  if (source.empty() && target.empty()) return tokenizers;
  return {with_language(tokenizers.source, source, "--source-language"),
          with_language(tokenizers.target, target, "--target-language")};
}

void copy_tokenizers(const Tokenizers& tokenizers, const fs::path& folder) {
  const data::PreparedPaths paths{folder};
  const bool shared = tokenizers.source == tokenizers.target;
  tokenizers.source->copy_to(paths.source_tokenizer(shared));
  if (!shared) tokenizers.target->copy_to(paths.target_tokenizer(shared));
}

}  // namespace transformer::checkpoints
