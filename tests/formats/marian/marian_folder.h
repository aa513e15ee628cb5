// Small models with tokenizers, for their way to Marian and back.
#pragma once

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/data/sample_text.h"
#include "tests/data/train_tokenizer.h"
#include "tests/engine/models.h"
#include "tests/temporary_folder.h"
#include "transformer/base/special_tokens.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/data/tokenizer_training.h"
#include "transformer/formats/marian/marian_export.h"
#include "transformer/formats/marian/marian_import.h"

namespace transformer::test {

inline constexpr std::int64_t kPieces = 120;

inline models::ModelOptions tiny_options() {
  return {.encoder_layers = 2,
          .decoder_layers = 2,
          .d_model = 32,
          .d_ff = 48,
          .heads = 4,
          .d_k = 8,
          .d_v = 8,
          .max_positions = 40};
}

/// A model of random weights with one vocabulary or two, whose files lie in `folder`.
inline checkpoints::LoadedModel marian_model(const TemporaryFolder& folder,
                                             const models::ModelOptions& options, bool shared = true) {
  data::DataOptions data;
  data.vocabulary = kPieces;
  const auto english = english_lines(), german = german_lines();
  const auto train = [&](const char* name, const std::vector<std::span<const std::string>>& texts) {
    const auto file = folder.path() / name;
    test::train_tokenizer(texts, data, file);
    return std::make_shared<const data::Tokenizer>(file);
  };
  checkpoints::LoadedModel loaded;
  if (shared) {
    loaded.tokenizers.source = loaded.tokenizers.target = train("tokenizer.model", {english, german});
  } else {
    loaded.tokenizers = {train("tokenizer.source.model", {english}),
                         train("tokenizer.target.model", {german})};
  }
  loaded.directory = folder.path();
  loaded.experiment.model = options;
  loaded.experiment.data.shared_vocabulary = shared;
  loaded.model = random_model(options, kPieces);
  return loaded;
}

inline std::filesystem::path exported(const checkpoints::LoadedModel& model, const TemporaryFolder& folder,
                                      const char* name = "marian") {
  const auto path = folder.path() / name;
  std::filesystem::create_directory(path);
  formats::export_marian(model, path);
  return path;
}

/// Logits of two sentences; the second is padded. In fp64, so that models with the same weights have the same
/// logits, whatever the order in which a CPU sums products.
inline torch::Tensor some_logits(models::EncoderDecoder model) {
  const torch::NoGradGuard no_gradients;
  const auto source = torch::tensor({{40, 5, 66, 7, 3}, {88, 9, 3, 1, 1}});
  const auto target = torch::tensor({{2, 10, 11, 50, 90, 33}, {2, 44, 8, 8, 1, 1}});
  model->to(torch::kDouble);
  const auto logits = model->forward(source, target);
  model->to(torch::kFloat);
  return logits;
}

inline nlohmann::json read_json(const std::filesystem::path& file) {
  return nlohmann::json::parse(content_of(file));
}

inline void write_json(const std::filesystem::path& file, const nlohmann::json& content) {
  std::ofstream(file) << content.dump();
}

}  // namespace transformer::test
