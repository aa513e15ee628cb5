#include "transformer/formats/huggingface/seq2seq_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/renumbered_model.h"
#include "transformer/formats/huggingface/languages.h"
#include "transformer/formats/huggingface/tokenizer_json.h"
#include "transformer/formats/plain_tokenizers.h"

namespace transformer::formats::seq2seq {
namespace {

using checkpoints::Tokenizers;
using data::Tokenizer;
using Pieces = std::vector<std::string>;

[[noreturn]] void refuse(const Tokenizer& tokenizer, const std::string& expected, const std::string& found) {
  throw InputError(fmt::format("{}: expected {}, found {}", tokenizer.path().string(), expected, found));
}

/// Their numbering, in the making.
class Numbering {
 public:
  Numbering(const Tokenizers& tokenizers, std::optional<std::int32_t> begins_as)
      : source_(*tokenizers.source),
        target_(*tokenizers.target),
        ours_(source_.all_pieces()),
        begins_as_(begins_as) {}

  /// Ours, without a begin that doubles another.
  TheirTokens same() const {
    auto order = ordinary();
    order.insert(order.begin(), {kUnknown, kPad, kBos, kEos});
    if (begins_as_) order.erase(order.begin() + kBos);
    return numbered(order, TokenForm::marian);
  }

  /// Padding, end and unknown first. Nothing where sentinels are elsewhere than last of all named pieces.
  std::optional<TheirTokens> t5() const {
    auto order = ordinary();
    if (!begins_as_) order.insert(order.begin(), kBos);
    order.insert(order.begin(), {kPad, kEos, kUnknown});
    auto tokens = numbered(order, TokenForm::t5);
    const auto number = [&](std::int64_t id) { return sentinel_number(tokens.pieces[at(id)]); };
    auto &listed = tokens.listed, &sentinels = tokens.sentinels;
    while (listed > 0 && is_unused(tokens, listed - 1)) --listed;
    while (listed > 0 && number(listed - 1) == sentinels) --listed, ++sentinels;
    if (sentinels == 0) listed = std::ssize(order);
    for (std::int64_t id = 0; id < listed; ++id)
      if (number(id)) return std::nullopt;
    return tokens;
  }

  /// Their begin, padding, end and unknown first. A begin of ours that is not theirs is the next piece, or
  /// the last one.
  TheirTokens fairseq(TokenForm form) const {
    auto order = ordinary();
    const auto theirs = std::ranges::find_if(order, [&](auto id) { return ours_[at(id)] == "<s>"; });
    const bool two = theirs != order.end();
    const auto front = two ? *theirs : std::int64_t{kBos};
    if (two) order.erase(theirs);
    if (two && !begins_as_) order.insert(form == TokenForm::nllb ? order.end() : order.begin(), kBos);
    order.insert(order.begin(), {front, kPad, kEos, kUnknown});
    return numbered(order, form);
  }

 private:
  static std::size_t at(std::int64_t id) { return static_cast<std::size_t>(id); }

  std::vector<std::int64_t> ordinary() const {
    std::vector<std::int64_t> ids;
    for (std::int64_t id = kEos + 1; id < std::ssize(ours_); ++id) ids.push_back(id);
    return ids;
  }

  static std::optional<std::int64_t> sentinel_number(std::string_view piece) {
    constexpr std::string_view kFront = "<extra_id_";
    piece = data::without_blank(piece);
    if (!data::is_sentinel(piece) || piece.size() > kFront.size() + 6) return std::nullopt;
    return std::stoll(std::string(piece.substr(kFront.size())));
  }

  static bool is_unused(const TheirTokens& tokens, std::int64_t id) {
    return tokens.pieces[at(id)] == huggingface::unused_piece(id);
  }

  /// Special pieces get the names that their classes expect: no text spells them.
  TheirTokens numbered(const std::vector<std::int64_t>& order, TokenForm form) const {
    TheirTokens tokens{.form = form, .ours = order, .listed = std::ssize(order)};
    for (const auto id : order) tokens.pieces.push_back(ours_[at(id)]);
    const auto place = [&](std::int64_t ours) { return std::ranges::find(order, ours) - order.begin(); };
    const auto name = [&](std::int64_t id, const char* theirs) { tokens.pieces[at(id)] = theirs; };
    name(tokens.unknown = place(kUnknown), "<unk>");
    name(tokens.pad = place(kPad), "<pad>");
    name(tokens.end = place(kEos), "</s>");
    const auto begin = place(kBos);
    const bool kept = begin < std::ssize(order);
    tokens.start = kept ? begin : place(*begins_as_);
    const auto first = [&](const Tokenizer& tokenizer) {
      return tokenizer.begin() == kUnknown ? std::nullopt
                                           : std::optional<std::int64_t>(place(tokenizer.begin()));
    };
    tokens.source_first = first(source_);
    tokens.first = first(target_);
    check_different(tokens);
    return tokens;
  }

