// transformer-inspect: what a configuration or a model is made of, what it costs, what it is trained on, and
// how its training goes.
#include <fmt/format.h>

#include "apps/inspect_costs.h"
#include "apps/inspect_run.h"
#include "apps/inspect_sentences.h"
#include "apps/inspect_time.h"
#include "apps/not_empty.h"
#include "apps/program.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/config/keys.h"
#include "transformer/config/yaml.h"

namespace {

using namespace transformer;

struct Request {
  std::string config;
  std::string model;
  bool keys = false;
  bool json = false;
  double sentence_tokens = 30;
  std::vector<std::int64_t> sentences;
  apps::DeviceFigures device;
  apps::RunPageRequest page;
};

/// CLI::Range takes a NaN for a number in it.
std::string check_figure(const std::string& value) {
  double figure = 0;
  const bool good = CLI::detail::lexical_cast(value, figure) && figure >= 1e-6 && figure <= 1e9;
  return good ? "" : fmt::format("expected a number from 1e-6 to 1e9, found '{}'", value);
}

apps::Subject load(const Request& request, const apps::CommonOptions& common) {
  if (request.model.empty()) {
    const auto experiment = config::load_given_experiment(request.config, common.set);
    return {experiment, {experiment.data.vocabulary, experiment.data.vocabulary}};
  }
  if (!common.set.empty()) throw InputError("--set: expected with --config only, found it with --model");
  const auto directory = checkpoints::resolve_model_directory(request.model);
  verify_some_checksums(directory, {checkpoints::kConfigFile});
  return {checkpoints::load_model_experiment(directory), checkpoints::load_tokenizers(directory).sizes()};
}

int inspect(const Request& request, const apps::CommonOptions& common) {
  if (request.keys) {
    fmt::print("{}", config::describe_keys());
    return apps::kDone;
  }
  if (!request.page.runs.empty()) return apps::write_run_page(request.page);
  if (!request.sentences.empty()) {
    apps::print_sentences(request.config, common.set, request.sentences, request.json);
    return apps::kDone;
  }
  const auto subject = load(request, common);
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
  app.add_flag("--json", request.json, "Print one JSON object");
  app.add_option("--sentences", request.sentences,
                 "With --config: print these pairs of the prepared training set instead, by number, from 0")
      ->delimiter(',')
      ->check(apps::kNotEmpty)
      ->needs(config);
  app.add_option("--sentence-tokens", request.sentence_tokens, "Length of a sentence, for FLOPs and memory")
      ->check(CLI::Range(1.0, 1e6).description(""))
      ->capture_default_str();
  const CLI::Validator positive(check_figure, "");
  auto* peak =
      app.add_option("--device-peak", request.device.peak_teraflops,
                     "Predict an update's time on a device that multiplies matrices at so many TFLOP/s")
          ->check(positive);
  auto* bandwidth =
      app.add_option("--memory-bandwidth", request.device.bandwidth_gigabytes, "GB/s of the device's memory")
          ->check(positive)
          ->needs(peak);
  peak->needs(bandwidth);
  app.add_option("--launch", request.device.launch_microseconds,
                 "Microseconds that the host takes for an operation")
      ->check(positive)
      ->needs(peak)
      ->capture_default_str();
  auto* devices = app.add_option("--devices", request.device.network.devices,
                                 "Predict it also for so many devices that share the update, as in 1,8,64")
                      ->delimiter(',')
                      ->allow_extra_args(false)
                      ->check(apps::kNotEmpty)
                      ->check(CLI::Range(1, 1'000'000).description(""))
                      ->needs(peak);
  auto* network = app.add_option("--network-bandwidth", request.device.network.bandwidth_gigabytes,
                                 "GB/s from each device to the next, in each direction")
                      ->check(positive)
                      ->needs(devices);
  auto* latency = app.add_option("--network-latency", request.device.network.latency_microseconds,
                                 "Microseconds that a message to the next device takes, however short")
                      ->check(positive)
                      ->needs(devices);
  devices->needs(network)->needs(latency);
  apps::add_common_options(app, common);
  return apps::run_program(app, common, argc, argv, [&] { return inspect(request, common); });
}
