#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <memory>

#include "apps/bench/commands.h"
#include "apps/bench/generate.h"
#include "apps/common/not_empty.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/config/yaml.h"
#include "transformer/data/prepared.h"
#include "transformer/models/kinds.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/translator.h"

namespace transformer::bench {
namespace {

/// Trained weights, or random ones of a configuration.
models::AnyModel model_of(const std::string& folder, const std::string& config,
                          const std::vector<std::string>& set, const torch::Device& device) {
  if (!folder.empty()) return checkpoints::load_model(folder, device).model;
  const auto experiment = config::load_given_experiment(config, set);
  const auto [source, target] = data::vocabulary_sizes(experiment.data);
  return models::make(experiment.model, {source, target});
}

Json speed_as_json(const GenerateSpeed& speed) {
  const auto& setting = speed.setting;
  return {{"benchmark", "generate"},
          {"precision", setting.precision},
          {"threads", setting.threads},
          {"texts", setting.texts},
          {"prompt_tokens", setting.prompt},
          {"tokens", setting.tokens},
          {"prompt_seconds", speed.prompt_seconds},
          {"seconds", speed.seconds},
          {"tokens_per_second", speed.tokens_per_second()},
          {"bytes_of_token", speed.bytes_of_token},
          {"memory_bytes_per_second", speed.bytes_per_second},
          {"share_of_bandwidth", speed.share_of_bandwidth()}};
}

std::string speed_as_text(const GenerateSpeed& speed) {
  const auto& setting = speed.setting;
  auto text = fmt::format("generate {}, {} texts, {} threads: {:.1f} tokens/s, {:.0f} ms to the first token",
                          setting.precision, setting.texts, setting.threads, speed.tokens_per_second(),
                          1e3 * speed.prompt_seconds);
  if (setting.texts == 1)
    text += fmt::format("; {:.0f} MB of weights a token, {:.0f} % of the {:.1f} GB/s of memory",
                        static_cast<double>(speed.bytes_of_token) / 1e6, 100 * speed.share_of_bandwidth(),
                        speed.bytes_per_second / 1e9);
  return text;
}

}  // namespace

Command add_generate(CLI::App& app, const Shared& shared) {
  struct Arguments {
    std::string model, config;
    GenerateSetting setting;
    int repetitions = 3;
  };
  const auto given = std::make_shared<Arguments>();
  auto* command = app.add_subcommand(
      "generate", "Texts continued by a language model, and the share of the memory's speed that this takes");
  auto* model =
      command->add_option("--model", given->model, "Model or run directory")->check(apps::kNotEmpty);
  command
      ->add_option("--config", given->config,
                   "Instead of a model: a configuration file, whose model gets random weights")
      ->excludes(model)
      ->check(apps::kNotEmpty);
  const auto add = [&](const char* name, std::int64_t& number, std::int64_t least, const char* text) {
    command->add_option(name, number, text)
        ->check(CLI::Range(least, std::int64_t{1'000'000}).description(""))
        ->capture_default_str();
  };
  add("--texts", given->setting.texts, 1, "Texts that are continued at once");
  add("--prompt-tokens", given->setting.prompt, 1, "Tokens of each text that are there already");
  add("--tokens", given->setting.tokens, 2, "Tokens that each text gets");
  command->add_option("--repetitions", given->repetitions, "Of which the fastest counts")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->capture_default_str();
  return [shared, given] {
    if (given->model.empty() && given->config.empty())
      throw InputError("generate: --model or --config is required");
    auto setting = given->setting;
    const auto device =
        translation::device_of({.device = shared.options.device, .precision = shared.options.precision});
    setting.precision = translation::precision_of(shared.options.precision, device);
    setting.threads = at::get_num_threads();
    auto model = model_of(given->model, given->config, shared.options.set, device);
    models::language_model(*model);  // refuses what does not continue texts
    if (!translation::uses_engine(model->options(), device))
      throw InputError("generate: expected the CPU, and a model that its engine knows");
    const auto packed = translation::pack(model, translation::engine_precision(setting.precision));
    const auto speed = time_generation(packed, setting, given->repetitions);
    shared.output.show(speed_as_json(speed), speed_as_text(speed));
    return static_cast<int>(apps::kDone);
  };
}

}  // namespace transformer::bench
