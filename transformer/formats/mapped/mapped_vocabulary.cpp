#include "transformer/formats/mapped/mapped_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/text_file.h"
#include "transformer/data/renumbered_model.h"
#include "transformer/formats/pytorch/pickle_data.h"

namespace transformer::formats {
namespace mapping {
namespace {

namespace fs = std::filesystem;

/// The list of texts under a key of a pickle's dictionary, or the pickle itself.
std::vector<std::string> tokens_of_pickle(const fs::path& file, const std::string& key) {
  using Kind = PickleValue::Kind;
  const auto content = read_file(file);
  const PickleData data(content, file.string(), {});
  const auto* list = key.empty() ? &data.root() : data.find(data.root(), key);
  const auto refuse = [&](const std::string& found) {
    throw InputError(fmt::format("{}: expected a list of tokens{}, found {}", file.string(),
                                 key.empty() ? "" : " under the key '" + printable(key) + "'", found));
  };
  if (list == nullptr) refuse("no such key");
  if (list->kind != Kind::list && list->kind != Kind::tuple) refuse(name_of(list->kind));
  std::vector<std::string> tokens;
  for (const auto item : list->items) {
    const auto& token = data.at(item);
    if (token.kind != Kind::text) refuse(fmt::format("{} in it", name_of(token.kind)));
    tokens.push_back(token.text);
  }
  check_tokens(tokens, file.string(), "token");
  return tokens;
}

std::vector<std::string> tokens_of(const MappedTokens& about, const fs::path& folder) {
  if (about.file.empty()) {
    const auto model = folder / about.model;
    return data::own_numbering(read_file(model), model.string()).pieces;
  }
  const auto file = folder / about.file;
  if (file.extension() == ".pkl" || file.extension() == ".pickle") return tokens_of_pickle(file, about.key);
  if (!about.key.empty())
    throw InputError(fmt::format("{}: key: expected a pickle (.pkl) as file, found '{}'", about.place,
                                 printable(about.file)));
  return read_tokens(file);
}

struct Side {
  TokenNumbering numbering;
  std::int64_t rows = 0;
  std::shared_ptr<const data::Tokenizer> tokenizer = {};
};

/// target: whether texts are produced; end: whether texts need an end.
Side read_side(const MappedTokens& about, TokenSplit split, const fs::path& folder, bool target, bool end) {
  const auto tokens = tokens_of(about, folder);
  const auto source = folder / (about.file.empty() ? about.model : about.file);
  const auto id_of = [&](const char* key, const std::string& token) -> std::optional<std::int64_t> {
    if (token.empty()) return std::nullopt;
    const auto found = std::ranges::find(tokens, token);
    if (found == tokens.end())
      throw InputError(fmt::format("{}: {}: expected a token of {}, found '{}'", about.place, key,
                                   source.string(), printable(token)));
    return found - tokens.begin();
  };
  if ((target && about.begin.empty()) || (end && about.end.empty()))
    throw InputError(fmt::format("{}: vocabulary: expected '{}', the token that {} a text, found none",
                                 about.place, target && about.begin.empty() ? "begin" : "end",
                                 target && about.begin.empty() ? "begins" : "ends"));
  id_of("first", about.first);
  Side side{.numbering = number_tokens(tokens, {id_of("unknown", about.unknown), id_of("pad", about.pad),
                                                id_of("begin", about.begin), id_of("end", about.end)}),
            .rows = std::ssize(tokens)};
  const auto& ordinary = side.numbering.tokens;
  if (!about.first.empty() && std::ranges::find(ordinary, about.first) == ordinary.end())
    throw InputError(
        fmt::format("{}: first: expected another token than the special ones, found '{}'; leave it out "
                    "among those",
                    about.place, printable(about.first)));
  side.tokenizer = about.model.empty()
                       ? tokenizer_of_tokens(side.numbering, split, about.first, source)
                       : tokenizer_of_pieces(side.numbering, folder / about.model, about.first, source);
  return side;
}

}  // namespace
}  // namespace mapping

MappedVocabularies read_mapped_vocabularies(const MappingFile& mapping, const std::filesystem::path& folder) {
  const bool has_source = models::stacks_of(mapping.model).encoder;
  auto target = mapping::read_side(mapping.target, mapping.split, folder, /*target=*/true, /*end=*/true);
  auto source = mapping.shared ? target
                               : mapping::read_side(mapping.source, mapping.split, folder, /*target=*/false,
                                                    has_source && mapping.model.source_end);
  return {.source = std::move(source.numbering),
          .target = std::move(target.numbering),
          .source_rows = source.rows,
          .target_rows = target.rows,
          .tokenizers = {source.tokenizer, target.tokenizer}};
}

}  // namespace transformer::formats
