// transformer-inspect: what a configuration or a model is made of, what it costs, what it is trained on, and
// how its training goes.
#include <fmt/format.h>

#include "apps/inspect/costs.h"
#include "apps/inspect/request.h"
#include "apps/inspect/sentences.h"
#include "apps/inspect/shapes.h"
#include "apps/inspect/update.h"
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

using Request = apps::InspectRequest;

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
  if (request.update > 0) {
    if (request.page.runs.size() != 1)
      throw InputError(fmt::format("--update: expected one --run, found {}", request.page.runs.size()));
    apps::print_update(request.page.runs.front(), request.update, request.json);
    return apps::kDone;
  }
  if (!request.page.runs.empty() && request.json)
    throw InputError("--json: expected --update beside --run, found none");
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
  apps::add_options(app, request);
  apps::add_common_options(app, common);
  apps::run_program(app, common, argc, argv, [&] { return inspect(request, common); });
}
