#include "transformer/formats/llama2c/llama2c_import.h"

#include <cstring>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/engine/text_decoder.h"
#include "transformer/generation/generate.h"
#include "transformer/generation/module_texts.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/scoring.h"

using namespace transformer;
namespace fs = std::filesystem;

namespace {

template <typename Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// A model of 1 layer, width 4, 2 heads, 1 of keys, hidden 3, 263 pieces, length 2: all numbers 0.
std::string tiny(std::int32_t vocabulary = 263) {
  std::string bytes;
  for (const std::int32_t number : {4, 3, 1, 2, 1, vocabulary, 2}) append(bytes, number);
  const int weights = 263 * 4 * (vocabulary > 0 ? 1 : 2) + (2 * 4 + 2 * 16 + 2 * 8 + 3 * 12) + 4 + 2 * 2;
  for (int i = 0; i < weights; ++i) append(bytes, 0.0F);
  return bytes;
}

std::string pieces() {
  std::string bytes;
  append(bytes, std::int32_t{8});
  const auto add = [&](const std::string& text, float score) {
    append(bytes, score);
    append(bytes, static_cast<std::int32_t>(text.size()));
    bytes += text;
  };
  for (const auto* special : {"<unk>", "\n<s>\n", "\n</s>\n"}) add(special, 0);
  for (int byte = 0; byte < 256; ++byte) {
    char text[7];
    std::snprintf(text, sizeof text, "<0x%02X>", byte);
    add(text, 0);
  }
  for (const auto* text : {" a", "b", "a", " "}) add(text, -1);
  return bytes;
}

/// Written greedily by tests/reference/stories_constants.py, an independent computation in fp64.
const std::vector<std::int32_t> kStory{
    403, 407, 261, 378, 432, 383, 286, 261, 376, 298, 315, 421, 395, 317, 426, 338, 401, 396, 267, 337,
    410, 408, 419, 292, 411, 322, 265, 282, 295, 433, 426, 385, 328, 432, 358, 394, 261, 370, 432, 352,
    266, 268, 388, 426, 338, 391, 266, 267, 337, 335, 312, 432, 398, 312, 286, 267, 414, 270, 333, 415,
    426, 13,  438, 310, 439, 419, 357, 336, 432, 313, 438, 310, 432, 278, 316, 439, 419, 298, 414, 267,
    265, 282, 295, 433, 426, 436, 317, 286, 296, 418, 269, 279, 292, 416, 439, 413, 409, 416, 327, 263};

}  // namespace

TEST_CASE("a model of llama2.c has Llama's layers, and its pieces our numbers") {
  const test::TemporaryFolder folder;
  const auto model = folder.write("m.bin", tiny()), tokens = folder.write("tok.bin", pieces());
  CHECK(formats::llama2c_tokenizer_beside(model) == tokens);
  const auto loaded = formats::import_llama2c(model, tokens);
  const auto& options = loaded.experiment.model;
  CHECK(options.kind.name == "decoder");
  CHECK(options.decoder_layers == 1);
  CHECK(options.kv_heads == 1);
  CHECK(options.d_k == 2);
  CHECK(options.d_ff == 3);
  CHECK_FALSE(options.scale_embedding);
  CHECK(options.tie == nn::Tie::all);
  CHECK(loaded.tokenizers.target->size() == 264);
  CHECK(loaded.tokenizers.target->encode("ab") == std::vector<std::int32_t>{260, 261});
  CHECK(loaded.tokenizers.target->encode("\n").back() == kEos + 1 + '\n');
  const auto apart = formats::import_llama2c(folder.write("n.bin", tiny(-263)), tokens);
  CHECK(apart.experiment.model.tie == nn::Tie::none);
}

TEST_CASE("what is no model of llama2.c, or has other pieces, is refused in a line") {
  const test::TemporaryFolder folder;
  const auto tokens = folder.write("tokenizer.bin", pieces());
  const auto refused = [&](const std::string& bytes, const std::string& of_pieces, const char* words) {
    CHECK_THROWS_WITH(formats::import_llama2c(folder.write("m.bin", bytes), folder.write("t.bin", of_pieces)),
                      ContainsSubstring(words));
  };
  refused("", pieces(), "m.bin: expected a model of llama2.c");
  refused(tiny().substr(0, 100), pieces(), "m.bin: expected a model of llama2.c");
  refused(tiny() + "x", pieces(), "m.bin: expected a model of llama2.c");
  refused(tiny(), "", "t.bin: expected 263 pieces");
  refused(tiny(), pieces().substr(0, 500), "t.bin: expected a score and a text for each piece");
  CHECK(formats::llama2c_tokenizer_beside(folder.path() / "m.bin") == tokens);
}

TEST_CASE("the small model of stories writes its story, by the modules and by the engine") {
  const fs::path shared(SHARED_MODELS "/stories260k");
  if (!fs::exists(shared)) {
    WARN("skipped: no stories260k in " << shared);
    return;
  }
  auto loaded = formats::import_llama2c(shared / "stories260K.bin", shared / "tok512.bin");
  const std::vector<std::vector<std::int32_t>> prompts{{kBos}};
  const generation::GenerationOptions options{.sampling = {.temperature = 0}, .max_tokens = 100};
  const auto packed = translation::pack(loaded.model, engine::Precision::fp32);
  const auto by_engine = generation::generate([&] { return std::make_unique<engine::TextDecoder>(packed); },
                                              1, *loaded.tokenizers.target, prompts, options)[0][0];
  CHECK(by_engine.text.starts_with("Once upon a time, there was a little girl named Lily."));
  const translation::SearchMode mode(loaded.model);
  const auto by_modules =
      generation::generate([&] { return std::make_unique<generation::ModuleTexts>(loaded.model); }, 1,
                           *loaded.tokenizers.target, prompts, options)[0][0];
  CHECK(by_modules.ids == by_engine.ids);
  std::vector<std::int32_t> expected = kStory;
  for (auto& id : expected) ++id;  // ours have padding in front of the begin token
  CHECK(by_modules.ids == expected);
}
