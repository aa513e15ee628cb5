#include "transformer/formats/ctranslate2/ctranslate2.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/text_file.h"
#include "transformer/data/blocks.h"
#include "transformer/formats/ctranslate2/ctranslate2_variables.h"
#include "transformer/formats/json_file.h"
#include "transformer/formats/plain_tokenizers.h"
#include "transformer/runtime/device.h"
#include "transformer/translation/text_translation.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kModelFile = "model.bin";
constexpr const char* kConfigFile = "config.json";
constexpr std::int64_t kLongestText = 4096;  // tokens for which a language model gets sinusoids

/// The pieces by id.
json vocabulary_of(const data::Tokenizer& tokenizer) {
  auto pieces = json::array();
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
    auto piece = tokenizer.piece_of(id);
    if (!is_valid_utf8(piece))
      throw InputError(fmt::format("{}: piece {}: expected UTF-8", tokenizer.path().string(), id));
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

/// File → pieces.
std::vector<std::pair<std::string, json>> vocabularies(const checkpoints::Tokenizers& tokenizers,
                                                       const models::ModelOptions& options) {
  if (!models::stacks_of(options).encoder) return {{"vocabulary.json", vocabulary_of(*tokenizers.target)}};
  if (tokenizers.source == tokenizers.target)
    return {{"shared_vocabulary.json", vocabulary_of(*tokenizers.source)}};
  return {{"source_vocabulary.json", vocabulary_of(*tokenizers.source)},
          {"target_vocabulary.json", vocabulary_of(*tokenizers.target)}};
}

/// It has one name for each special token, in both languages.
void expect_equal_special_pieces(const checkpoints::Tokenizers& tokenizers) {
  for (const auto id : {kUnknown, kBos, kEos}) {
    const auto source = tokenizers.source->piece_of(id), target = tokenizers.target->piece_of(id);
    if (source != target)
      throw InputError(
          fmt::format("{}: piece {}: CTranslate2 needs the same one in both languages, found '{}' and '{}'",
                      tokenizers.target->path().string(), id, source, target));
  }
}

/// begin: what a language model's texts begin with.
json config_of(const checkpoints::Tokenizers& tokenizers, const models::ModelOptions& options,
               std::int32_t begin) {
  const auto piece = [&](std::int32_t id) { return tokenizers.target->piece_of(id); };
  if (!models::stacks_of(options).encoder)
    return {{"bos_token", piece(begin)},
            {"eos_token", piece(kEos)},
            {"layer_norm_epsilon", options.norm_epsilon},
            {"multi_query_attention", models::kv_heads_of(options) != options.heads},
            {"unk_token", piece(kUnknown)}};
  return {{"add_source_bos", false},        {"add_source_eos", true},
          {"bos_token", piece(kBos)},       {"decoder_start_token", piece(kBos)},
          {"eos_token", piece(kEos)},       {"layer_norm_epsilon", options.norm_epsilon},
          {"multi_query_attention", false}, {"unk_token", piece(kUnknown)}};
}

void expect_json(const fs::path& file, const json& expected) {
  if (read_json(file) != expected)
    throw InputError(fmt::format("{}: expected what belongs to the tokenizers beside it, found other values",
                                 file.string()));
}

}  // namespace

void write_ctranslate2(const checkpoints::LoadedModel& model, const fs::path& folder) {
  expect_equal_special_pieces(model.tokenizers);
  const auto& options = model.model->options();
  const auto& data = model.experiment.data;
  const auto variables = ctranslate2_variables(
      weights_of(model.model), options,
      models::stacks_of(options).encoder
          // As many as our own translator uses: the begin token stands before the output.
          ? translation::kLongestSource + model.experiment.decode.length_offset + 2
          : std::max(kLongestText, data.block));
  const auto tokenizers = write_plain_tokenizers(model.tokenizers, folder);
  save_ctranslate2_file(folder / kModelFile, variables);
  write_json(folder / kConfigFile, config_of(tokenizers, options, data::begin_of_texts(data)));
  for (const auto& [name, pieces] : vocabularies(tokenizers, options)) write_json(folder / name, pieces);
}

Candidate read_ctranslate2(const fs::path& folder, const torch::Device& device) {
  const auto file = folder / kModelFile;
  auto [options, vocabulary, weights] = model_of_variables(load_ctranslate2_file(file), file.string());

  const auto config = read_json(folder / kConfigFile);
  const auto epsilon = config.is_object() ? config.value("layer_norm_epsilon", json()) : config;
  if (!epsilon.is_number())
    throw InputError(fmt::format("{}: layer_norm_epsilon: expected a number, found {}",
                                 (folder / kConfigFile).string(), epsilon.dump()));
  options.norm_epsilon = epsilon.get<double>();

  const auto tokenizers = checkpoints::load_tokenizers(folder);
  if (tokenizers.sizes() != vocabulary)
    throw InputError(fmt::format("{}: expected embeddings of {} and {} tokens, found {} and {}",
                                 file.string(), tokenizers.sizes().source, tokenizers.sizes().target,
                                 vocabulary.source, vocabulary.target));
  const bool ends = config.value("bos_token", json()) == tokenizers.target->piece_of(kEos);
  expect_json(folder / kConfigFile, config_of(tokenizers, options, ends ? kEos : kBos));
  for (const auto& [name, pieces] : vocabularies(tokenizers, options)) expect_json(folder / name, pieces);

  auto model = model_with(weights, options, vocabulary, file.string());
  runtime::move_to(*model, device);
  return candidate_of(model, tokenizers.source);
}

}  // namespace transformer::formats
