#include "transformer/formats/plain_tokenizers.h"

#include <fmt/format.h>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/prepared.h"
#include "transformer/data/renumbered_model.h"

namespace transformer::formats {
namespace {

using data::ModelUse;
using data::Tokenizer;

/// That normalization leaves a code as it is.
void check_language_codes(const Tokenizer& tokenizer, const Tokenizer& plain) {
  for (std::int32_t id = kEos + 1; id < tokenizer.size(); ++id) {
    const auto code = tokenizer.piece_of(id);
    if (!data::is_language_code(code)) continue;
    const auto text = code + " a";
    if (plain.encode(text) != tokenizer.encode(text))
      throw InputError(fmt::format("{}: no SentencePiece model alone can read the language code '{}'",
                                   tokenizer.path().string(), code));
  }
}

}  // namespace

void check_subwords(const Tokenizer& tokenizer) {
  if (tokenizer.other_kind() != nullptr)
    throw InputError(fmt::format("{}: expected a SentencePiece model, found {}", tokenizer.path().string(),
                                 tokenizer.other_kind()));
  if (tokenizer.begin() != kUnknown)
    throw InputError(
        fmt::format("{}: expected texts of their own tokens alone, found '{}' in front of each, which other "
                    "programs would not add",
                    tokenizer.path().string(), tokenizer.piece_of(tokenizer.begin())));
  if (tokenizer.has_words())
    throw InputError(fmt::format(
        "{}: expected subwords (data.tokenizer_kind: bpe), found words: SentencePiece alone makes "
        "one token of several unknown words in a row, where the model has learnt one for each",
        tokenizer.path().string()));
}

namespace {

std::string plain_content(const Tokenizer& tokenizer, ModelUse use) {
  check_subwords(tokenizer);
  if (!tokenizer.has_vocabulary()) return tokenizer.serialized();
  auto content =
      data::renumbered_model(tokenizer.serialized(), tokenizer.all_pieces(), use, tokenizer.path().string());
  if (use == data::ModelUse::encode)
    check_language_codes(tokenizer, Tokenizer::of_content(content, tokenizer.path()));
  return content;
}

}  // namespace

std::map<std::string, std::string> plain_tokenizer_files(const checkpoints::Tokenizers& tokenizers) {
  const auto source = plain_content(*tokenizers.source, ModelUse::encode);
  const auto target = plain_content(*tokenizers.target, ModelUse::decode);
  const data::PreparedPaths paths{std::filesystem::path()};
  if (source == target) return {{paths.source_tokenizer(true).string(), source}};
  return {{paths.source_tokenizer(false).string(), source}, {paths.target_tokenizer(false).string(), target}};
}

checkpoints::Tokenizers write_plain_tokenizers(const checkpoints::Tokenizers& tokenizers,
                                               const std::filesystem::path& folder) {
  for (const auto& [name, content] : plain_tokenizer_files(tokenizers))
    write_file_atomically(folder / name, content);
  return checkpoints::load_tokenizers(folder);
}

}  // namespace transformer::formats
