#include "transformer/formats/token_numbering.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "transformer/base/blank_mark.h"
#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/text_file.h"
#include "transformer/data/scored_pieces.h"
#include "transformer/formats/json_file.h"
#include "transformer/formats/numbering.h"

namespace transformer::formats {
namespace {

/// Bytes of the first character of valid UTF-8.
std::size_t first_character(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) ++size;
  return size;
}

/// Those behind the special ones.
std::vector<std::string> ordinary(const TokenNumbering& numbering) {
  return {numbering.tokens.begin() + kEos + 1, numbering.tokens.end()};
}

std::shared_ptr<const data::Tokenizer> beginning_with(const data::Tokenizer& tokenizer,
                                                      const std::string& first) {
  return std::make_shared<const data::Tokenizer>(first.empty() ? tokenizer : tokenizer.with_begin(first));
}

}  // namespace

torch::Tensor TokenNumbering::renumbered(const torch::Tensor& rows) const {
  const auto places = torch::tensor(theirs);
  const auto absent = places.eq(kNone);
  auto ours = rows.index_select(0, places.masked_fill(absent, 0));
  for (std::int64_t id = 0; id <= kEos; ++id)
    if (theirs[static_cast<std::size_t>(id)] == kNone) ours[id].zero_();
  return ours;
}

torch::Tensor TokenNumbering::output_bias(const torch::Tensor& theirs_bias) const {
  if (!theirs_bias.defined() && !has_new_tokens()) return {};
  auto ours = theirs_bias.defined() ? renumbered(theirs_bias) : torch::zeros({size()});
  for (std::size_t id = 0; id <= kEos; ++id)
    if (is_new(id)) ours[static_cast<std::int64_t>(id)] = kNeverProduced;
  return ours;
}

bool TokenNumbering::is_new(std::size_t id) const {
  if (theirs[id] == kNone) return true;
  const auto end = theirs[kEos] == theirs[id] && id != kEos;
  const auto before = theirs.begin() + static_cast<std::ptrdiff_t>(id);
  return end || (id != kEos && std::find(theirs.begin(), before, theirs[id]) != before);
}

bool TokenNumbering::has_new_tokens() const {
  for (std::size_t id = 0; id <= kEos; ++id)
    if (is_new(id)) return true;
  return false;
}

TokenNumbering number_tokens(const std::vector<std::string>& tokens, const TheirSpecialTokens& special) {
  constexpr std::array kNames{"<unk>", "<pad>", "<s>", "</s>"};
  const std::array own{special.unknown, special.pad, special.begin, special.end};
  TokenNumbering result;
  const auto is_special = [&](std::size_t id) {
    return std::ranges::find(own, std::optional(static_cast<std::int64_t>(id))) != own.end();
  };
  std::unordered_set<std::string> taken;
  for (std::size_t id = 0; id < tokens.size(); ++id)
    if (!is_special(id)) taken.insert(tokens[id]);
  for (std::size_t id = 0; id < own.size(); ++id) {
    result.theirs.push_back(own.at(id).value_or(TokenNumbering::kNone));
    std::string name = kNames.at(id);
    while (!taken.insert(name).second) name = fmt::format("<{}>", name);
    result.tokens.push_back(name);
  }
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (is_special(id)) continue;
    result.theirs.push_back(static_cast<std::int64_t>(id));
    result.tokens.push_back(tokens[id]);
  }
  return result;
}

void check_tokens(const std::vector<std::string>& tokens, const std::string& source, const char* line) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].empty())
      throw InputError(fmt::format("{}: {} {}: expected a token, found nothing", source, line, i + 1));
    if (!is_valid_utf8(tokens[i]))
      throw InputError(fmt::format("{}: {} {}: expected UTF-8, found other bytes", source, line, i + 1));
    const auto [place, is_new] = places.emplace(tokens[i], i);
    if (!is_new)
      throw InputError(fmt::format("{}: expected different tokens, found '{}' as {} {} and {}", source,
                                   printable(tokens[i]), line, place->second + 1, i + 1));
  }
}

std::vector<std::string> read_tokens(const std::filesystem::path& file) {
  std::vector<std::string> tokens;
  const bool json = file.extension() == ".json";
  if (json) {
    const auto list = read_json(file);
    const bool texts =
        list.is_array() && std::ranges::all_of(list, [](const auto& token) { return token.is_string(); });
    if (!texts)
      throw InputError(fmt::format("{}: expected a list of tokens, found something else", file.string()));
    tokens = list.get<std::vector<std::string>>();
  } else {
    tokens = read_lines(file);
  }
  check_tokens(tokens, file.string(), json ? "token" : "line");
  return tokens;
}

std::shared_ptr<const data::Tokenizer> tokenizer_of_tokens(const TokenNumbering& numbering, TokenSplit split,
                                                           const std::string& first,
                                                           const std::filesystem::path& source) {
  const auto tokens = ordinary(numbering);
  for (const auto& token : tokens) {
    const bool one = token.size() == first_character(token);
    if (token.find(kBlankMark) == std::string::npos &&
        (split == TokenSplit::words ? token.find(' ') == std::string::npos : one || token == first))
      continue;
    throw InputError(fmt::format("{}: expected {}, found the token '{}'", source.string(),
                                 split == TokenSplit::words
                                     ? "words without blanks, or the SentencePiece model that made them"
                                     : "single characters",
                                 printable(token)));
  }
  const auto content = split == TokenSplit::words ? data::word_model(tokens) : data::character_model(tokens);
  return beginning_with(
      data::Tokenizer::of_content(content, source),
      first.empty() || split == TokenSplit::characters ? first : std::string(kBlankMark) + first);
}

std::shared_ptr<const data::Tokenizer> tokenizer_of_pieces(const TokenNumbering& numbering,
                                                           const std::filesystem::path& model,
                                                           const std::string& first,
                                                           const std::filesystem::path& source) {
  return beginning_with(data::Tokenizer(model, data::Vocabulary(numbering.tokens, source.string())), first);
}

}  // namespace transformer::formats
