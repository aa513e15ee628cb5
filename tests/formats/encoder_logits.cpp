// What an encoder computes, for comparison with programs in other languages.
//
//   formats_encoder_logits MODEL_DIR TEXT_FILE OUT.safetensors
//
// Each line of the file is a text, whose parts have </s> between them. The result holds for line i, from 0:
// its ids "i.ids" (T), states "i.states" (T, D), and what the model predicts from them: "i.logits" (T, K), or
// (K) where it is one label of the text.
#include <cstdio>
#include <exception>

#include "transformer/base/special_tokens.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/data/labelled_texts.h"

namespace {

using namespace transformer;

void write(const char* directory, const char* text_file, const char* output) {
  auto loaded = checkpoints::load_model(directory, torch::kCPU);
  const torch::NoGradGuard no_gradients;
  auto& encoder = models::text_encoder(*loaded.model);
  const auto& options = loaded.model->options().encoder;
  checkpoints::NamedTensors all;
  std::size_t number = 0;
  for (const auto& line : read_lines(text_file)) {
    std::vector<std::int64_t> ids{kBos};
    data::for_each_part(line, [&](std::string_view part) {
      for (const auto id : loaded.tokenizers.source->encode(part)) ids.push_back(id);
      ids.push_back(kEos);
    });
    const auto row = torch::tensor(ids, torch::kLong);
    const auto states = encoder.states(row.unsqueeze(0))[0];
    const auto text = options.pooling == models::Pooling::cls ? states[0] : states.mean(0);
    const auto name = std::to_string(number++);
    all.emplace_back(name + ".ids", row);
    all.emplace_back(name + ".states", states.contiguous());
    all.emplace_back(name + ".logits",
                     encoder.logits(models::is_of_texts(options.head) ? text : states).contiguous());
  }
  checkpoints::save_safetensors(output, all);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fputs("usage: formats_encoder_logits MODEL_DIR TEXT_FILE OUT.safetensors\n", stderr);
    return 2;
  }
  try {
    write(arguments[1], arguments[2], arguments[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "formats_encoder_logits: %s\n", error.what());
    return 1;
  }
  return 0;
}
