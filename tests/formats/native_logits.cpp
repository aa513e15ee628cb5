// Logits of a model of this project, for comparison with programs in other languages.
//
//   formats_native_logits MODEL_DIR SOURCE_IDS_FILE TARGET_IDS_FILE OUT.safetensors
//
// Each line of the two files is a sentence: ids between blanks, without begin and end. The result holds for
// line i, from 0, a tensor "i" of shape (T + 1, V): the logits of what follows begin and each target token.
// The targets of a language model are texts, whatever the sources.
#include <cstdio>
#include <exception>
#include <sstream>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/translation/scoring.h"

namespace {

using namespace transformer;

/// (1, T)
torch::Tensor row_of(const std::vector<std::int64_t>& ids) {
  return torch::tensor(ids, torch::kLong).unsqueeze(0);
}

std::vector<std::int64_t> ids_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::int64_t> ids;
  for (std::int64_t id = 0; text >> id;) ids.push_back(id);
  return ids;
}

void write(const char* directory, const char* source_file, const char* target_file, const char* output) {
  auto loaded = checkpoints::load_model(directory, torch::kCPU);
  const translation::SearchMode mode(loaded.model);
  auto* language = loaded.model->as_language_model();
  const auto sources = read_lines(source_file), targets = read_lines(target_file);
  if (sources.size() != targets.size()) throw InputError("the two files differ in their number of lines");
  checkpoints::NamedTensors logits;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    auto source = ids_of(sources[i]), target = ids_of(targets[i]);
    source.push_back(kEos);
    target.insert(target.begin(), kBos);
    const auto find = [&](auto& decoder, const auto&... rows) {
      logits.emplace_back(std::to_string(i), decoder.logits(decoder.states(rows...))[0]);
    };
    if (language)
      find(*language, row_of(target));
    else
      find(models::sequence_to_sequence(*loaded.model), row_of(source), row_of(target));
  }
  checkpoints::save_safetensors(output, logits);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fputs("usage: formats_native_logits MODEL_DIR SOURCE_IDS_FILE TARGET_IDS_FILE OUT.safetensors\n",
               stderr);
    return 2;
  }
  try {
    write(arguments[1], arguments[2], arguments[3], arguments[4]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "formats_native_logits: %s\n", error.what());
    return 1;
  }
  return 0;
}
