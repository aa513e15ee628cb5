// transformer-inspect: what a configuration or a model is made of, what it costs, what it is trained on, and
// how its training goes.
#include <fmt/format.h>

#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "apps/inspect/costs.h"
#include "apps/inspect/run.h"
#include "apps/inspect/sentences.h"
#include "apps/inspect/shapes.h"
#include "apps/inspect/time.h"
#include "apps/inspect/variant.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/config/keys.h"
#include "transformer/config/yaml.h"
#include "transformer/data/prepared.h"

namespace {

using namespace transformer;

struct Request {
  std::string config;
  std::string model;
  std::string variant;  ///< to be checked
  bool keys = false;
  bool json = false;
  double sentence_tokens = 30;
  std::vector<std::int64_t> sentences;
  std::vector<std::int64_t> shapes;  ///< tokens of a source and of a target
  std::vector<std::string> texts;    ///< to cut into tokens
  apps::DeviceFigures device;
  apps::RunPageRequest page;
};

/// Those of the prepared data that a configuration names, or of a model.
checkpoints::Tokenizers tokenizers_of(const Request& request, const apps::CommonOptions& common) {
  if (!request.model.empty())
    return checkpoints::load_tokenizers(checkpoints::resolve_model_directory(request.model));
  const auto experiment = config::load_given_experiment(request.config, common.set);
  return checkpoints::load_tokenizers(data::PreparedFolder(experiment.data).paths.folder);
}

apps::Subject load(const Request& request, const apps::CommonOptions& common) {
  if (request.model.empty()) {
    const auto experiment = config::load_given_experiment(request.config, common.set);
    const auto [source, target] = data::vocabulary_sizes(experiment.data);
    return {experiment, {source, target}};
  }
  const auto directory = checkpoints::resolve_model_directory(request.model);
  verify_some_checksums(directory, {checkpoints::kConfigFile});
  return {checkpoints::load_model_experiment(directory), checkpoints::load_tokenizers(directory).sizes()};
}

int inspect(const Request& request, const apps::CommonOptions& common) {
  if (!common.set.empty() && request.config.empty())
    throw InputError(
        fmt::format("--set {}: expected with --config only, found it without", common.set.front()));
  if (request.keys) {
    fmt::print("{}", config::describe_keys());
    return apps::kDone;
  }
  if (!request.variant.empty()) return apps::print_variant_checks(request.variant, request.json);
  if (!request.page.runs.empty()) return apps::write_run_page(request.page);
  if (!request.sentences.empty()) {
    apps::print_sentences(request.config, common.set, request.sentences, request.json);
    return apps::kDone;
  }
  if (!request.texts.empty()) {
    for (const auto& text : request.texts)
      if (!is_valid_utf8(text)) throw InputError("--tokens: expected UTF-8");
    apps::print_tokens(tokenizers_of(request, common), request.texts, request.json);
    return apps::kDone;
  }
  const auto subject = load(request, common);
  if (!request.shapes.empty()) {
    apps::print_shapes(subject, request.shapes, request.json);
    return apps::kDone;
  }
  if (request.device.peak_teraflops > 0) {
    apps::print_update_time(subject, request.device, request.sentence_tokens, common.precision, request.json);
    return apps::kDone;
  }
  apps::print_costs(subject, request.sentence_tokens, common.precision, request.json);
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Shows a model's parameters, cost, memory and departures from the paper; or draws how runs go.",
      "transformer-inspect");
  apps::CommonOptions common;
  Request request;
  auto* subject = app.add_option_group("What to show")->require_option(1);
  auto* config = subject->add_option("--config", request.config, "An experiment")
                     ->type_name("FILE")
                     ->check(apps::kNotEmpty);
  subject->add_option("--model", request.model, "A model or run directory")
      ->type_name("DIR")
      ->check(apps::kNotEmpty);
  apps::add_run_options(app, *subject, request.page);
  subject->add_flag("--help-config", request.keys, "Every key of a configuration file");
  auto* variant = subject
                      ->add_option("--check-variant", request.variant,
                                   "A variant of --load (\"local window=8\"): whether it computes as it must")
                      ->check(apps::kNotEmpty);
  auto* run = subject->get_option("--run");
  auto* keys = subject->get_option("--help-config");
  app.add_flag("--json", request.json, "Print one JSON object")->excludes(run)->excludes(keys);
  auto* sentences =
      app.add_option(
             "--sentences", request.sentences,
             "With --config: print these pairs of the prepared training set instead, by number, from 0")
          ->delimiter(',')
          ->check(apps::kNotEmpty)
          ->needs(config);
  auto* shapes =
      app.add_option("--shapes", request.shapes,
                     "Print the shapes of a model's tensors instead, for a source and a target of so many "
                     "tokens, as in 7,5")
          ->delimiter(',')
          ->expected(2)
          ->check(CLI::Range(1, 100'000).description(""))
          ->type_name("S,T")
          ->excludes(run)
          ->excludes(sentences);
  auto* tokens =
      app.add_option("--tokens", request.texts, "Print the pieces and ids of a text instead; may be repeated")
          ->type_name("TEXT")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->excludes(run)
          ->excludes(sentences)
          ->excludes(shapes);
  auto* length = app.add_option("--sentence-tokens", request.sentence_tokens,
                                "Length of a sentence, for FLOPs and memory")
                     ->check(CLI::Range(1.0, 1e6).description(""))
                     ->capture_default_str();
  apps::add_device_options(app, request.device);
  for (auto* costs : {length, app.get_option("--device-peak")})
    for (auto* others : {run, keys, variant, sentences, shapes, tokens}) costs->excludes(others);
  for (auto* others : {shapes, tokens}) others->excludes(variant);
  apps::add_common_options(app, common);
  apps::run_program(app, common, argc, argv, [&] { return inspect(request, common); });
}
