#include "transformer/checkpoints/model_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/utils.h>

#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/config/yaml.h"

namespace transformer::checkpoints {
namespace fs = std::filesystem;
namespace {

std::string shape(const torch::Tensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.sizes(), ", "));
}

/// Describes a path that is neither a model nor a run with a best checkpoint.
std::string describe_no_model(const RunDirectory& run) {
  if (!fs::exists(run.path)) return "nothing of that name";
  if (!fs::is_directory(run.path)) return "a file";
  if (!fs::exists(run.checkpoints())) return "a folder with neither";
  return "a run without a checkpoint";
}

}  // namespace

RunError diverged(const fs::path& model, const std::string& where) {
  return RunError(
      fmt::format("{}: the model computes NaN{}: its training has diverged", model.string(), where));
}

fs::path resolve_model_directory(const fs::path& path) {
  if (fs::exists(path / kWeightsFile)) {
    if (!fs::exists(path / kConfigFile) && fs::exists(path / "config.json"))
      throw InputError(fmt::format(
          "{}: expected a model directory (with {}), found one of another program or an export (config.json)",
          path.string(), kConfigFile));
    return path;
  }
  if (const auto named = linked_checkpoint(path); named && !fs::is_directory(path))
    return resolve_model_directory(*named);
  const RunDirectory run{path};
  const auto link = run.checkpoints() / "best";
  const auto best = linked_checkpoint(link).value_or(link);
  if (fs::exists(best / kWeightsFile)) return fs::canonical(best);
  const auto saved = run.newest_first();
  if (!saved.empty())
    throw InputError(
        fmt::format("{}: expected a link to one of the run's {} checkpoints, found none: name a checkpoint, "
                    "such as {}, or let transformer-train --resume make the link again",
                    best.string(), saved.size(), saved.front().path.string()));
  throw InputError(fmt::format(
      "{}: expected a model directory (with {}) or a run directory (with checkpoints/best), found {}",
      path.string(), kWeightsFile, describe_no_model(run)));
}

config::Experiment load_model_experiment(const fs::path& directory) {
  return config::load_resolved_experiment(directory / kConfigFile);
}

void assign_weights(torch::nn::Module& model, const std::map<std::string, torch::Tensor>& weights,
                    const std::string& source) {
  const torch::NoGradGuard no_gradients;
  const auto parameters = model.named_parameters();
  for (const auto& [name, tensor] : weights)
    if (!parameters.contains(name))
      throw InputError(fmt::format("{}: holds '{}', which a model of this configuration has not", source,
                                   printable(name)));
  for (const auto& parameter : parameters) {
    const auto found = weights.find(parameter.key());
    if (found == weights.end()) throw InputError(fmt::format("{}: '{}' is missing", source, parameter.key()));
    if (found->second.sizes() != parameter.value().sizes())
      throw InputError(fmt::format("{}: '{}' should have the shape {}, found {}", source, parameter.key(),
                                   shape(parameter.value()), shape(found->second)));
    parameter.value().copy_(found->second);
  }
}

std::string checksum_of_weights(const fs::path& path) {
  const auto directory = resolve_model_directory(path);
  const auto sums = read_checksums(directory);
  const auto found = sums.find(kWeightsFile);
  if (found == sums.end())
    throw InputError(
        fmt::format("{}: expected a checksum of {}, found none", directory.string(), kWeightsFile));
  return found->second;
}

NamedTensors named_parameters(const torch::nn::Module& model) {
  NamedTensors weights;
  for (const auto& parameter : model.named_parameters())
    weights.emplace_back(parameter.key(), parameter.value());
  return weights;
}

void write_model_files(const fs::path& folder, const NamedTensors& weights,
                       const config::Experiment& experiment) {
  checkpoints::save_safetensors(folder / kWeightsFile, weights, {{"format", "pt"}});
  write_file_atomically(folder / kConfigFile, config::to_yaml(experiment));
}

}  // namespace transformer::checkpoints
