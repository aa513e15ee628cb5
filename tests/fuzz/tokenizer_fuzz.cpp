// Text through SentencePiece, with a vocabulary that spells all bytes and with one that does not.
#include <algorithm>
#include <map>

#include "tests/data/train_tokenizer.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"
#include "tests/temporary_folder.h"
#include "transformer/base/text_file.h"
#include "transformer/data/tokenizer.h"
#include "transformer/data/tokenizer_training.h"
#include "transformer/data/word_encoder.h"

namespace transformer::fuzz {
namespace {

using data::NormalizationRule;
using data::Tokenizer;

const std::string text = "the cat sat on the mat with a hat; that is what the cat did";

Tokenizer trained(const data::DataOptions& options) {
  const test::TemporaryFolder folder;
  const std::vector<std::string> lines(3, text);
  test::train_tokenizer({lines}, options, folder.path() / "model");
  return Tokenizer(folder.path() / "model");
}

std::string check(const Tokenizer& tokenizer, std::string_view line) {
  const auto ids = tokenizer.encode(line);
  require(std::ranges::all_of(ids, [&](auto id) { return id >= 0 && id < tokenizer.size(); }),
          "ids are known");
  static std::map<const Tokenizer*, data::WordEncoder> encoders;  // which remember words of earlier inputs
  auto& encoder = encoders.try_emplace(&tokenizer, tokenizer, 1'000'000).first->second;
  require(encoder.remembers() && encoder.encode(line) == ids, "remembered words have the same ids");
  auto decoded = tokenizer.decode(ids);
  require(is_valid_utf8(decoded) && decoded.find('\n') == std::string::npos,
          "a translation is a line of text");
  return decoded;
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      text, "  The  cat\xc2\xa0\xe2\x96\x81sat \xe2\x81\x87 <s> </s> <unk> <pad> <0x41>",
      "\xc3\x84pfel e\xcc\x81 \xef\xac\x81 \xe3\x8d\x8d \xf0\x9f\x98\x80 \xe2\x80\x8b\xef\xb7\xba\x01\x7f"};
}

std::vector<std::string> words() {
  return {
      "\xe2\x96\x81", " ",     "\xe3\x80\x80", "\xc2\xad", "\xef\xb7\xba", "\xe2\x81\x87",     "<s>",
      "</s>",         "<unk>", "<pad>",        "<0x0A>",   "\xcc\x88",     "\xf0\x9f\x98\x80", "\xe2\x80\xa8",
      "the cat",      "\t",    "\x1b",         "\x7f"};
}

}  // namespace transformer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace transformer::fuzz;
  static const auto plain = trained({.vocabulary = 40});
  static const auto bytes =
      trained({.vocabulary = 300, .normalization = NormalizationRule::identity, .byte_fallback = true});
  const auto line = text_of(data, size);
  // What LineReader lets through.
  if (!transformer::is_valid_utf8(line) ||
      line.find_first_of(std::string_view("\0\n", 2)) != std::string_view::npos)
    return 0;
  check(plain, line);
  const auto once = check(bytes, line);
  // SentencePiece takes U+2581 for a space, but not for one that it may leave out.
  if (line.find("\xe2\x96\x81") == std::string_view::npos)
    require(check(bytes, once) == once, "with all bytes in the vocabulary, a second pass changes nothing");
  return 0;
}
