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

/// Hands the texts to the trainer without copying them, except for lines that are too long.
class Lines : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(const std::vector<std::span<const std::string>>& texts) : texts_(texts) { skip(); }
  bool done() const override { return text_ == texts_.size(); }
  void Next() override {
    ++line_;
    skip();
  }
  const std::string& value() const override { return texts_[text_][line_]; }
  sentencepiece::util::Status status() const override { return {}; }
  std::int64_t too_long() const { return too_long_; }

 private:
  /// Goes on to the next line to be used, which may be the current one.
  void skip() {
    for (; text_ < texts_.size(); ++text_, line_ = 0) {
      for (; line_ < texts_[text_].size(); ++line_) {
        if (value().size() <= kLongestTrainingLine) return;
        ++too_long_;
      }
    }
  }

  const std::vector<std::span<const std::string>>& texts_;
  std::size_t text_ = 0;
  std::size_t line_ = 0;
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

}  // namespace

Tokenizer::Tokenizer(const std::filesystem::path& model)
    : path_(model), processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  const std::string bytes = read_file(model);
  if (bytes.empty() || !processor_->LoadFromSerializedProto(bytes).ok()) {
    throw InputError(
        fmt::format("{}: expected a SentencePiece model, found other or damaged content", model.string()));
  }
  if (processor_->unk_id() != kUnknown || processor_->pad_id() != kPad || processor_->bos_id() != kBegin ||
      processor_->eos_id() != kEnd) {
    throw InputError(
        fmt::format("{}: expected the special ids unk {}, pad {}, bos {}, eos {}, found {}, {}, {}, {}",
                    model.string(), kUnknown, kPad, kBegin, kEnd, processor_->unk_id(), processor_->pad_id(),
                    processor_->bos_id(), processor_->eos_id()));
  }
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, std::size_t most) const {
  std::vector<std::int32_t> all;
  while (!text.empty() && all.size() <= most) {
    std::vector<int> ids;
    const auto status = processor_->Encode(take_part(text), &ids);
    if (!status.ok()) throw std::runtime_error("SentencePiece cannot encode: " + status.ToString());
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  std::vector<int> plain;
  plain.reserve(ids.size());
  for (const auto id : ids) {
    if (id < 0 || id >= size()) {
      throw std::out_of_range(fmt::format("token id {} is outside the vocabulary of {}", id, size()));
    }
    // Left out here rather than by SentencePiece, which would take a leading kBegin for the sentence's first
    // piece and keep the space that follows it.
    if (id != kPad && id != kBegin && id != kEnd) plain.push_back(id);
  }
  std::string text;
  const auto status = processor_->Decode(plain, &text);
  if (!status.ok()) throw std::runtime_error("SentencePiece cannot decode: " + status.ToString());
  return text;
}

std::vector<std::string> Tokenizer::pieces(std::string_view text) const {
  std::vector<std::string> result;
  for (const auto id : encode(text)) result.push_back(processor_->IdToPiece(id));
  return result;
}

std::int64_t Tokenizer::size() const {
  return processor_->GetPieceSize();
}

std::int64_t train_tokenizer(const std::vector<std::span<const std::string>>& texts,
                             const DataOptions& options, const std::filesystem::path& output) {
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
  Lines lines(texts);
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &lines, &model);
  if (!status.ok()) throw InputError(explain(status.ToString(), options.vocabulary));
  write_file_atomically(output, model);
  return lines.too_long();
}

}  // namespace transformer::data
