// A model directory with random weights, of any shape that a configuration can describe.
//
//   formats_random_model CONFIG.yaml TOKENIZER_DIR OUT_DIR
//
// TOKENIZER_DIR: any folder with tokenizers, such as a model directory or a prepared folder.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/special_tokens.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/config/yaml.h"
#include "transformer/models/kinds.h"

namespace {

using namespace transformer;

/// Moves the parameters that start at one or zero, and enlarges matrices. Then every weight matters, and some
/// continuations are much better than others.
void stir(models::AnyModel& model) {
  const torch::NoGradGuard no_gradients;
  // Without a norm that has weights, larger matrices would make scores so large that rounding errors change
  // the softmax.
  const auto kind = model->options().norm_type;
  const bool normalised = nn::weights_of(kind) > 0 && nn::statistics_of(kind) == 0;
  const double larger = normalised ? 1.5 : 0.75;
  for (const auto& named : model->named_parameters()) {
    auto parameter = named.value();
    if (named.key().ends_with(".variance")) {
      parameter.mul_(1 + torch::rand_like(parameter));
    } else if (parameter.dim() > 1) {
      parameter.mul_(larger);
    } else {
      parameter.add_(torch::randn_like(parameter), 0.1);
    }
  }
  auto* language = model->as_language_model();
  const auto output =
      language ? language->projection().weight : models::sequence_to_sequence(*model).projection().weight;
  output.mul_(2.0 / output.std().item<double>() / std::sqrt(static_cast<double>(output.size(1))));
}

/// The end token becomes about as probable as the likeliest of the others, or outputs would hardly ever end.
void let_outputs_end(models::AnyModel& model) {
  const torch::NoGradGuard no_gradients;
  const auto [source, target] = model->vocabulary();
  const auto ids = torch::randint(kEos + 1, std::min(source, target), {8, 12}, torch::kLong);
  const auto raise = [&](auto& decoder, const torch::Tensor& all) {
    const auto states = all.flatten(0, 1);  // (N, D)
    const auto mean = states.mean(0);
    const auto likely = decoder.logits(states).amax(-1).mean();
    decoder.projection().weight[kEos] = mean * (likely / mean.dot(mean));
  };
  if (auto* language = model->as_language_model()) return raise(*language, language->states(ids));
  auto& decoder = models::sequence_to_sequence(*model);
  raise(decoder, decoder.states(ids, ids));
}

void write(const char* config, const char* tokenizer_folder, const char* output) {
  const auto experiment = config::load_experiment(config);
  const auto tokenizers = checkpoints::load_tokenizers(tokenizer_folder);
  torch::manual_seed(static_cast<std::uint64_t>(experiment.seed));
  auto model = models::make(experiment.model, tokenizers.sizes());
  model->eval();
  stir(model);
  if (model->as_language_model() == nullptr) let_outputs_end(model);
  AtomicDirectory folder(output);
  checkpoints::write_model_files(folder.temporary(), checkpoints::named_parameters(model), experiment,
                                 tokenizers);
  write_checksums(folder.temporary());
  folder.commit(AtomicDirectory::Existing::replace);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fputs("usage: formats_random_model CONFIG.yaml TOKENIZER_DIR OUT_DIR\n", stderr);
    return 2;
  }
  try {
    write(arguments[1], arguments[2], arguments[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "formats_random_model: %s\n", error.what());
    return 1;
  }
  return 0;
}
