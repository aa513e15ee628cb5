#include "transformer/data/tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <regex>
#include <stdexcept>
#include <unordered_map>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/text_file.h"

namespace transformer::data {
namespace {

constexpr std::array<std::string_view, 5> kNormalizations = {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf",
                                                             "identity"};

/// Hands the lines to the trainer, except for those that are too long.
class Lines : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(const LineSource& next) : next_(next) { Lines::Next(); }
  bool done() const override { return done_; }
  void Next() override {
    for (done_ = !next_(line_); !done_ && line_.size() > kLongestTrainingLine; done_ = !next_(line_))
      ++too_long_;
  }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }
  std::int64_t too_long() const { return too_long_; }

 private:
  const LineSource& next_;
  std::string line_;
  bool done_ = false;
  std::int64_t too_long_ = 0;
};

/// Removes from the front of `text` what is to be encoded next, and returns it.
std::string_view take_part(std::string_view& text) {
  auto end = text.size();
  std::size_t blank = 0;
  if (end > kEncodedAtOnce) {
    end = kEncodedAtOnce;
    const auto last = text.rfind(' ', end);
    if (last != std::string_view::npos && last > 0) {
      end = last;
      blank = 1;  // each part is encoded as if one stood before it
    } else {
      while ((text[end] & 0xC0) == 0x80) --end;  // inside a character
    }
  }
  const auto part = text.substr(0, end);
  text.remove_prefix(end + blank);
  return part;
}

/// What the trainer's words mean for the person who wrote the configuration.
std::string explain(const std::string& message, std::int64_t vocabulary) {
  std::smatch found;
  if (std::regex_search(message, found, std::regex("value <= ([0-9]+)"))) {
    return fmt::format(
        "data.vocabulary: expected at most {} pieces, which is what the training text can give, "
        "found {}",
        found[1].str(), vocabulary);
  }
  if (std::regex_search(message, found, std::regex("required_chars\\. [0-9]+ vs ([0-9]+)"))) {
    return fmt::format(
        "data.vocabulary: expected at least {} pieces, because each character of the training "
        "text needs one, found {}",
        found[1].str(), vocabulary);
  }
  if (message.find("sentences_.empty()") != std::string::npos) {
    return "data.train: expected text to train a vocabulary on, found only empty lines";
  }
  return fmt::format("SentencePiece cannot train a vocabulary: {}", message);
}

using Processor = sentencepiece::SentencePieceProcessor;

std::shared_ptr<const Processor> load_processor(const std::string& content,
                                                const std::filesystem::path& name) {
  auto processor = std::make_shared<Processor>();
  if (content.empty() || !processor->LoadFromSerializedProto(content).ok()) {
    throw InputError(
        fmt::format("{}: expected a SentencePiece model, found other or damaged content", name.string()));
  }
  return processor;
}

bool has_special_ids(const Processor& processor) {
  return processor.unk_id() == kUnknown && processor.pad_id() == kPad && processor.bos_id() == kBegin &&
         processor.eos_id() == kEnd;
}

std::vector<std::string> pieces_of(const Processor& processor) {
  std::vector<std::string> pieces;
  pieces.reserve(static_cast<std::size_t>(processor.GetPieceSize()));
  for (int id = 0; id < processor.GetPieceSize(); ++id) pieces.push_back(processor.IdToPiece(id));
  return pieces;
}

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