  void check_different(const TheirTokens& tokens) const {
    std::unordered_set<std::string_view> seen;
    for (const auto& piece : tokens.pieces)
      if (!seen.insert(piece).second)
        refuse(source_, "different pieces beside <unk>, <pad> and </s>", fmt::format("'{}' twice", piece));
  }

  const Tokenizer &source_, &target_;
  Pieces ours_;
  std::optional<std::int32_t> begins_as_;
};

/// The places of a list of languages in the pieces, or nothing.
std::optional<std::size_t> place_of(const std::vector<std::string>& languages, const Pieces& pieces) {
  const auto found = std::ranges::search(pieces, languages);
  return found.empty() ? std::nullopt
                       : std::optional(static_cast<std::size_t>(found.begin() - pieces.begin()));
}

std::optional<TheirTokens> as_m2m(const Numbering& numbering) {
  auto tokens = numbering.fairseq(TokenForm::m2m);
  for (const auto* codes : kLanguageCodes) {
    const auto languages = language_tokens(codes);
    const auto place = place_of(languages, tokens.pieces);
    if (!place) continue;
    tokens.listed = static_cast<std::int64_t>(*place);
    tokens.language_codes = codes;
    return tokens;
  }
  return std::nullopt;
}

std::optional<TheirTokens> as_nllb(const Numbering& numbering, const Tokenizer& tokenizer) {
  if (!data::is_byte_pairs(tokenizer.serialized())) return std::nullopt;
  const auto own = data::own_numbering(tokenizer.serialized(), tokenizer.path().string()).pieces;
  auto tokens = numbering.fairseq(TokenForm::nllb);
  // Its first three are special, as their four are.
  if (own.size() < 3 || tokens.pieces.size() < own.size() + 1 ||
      !std::equal(own.begin() + 3, own.end(), tokens.pieces.begin() + 4))
    return std::nullopt;
  tokens.listed = std::ssize(own) + 1;
  return tokens;
}

/// Whether the class puts the token in front of each source that ours begin with, by the name of a language.
bool begins_sources(TheirTokens& tokens) {
  const auto language = [&](const std::optional<std::int64_t>& first) {
    if (!first || *first < tokens.listed) return std::string();
    const auto& piece = tokens.pieces[static_cast<std::size_t>(*first)];
    return tokens.form == TokenForm::m2m ? language_of(piece) : piece;
  };
  tokens.source_language = language(tokens.source_first);
  tokens.target_language = language(tokens.first);
  return !tokens.source_first || !tokens.source_language.empty();
}

/// By the class of the family, or nothing.
std::optional<TheirTokens> in_own_form(const Numbering& numbering, const Tokenizer& tokenizer,
                                       Family family) {
  std::optional<TheirTokens> tokens;
  if (family == Family::t5 && tokenizer.begin() == kUnknown && data::is_plain_unigram(tokenizer.serialized()))
    return numbering.t5();
  if (family != Family::m2m_100) return std::nullopt;
  tokens = as_m2m(numbering);
  if (!tokens) tokens = as_nllb(numbering, tokenizer);
  return tokens && begins_sources(*tokens) ? tokens : std::nullopt;
}

TheirTokens as_bart(const Numbering& numbering, const Tokenizers& tokenizers) {
  auto tokens = numbering.fairseq(TokenForm::bart);
  for (const auto* tokenizer : {tokenizers.source.get(), tokenizers.target.get()})
    if (tokenizer->begin() == kUnknown)
      refuse(*tokenizer, "texts that begin with a token, as BartTokenizer's do", "none");
  return tokens;
}

}  // namespace

torch::Tensor TheirTokens::rows(const torch::Tensor& ours_rows) const {
  return ours_rows.index_select(0, torch::tensor(ours));
}

TheirTokens their_tokens(const Tokenizers& tokenizers, Family family, std::optional<std::int32_t> begins_as) {
  const auto& [source, target] = tokenizers;
  const auto* name = about(family).name;
  if (source->all_pieces() != target->all_pieces())
    throw InputError(fmt::format(
        "data.shared_vocabulary: expected one vocabulary for {}, found another of each side", name));
  const Numbering numbering(tokenizers, begins_as);
  if (source->pairs() != nullptr && target->pairs() != nullptr && family == Family::bart)
    return as_bart(numbering, tokenizers);
  for (const auto* tokenizer : {source.get(), target.get()}) {
    if (tokenizer->other_kind() != nullptr)
      refuse(*tokenizer, fmt::format("a SentencePiece model for {}", name), tokenizer->other_kind());
    if (tokenizer->has_words()) check_subwords(*tokenizer);
  }
  if (source->serialized() == target->serialized())
    if (auto tokens = in_own_form(numbering, *source, family)) return *tokens;
  if (source->begin() != kUnknown)
    refuse(*source,
           fmt::format("sources of their own tokens alone, or the languages and the order of pieces of {}",
                       name),
           fmt::format("'{}' in front of each", source->piece_of(source->begin())));
  return numbering.same();
}

}  // namespace transformer::formats::seq2seq
