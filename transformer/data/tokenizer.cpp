#include "transformer/data/tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <stdexcept>

#include "transformer/base/atomic_file.h"
#include "transformer/base/blank_mark.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/text_file.h"
#include "transformer/data/model_message.h"
#include "transformer/data/options.h"
#include "transformer/data/processor.h"

namespace transformer::data {
namespace {

void check(const sentencepiece::util::Status& status, const char* action) {
  if (!status.ok())
    throw std::runtime_error(fmt::format("SentencePiece cannot {}: {}", action, status.ToString()));
}

/// Removes a language code, such as ">>fra<<", from the front of `text` and returns it, or nothing.
std::string_view take_language_code(std::string_view& text) {
  constexpr std::string_view kClosing = "<<";
  const auto closing = text.starts_with(">>") ? text.find(kClosing) : std::string_view::npos;
  if (closing == std::string_view::npos) return {};
  const auto code = text.substr(0, closing + kClosing.size());
  text.remove_prefix(code.size());
  return code;
}

/// Turns SentencePiece's marks in unknown pieces into blanks, and removes blanks at both ends.
std::string with_blanks(std::string_view text) {
  std::string plain;
  for (auto at = text.find(kBlankMark); at != std::string_view::npos; at = text.find(kBlankMark)) {
    plain.append(text.substr(0, at)).push_back(' ');
    text.remove_prefix(at + kBlankMark.size());
  }
  plain.append(text);
  const auto first = plain.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return plain.substr(first, plain.find_last_not_of(' ') + 1 - first);
}

}  // namespace

std::filesystem::path vocabulary_file(const std::filesystem::path& model) {
  return std::filesystem::path(model).replace_extension(".vocabulary.json");
}

Tokenizer::Tokenizer(std::string content, const std::filesystem::path& name)
    : path_(name),
      content_(std::make_shared<const std::string>(std::move(content))),
      pairs_(ByteLevelPairs::is_content(*content_)
                 ? std::make_shared<const ByteLevelPairs>(*content_, name.string())
                 : nullptr),
      word_pieces_(WordPieces::is_content(*content_)
                       ? std::make_shared<const WordPieces>(*content_, name.string())
                       : nullptr),
      processor_(other_kind() != nullptr ? nullptr : load_processor(*content_, name)),
      blank_(processor_ ? *content_ : std::string_view()),
      words_(processor_ && is_word_model(*processor_, *content_)) {}

Tokenizer::Tokenizer(const std::filesystem::path& model) : Tokenizer(read_file(model), model) {
  const auto vocabulary = vocabulary_file(model);
  if (processor_ && std::filesystem::exists(vocabulary)) {
    vocabulary_ = std::make_shared<const Vocabulary>(vocabulary);
  } else {
    expect_special_ids();
  }
}

Tokenizer::Tokenizer(const std::filesystem::path& model, Vocabulary vocabulary)
    : Tokenizer(read_file(model), model) {
  if (!processor_)
    throw InputError(
        fmt::format("{}: expected a SentencePiece model, found {}", model.string(), other_kind()));
  if (!has_special_ids(*processor_) || pieces_of(*processor_) != vocabulary.pieces())
    vocabulary_ = std::make_shared<const Vocabulary>(std::move(vocabulary));
}

Tokenizer Tokenizer::with_begin(std::string_view piece) const {
  const std::string begin(piece);
  if (pairs_) return {ByteLevelPairs::content_of(all_pieces(), pairs_->merges(), begin), path_};
  if (word_pieces_)
    throw InputError(fmt::format("{}: expected texts of their own tokens alone, found '{}' to begin each",
                                 path_.string(), begin));
  Tokenizer same(*this);
  same.vocabulary_ = std::make_shared<const Vocabulary>(all_pieces(), path_.string(), begin);
  return same;
}

std::int32_t Tokenizer::begin() const {
  const auto* own = own_vocabulary();
  return own != nullptr ? own->begin() : kUnknown;
}

Tokenizer Tokenizer::of_content(std::string content, const std::filesystem::path& name) {
  Tokenizer tokenizer(std::move(content), name);
  tokenizer.expect_special_ids();
  return tokenizer;
}

const char* Tokenizer::other_kind() const {
  if (pairs_) return "GPT-2's pairs of bytes";
  return word_pieces_ ? "BERT's WordPiece" : nullptr;
}

const Vocabulary* Tokenizer::own_vocabulary() const {
  if (pairs_) return &pairs_->vocabulary();
  return word_pieces_ ? &word_pieces_->vocabulary() : vocabulary_.get();
}

void Tokenizer::expect_special_ids() const {
  if (!processor_ || has_special_ids(*processor_)) return;
  throw InputError(
      fmt::format("{}: expected the special ids unk {}, pad {}, bos {}, eos {}, found {}, {}, {}, {}",
                  path_.string(), kUnknown, kPad, kBos, kEos, processor_->unk_id(), processor_->pad_id(),
                  processor_->bos_id(), processor_->eos_id()));
}

const Processor& Tokenizer::processor_for(const TextPart& part) const {
  if (blank_.wanted(part) == blank_.added) return *processor_;
  std::call_once(other_->made, [&] {
    other_->processor = load_processor(with_added_blank(*content_, !blank_.added), path_);
  });
  return *other_->processor;
}

void Tokenizer::append_words(const TextPart& part, std::vector<std::string>& words) const {
  std::vector<std::string> pieces;
  check(processor_for(part).Encode(part.text, &pieces), "encode");
  for (std::string_view piece : pieces) {  // unknown ones in a row are one piece
    while (!piece.empty()) {
      const auto end = std::min(piece.find(kBlankMark, kBlankMark.size()), piece.size());
      words.emplace_back(piece.substr(0, end));
      piece.remove_prefix(end);
    }
  }
}

std::vector<std::string> Tokenizer::words(std::string_view text) const {
  std::vector<std::string> all;
  for (Cut before = Cut::none; !text.empty();) append_words(take_part(text, before), all);
  return all;
}

std::string Tokenizer::normalized(std::string_view text) const {
  if (word_pieces_) return word_pieces_->normalized(text);
  if (pairs_) return std::string(text);
  std::string all;
  for (Cut before = Cut::none; !text.empty();) {
    const auto part = take_part(text, before);
    std::vector<std::string> pieces;
    check(processor_for(part).Encode(part.text, &pieces), "encode");
    for (const auto& piece : pieces) all += piece;
  }
  return all;
}

void Tokenizer::append_ids(const TextPart& part, std::vector<std::int32_t>& ids) const {
  if (words_) {
    std::vector<std::string> words;
    append_words(part, words);
    for (const auto& word : words) ids.push_back(id_of(word));
  } else if (vocabulary_) {
    std::vector<std::string> pieces;
    check(processor_for(part).Encode(part.text, &pieces), "encode");
    for (const auto& piece : pieces) ids.push_back(vocabulary_->id_of(piece));
  } else {
    std::vector<int> own;
    check(processor_for(part).Encode(part.text, &own), "encode");
    ids.insert(ids.end(), own.begin(), own.end());
  }
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, std::size_t most) const {
  if (pairs_) {
    auto ids = pairs_->encode(text, most);
    if (begin() != kUnknown && !ids.empty()) ids.insert(ids.begin(), begin());
    return ids;
  }
  if (word_pieces_) return word_pieces_->encode(text, most);
  std::vector<std::int32_t> all;
  if (vocabulary_) {
    const auto code = take_language_code(text);
    if (!code.empty())
      all.push_back(vocabulary_->id_of(code));
    else if (begin() != kUnknown)
      all.push_back(begin());
  }
  const auto front = all.size();
  for (Cut before = Cut::none; !text.empty() && all.size() - front <= most;) {
    if (all.size() == front) before = Cut::none;  // blanks at the front are no part of a sentence
    append_ids(take_part(text, before), all);
  }
  if (begin() != kUnknown && all.size() == front) all.clear();  // a text without tokens
  return all;
}

std::string Tokenizer::join(const std::vector<int>& ids) const {
  std::string text;
  if (pairs_) {
    for (const auto id : ids) text += pairs_->bytes_of(id);
    return as_utf8(text);
  }
  if (word_pieces_) {
    for (const auto id : ids) text += word_pieces_->bytes_of(id);
    return text.starts_with(' ') ? text.substr(1) : text;
  }
  if (!vocabulary_) {
    check(processor_->Decode(ids, &text), "decode");
    return text;
  }
  std::vector<std::string> pieces;
  pieces.reserve(ids.size());
  for (const auto id : ids) {
    pieces.push_back(id == kUnknown ? processor_->IdToPiece(processor_->unk_id())
                                    : vocabulary_->pieces()[static_cast<std::size_t>(id)]);
  }
  check(processor_->Decode(pieces, &text), "decode");
  return with_blanks(text);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  std::vector<int> plain;
  plain.reserve(ids.size());
  auto first = begin();  // of the text, until something stands before it
  for (const auto id : ids) {
    expect_id(id);
    // Left out here rather than by SentencePiece, which would take a leading kBos for the sentence's first
    // piece and keep the space that follows it.
    if (id == kPad || id == kBos || id == kEos) continue;
    if (first == kUnknown || id != first) plain.push_back(id);
    first = kUnknown;
  }
  return join(plain);
}

std::vector<std::string> Tokenizer::pieces(std::string_view text) const {
  std::vector<std::string> result;
  for (const auto id : encode(text)) result.push_back(piece_of(id));
  return result;
}

std::vector<std::string> Tokenizer::all_pieces() const {
  if (const auto* own = own_vocabulary()) return own->pieces();
  return pieces_of(*processor_);
}

std::int32_t Tokenizer::id_of(std::string_view piece) const {
  const auto* own = own_vocabulary();
  return own != nullptr ? own->id_of(piece) : processor_->PieceToId(piece);
}

std::int32_t Tokenizer::mask() const {
  const auto id = id_of(kMaskPiece);
  if (id != kUnknown) return id;
  throw InputError(fmt::format("{}: expected a piece {} (data.masks: true when it was prepared), found none",
                               path_.string(), kMaskPiece));
}

void Tokenizer::copy_to(const std::filesystem::path& model) const {
  write_file_atomically(model, *content_);
  if (vocabulary_) vocabulary_->save(vocabulary_file(model));
}

std::string Tokenizer::piece_of(std::int32_t id) const {
  expect_id(id);
  const auto* own = own_vocabulary();
  return own != nullptr ? own->pieces()[static_cast<std::size_t>(id)] : processor_->IdToPiece(id);
}

std::string Tokenizer::bytes_of(std::int32_t id) const {
  expect_id(id);
  if (id == kPad || id == kBos || id == kEos) return {};
  if (pairs_) return pairs_->bytes_of(id);
  if (word_pieces_) return word_pieces_->bytes_of(id);
  const auto piece = piece_of(id);
  if (const auto byte = byte_of_piece(piece)) return std::string(1, static_cast<char>(*byte));
  std::string text;
  for (std::string_view left = piece; !left.empty();) {
    const bool mark = left.starts_with(kBlankMark);
    text += mark ? ' ' : left.front();
    left.remove_prefix(mark ? kBlankMark.size() : 1);
  }
  return text;
}

void Tokenizer::expect_id(std::int32_t id) const {
  if (id < 0 || id >= size())
    throw std::out_of_range(fmt::format("token id {} is outside the vocabulary of {}", id, size()));
}

std::int64_t Tokenizer::size() const {
  const auto* own = own_vocabulary();
  return own != nullptr ? std::ssize(own->pieces()) : processor_->GetPieceSize();
}

}  // namespace transformer::data