/// What SentencePiece leaves of its mark for blanks in pieces that it does not know.
std::string with_blanks(std::string_view text) {
  constexpr std::string_view kMark = "\xE2\x96\x81";
  std::string plain;
  for (auto at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark)) {
    plain.append(text.substr(0, at)).push_back(' ');
    text.remove_prefix(at + kMark.size());
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
      processor_(load_processor(*content_, name)) {}

Tokenizer::Tokenizer(const std::filesystem::path& model) : Tokenizer(read_file(model), model) {
  const auto vocabulary = vocabulary_file(model);
  if (std::filesystem::exists(vocabulary)) {
    vocabulary_ = std::make_shared<const Vocabulary>(vocabulary);
  } else {
    expect_special_ids();
  }
}

Tokenizer::Tokenizer(const std::filesystem::path& model, Vocabulary vocabulary)
    : Tokenizer(read_file(model), model) {
  if (!has_special_ids(*processor_) || pieces_of(*processor_) != vocabulary.pieces())
    vocabulary_ = std::make_shared<const Vocabulary>(std::move(vocabulary));
}

Tokenizer Tokenizer::of_content(std::string content, const std::filesystem::path& name) {
  Tokenizer tokenizer(std::move(content), name);
  tokenizer.expect_special_ids();
  return tokenizer;
}

void Tokenizer::expect_special_ids() const {
  if (has_special_ids(*processor_)) return;
  throw InputError(
      fmt::format("{}: expected the special ids unk {}, pad {}, bos {}, eos {}, found {}, {}, {}, {}",
                  path_.string(), kUnknown, kPad, kBegin, kEnd, processor_->unk_id(), processor_->pad_id(),
                  processor_->bos_id(), processor_->eos_id()));
}

void Tokenizer::append_ids(std::string_view part, std::vector<std::int32_t>& ids) const {
  if (vocabulary_) {
    std::vector<std::string> pieces;
    check(processor_->Encode(part, &pieces), "encode");
    for (const auto& piece : pieces) ids.push_back(vocabulary_->id_of(piece));
  } else {
    std::vector<int> own;
    check(processor_->Encode(part, &own), "encode");
    ids.insert(ids.end(), own.begin(), own.end());
  }
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, std::size_t most) const {
  std::vector<std::int32_t> all;
  if (vocabulary_) {
    const auto code = take_language_code(text);
    if (!code.empty()) all.push_back(vocabulary_->id_of(code));
  }
  while (!text.empty() && all.size() <= most) append_ids(take_part(text), all);
  return all;
}

std::string Tokenizer::join(const std::vector<int>& ids) const {
  std::string text;
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
  for (const auto id : ids) {
    expect_id(id);
    // Left out here rather than by SentencePiece, which would take a leading kBegin for the sentence's first
    // piece and keep the space that follows it.
    if (id != kPad && id != kBegin && id != kEnd) plain.push_back(id);
  }
  return join(plain);
}

std::vector<std::string> Tokenizer::pieces(std::string_view text) const {
  std::vector<std::string> result;
  for (const auto id : encode(text)) result.push_back(piece_of(id));
  return result;
}

std::vector<std::string> Tokenizer::all_pieces() const {
  return vocabulary_ ? vocabulary_->pieces() : pieces_of(*processor_);
}

std::int32_t Tokenizer::id_of(std::string_view piece) const {
  return vocabulary_ ? vocabulary_->id_of(piece) : processor_->PieceToId(piece);
}

void Tokenizer::copy_to(const std::filesystem::path& model) const {
  write_file_atomically(model, *content_);
  if (vocabulary_) vocabulary_->save(vocabulary_file(model));
}

std::string Tokenizer::piece_of(std::int32_t id) const {
  expect_id(id);
  return vocabulary_ ? vocabulary_->pieces()[static_cast<std::size_t>(id)] : processor_->IdToPiece(id);
}

void Tokenizer::expect_id(std::int32_t id) const {
  if (id < 0 || id >= size())
    throw std::out_of_range(fmt::format("token id {} is outside the vocabulary of {}", id, size()));
}

std::int64_t Tokenizer::size() const {
  return vocabulary_ ? static_cast<std::int64_t>(vocabulary_->pieces().size()) : processor_->GetPieceSize();
}

std::int64_t train_tokenizer_on(const LineSource& next, const DataOptions& options,
                                const std::filesystem::path& output) {
  if (std::ranges::find(kNormalizations, options.normalization) == kNormalizations.end()) {
    throw InputError(fmt::format("data.normalization: expected one of {}, found \"{}\"",
                                 fmt::join(kNormalizations, ", "), options.normalization));
  }
  const std::unordered_map<std::string, std::string> arguments = {
      {"model_type", "bpe"},
      {"vocab_size", std::to_string(options.vocabulary)},
      {"hard_vocab_limit", "true"},
      {"character_coverage", "1.0"},
      {"normalization_rule_name", options.normalization},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"unk_id", std::to_string(kUnknown)},
      {"pad_id", std::to_string(kPad)},
      {"bos_id", std::to_string(kBegin)},
      {"eos_id", std::to_string(kEnd)},
      // SentencePiece aborts the process on a word of more than 65535 characters. Normalization makes at most
      // 18 characters of one (of three bytes), so lines of this length cannot hold such a word.
      {"max_sentence_length", std::to_string(kLongestTrainingLine)},
      {"num_threads", "4"},  // the model file records it, so it must not depend on the machine
      {"minloglevel", "2"},  // its progress reports would drown ours
  };
  Lines lines(next);
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &lines, &model);
  if (!status.ok()) throw InputError(explain(status.ToString(), options.vocabulary));
  write_file_atomically(output, model);
  return lines.too_long();
}

std::int64_t train_tokenizer(const std::vector<std::span<const std::string>>& texts,
                             const DataOptions& options, const std::filesystem::path& output) {
  std::size_t text = 0;
  std::size_t line = 0;
  const auto next = [&](std::string& value) {
    for (; text < texts.size(); ++text, line = 0) {
      if (line == texts[text].size()) continue;
      value = texts[text][line++];
      return true;
    }
    return false;
  };
  return train_tokenizer_on(next, options, output);
}

}  // namespace transformer::data
