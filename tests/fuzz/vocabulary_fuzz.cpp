// The list of pieces beside a SentencePiece model.
#include "tests/fuzz/check.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/fuzz/target.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/vocabulary.h"

namespace transformer::fuzz {

std::vector<std::string> seeds() {
  return {R"(["<unk>", "<pad>", "<s>", "</s>"])",
          R"(["<unk>","<pad>","<s>","</s>","\u2581a","b",">>de<<","\u00e4"])"};
}

std::vector<std::string> words() {
  return {"null",   "1.5",      "true",    "[[[[[[[[", "{}",   "[]", "\"\"",
          "\"a\",", "\"</s>\"", "\\u0000", "\\ud800",  "\xff", ","};
}

}  // namespace transformer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace transformer;
  static const fuzz::ScratchFile file;
  const auto path = file.write(fuzz::text_of(data, size));
  const auto vocabulary = fuzz::accepted([&] { return data::Vocabulary(path); });
  if (!vocabulary) return 0;
  const auto& pieces = vocabulary->pieces();
  fuzz::require(pieces.size() > kEos, "the special pieces are there");
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const auto expected = id <= kEos ? kUnknown : static_cast<std::int32_t>(id);
    fuzz::require(vocabulary->id_of(pieces[id]) == expected, "a piece has its place, a special one none");
  }
  return 0;
}
