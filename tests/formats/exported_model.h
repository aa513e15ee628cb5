// Small models of every kind, as if they had been loaded from a model directory.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "tests/catch.h"
#include "tests/data/sample_text.h"
#include "tests/data/train_tokenizer.h"
#include "tests/temporary_folder.h"
#include "tests/translation/toy_model.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/data/tokenizer.h"
#include "transformer/data/tokenizer_training.h"
#include "transformer/formats/formats.h"
#include "transformer/formats/weights.h"
#include "transformer/models/kinds.h"

namespace transformer::test {

/// Queries, keys and values of a head have d_model / heads numbers, as other programs expect.
inline models::ModelOptions small_options() {
  return {.encoder_layers = 2,
          .decoder_layers = 1,
          .d_model = 16,
          .d_ff = 24,
          .heads = 2,
          .d_k = 8,
          .d_v = 8,
          .max_positions = 60};
}

/// One option at a time away from small_options(), or several that meet.
inline std::vector<std::pair<std::string, models::ModelOptions>> variants() {
  std::vector<std::pair<std::string, models::ModelOptions>> all;
  const auto add = [&](const std::string& name, auto change) {
    auto options = small_options();
    change(options);
    all.emplace_back(name, options);
  };
  add("the paper's", [](auto&) {});
  add("halves", [](auto& o) { o.positions = nn::Positions::halves; });
  add("tensor2tensor", [](auto& o) { o.positions = nn::Positions::tensor2tensor; });
  add("learned", [](auto& o) { o.positions = nn::Positions::learned; });
  add("pre-norm", [](auto& o) { o.norm = nn::NormPlacement::pre; });
  add("gelu", [](auto& o) { o.activation = nn::Activation::gelu; });
  add("swish", [](auto& o) { o.activation = nn::Activation::swish; });
  add("attention biases", [](auto& o) { o.attention_bias = true; });
  add("an output bias", [](auto& o) { o.output_bias = true; });
  add("tied target", [](auto& o) { o.tie = nn::Tie::target; });
  add("nothing tied", [](auto& o) { o.tie = nn::Tie::none; });
  add("a large epsilon", [](auto& o) { o.norm_epsilon = 1e-2; });
  add("small queries", [](auto& o) { o.d_k = 3; });
  add("small values", [](auto& o) { o.d_v = 5; });
  add("large queries", [](auto& o) { o.d_k = 11; });
  add("heads that do not divide d_model", [](auto& o) { o.heads = 3, o.d_k = 4, o.d_v = 5; });
  add("many at once", [](auto& o) {
    o.d_k = 9, o.d_v = 7, o.attention_bias = true, o.tie = nn::Tie::target;
    o.norm = nn::NormPlacement::pre, o.positions = nn::Positions::learned;
  });
  return all;
}

/// No weight keeps its initial value, and some outputs are much better than others.
inline models::EncoderDecoder random_model(const models::ModelOptions& options,
                                           const models::VocabularySizes& vocabulary) {
  torch::manual_seed(5);
  models::EncoderDecoder model(options, vocabulary);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters()) parameter.mul_(1.3).add_(torch::randn_like(parameter), 0.1);
  model->eval();
  return model;
}

/// The same of a language model.
inline models::AnyModel random_language_model(models::ModelOptions options, std::int64_t vocabulary) {
  options.kind = {models::kDecoder, {}};
  torch::manual_seed(5);
  auto model = models::make(options, {vocabulary, vocabulary});
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters()) parameter.mul_(1.3).add_(torch::randn_like(parameter), 0.1);
  model->eval();
  return model;
}

/// Small, with Llama's layers: what GGUF holds.
inline models::ModelOptions llama_options() {
  auto options = small_options();
  options.kind = {models::kDecoder, {}};
  options.positions = nn::Positions::rotary;
  options.norm = nn::NormPlacement::pre;
  options.norm_type = nn::NormKind::rms;
  options.feed_forward = nn::FeedForwardKind::swiglu;
  return options;
}

/// Trained on these lines, once for all tests of a program.
inline std::shared_ptr<const data::Tokenizer> trained_tokenizer(const std::vector<std::string>& lines,
                                                                std::int64_t vocabulary) {
  static const TemporaryFolder folder;
  static std::map<std::int64_t, std::shared_ptr<const data::Tokenizer>> known;
  auto& tokenizer = known[vocabulary];
  if (!tokenizer) {
    data::DataOptions options;
    options.vocabulary = vocabulary;
    const auto file = folder.path() / std::to_string(vocabulary);
    test::train_tokenizer({lines}, options, file);
    tokenizer = std::make_shared<const data::Tokenizer>(file);
  }
  return tokenizer;
}

/// A random model with a tokenizer for both languages (70 pieces), or also one for the target (80).
inline checkpoints::LoadedModel loaded_model(const models::ModelOptions& options, bool shared = true) {
  checkpoints::LoadedModel loaded;
  loaded.experiment.model = options;
  loaded.tokenizers.source = trained_tokenizer(english_lines(), 70);
  loaded.tokenizers.target = shared ? loaded.tokenizers.source : trained_tokenizer(german_lines(), 80);
  loaded.model = random_model(options, loaded.tokenizers.sizes());
  return loaded;
}

/// A random language model with a tokenizer.
inline checkpoints::LoadedModel loaded_language_model(models::ModelOptions options) {
  options.kind = {models::kDecoder, {}};
  checkpoints::LoadedModel loaded;
  loaded.experiment.model = options;
  loaded.experiment.data.examples = data::ExampleKind::documents;
  loaded.tokenizers.source = loaded.tokenizers.target = trained_tokenizer(english_lines(), 70);
  loaded.model = random_language_model(options, loaded.tokenizers.sizes().target);
  return loaded;
}

/// Such a model, and what a format that is a folder makes of it.
struct Exported {
  TemporaryFolder folder;
  checkpoints::LoadedModel model;
  std::filesystem::path path = folder.path() / "exported";
  formats::Format format;

  Exported(const std::string& name, const models::ModelOptions& options, bool shared = true)
      : model(loaded_model(options, shared)),
        format(*std::ranges::find(formats::formats(), name, &formats::Format::name)) {
    model.experiment.data.source = "en";
    model.experiment.data.target = "de";
    std::filesystem::create_directory(path);
    format.write(model, path, "fp32");
  }

  formats::Candidate read() const { return format.read(path, torch::kCPU); }
};

/// The largest difference of logits over all positions of some sentences.
inline double logit_difference(models::EncoderDecoder model, const formats::Candidate& candidate) {
  const torch::NoGradGuard no_gradients;
  const auto source = random_sources(1, {3, 9, 1}, model->vocabulary().source);
  auto target = random_sources(2, {6, 2, 11}, model->vocabulary().target).roll(1, 1);
  target.select(1, 0).fill_(kBos);
  const auto difference = model->forward(source, target) - candidate.logits(source, target);
  return difference.abs().max().item<double>();
}

/// Calls `use`, which must throw InputError: one line that says all of `expected`.
template <typename Use>
void check_refused(Use use, const std::vector<std::string>& expected) {
  try {
    use();
    FAIL("was accepted");
  } catch (const InputError& error) {
    const std::string message = error.what();
    for (const auto& part : expected) CHECK_THAT(message, ContainsSubstring(part));
    CHECK(message.find('\n') == std::string::npos);
  }
}

}  // namespace transformer::test
