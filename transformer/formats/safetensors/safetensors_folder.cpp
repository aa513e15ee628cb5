#include "transformer/formats/safetensors/safetensors_folder.h"

#include <fmt/format.h>

#include <string_view>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/config/keys.h"
#include "transformer/config/validate.h"
#include "transformer/formats/json_file.h"
#include "transformer/formats/plain_tokenizers.h"
#include "transformer/formats/weights.h"
#include "transformer/runtime/device.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using nlohmann::json;

constexpr const char* kConfigFile = "config.json";
constexpr const char* kFormatName = "transformer encoder-decoder";
constexpr int kFormatVersion = 1;

/// A layer norm is named after its sublayer; that it sits in our residual connection is of no use elsewhere.
constexpr std::string_view kOurNorm = "_residual.norm.", kTheirNorm = "_norm.";

/// Of a sublayer's norm; the norms of embeddings and of a whole stack have no residual connection.
std::string renamed(std::string name, std::string_view from, std::string_view to) {
  const bool in_layer = name.find(".layers.") != std::string::npos;
  if (const auto place = name.find(from); in_layer && place != std::string::npos)
    name.replace(place, from.size(), to);
  return name;
}

/// The keys of one section of the configuration, with values of JSON's own types. Variants have none: such
/// models are refused.
Json section_of(const config::Experiment& experiment, const std::string& section) {
  Json result = Json::object();
  for (const auto& key : config::keys()) {
    if (key.kind != config::Key::Kind::plain || !key.name.starts_with(section + ".")) continue;
    if (key.name.starts_with("model.variants.")) continue;
    const auto text = key.get(experiment);
    auto value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    result[key.name.substr(section.size() + 1)] = value.is_discarded() ? Json(text) : std::move(value);
  }
  return result;
}

Json config_of(const config::Experiment& experiment, const models::VocabularySizes& vocabulary, bool shared) {
  return {{"format", kFormatName},
          {"version", kFormatVersion},
          {"source_language", experiment.data.source},
          {"target_language", experiment.data.target},
          {"vocabulary", {{"source", vocabulary.source}, {"target", vocabulary.target}, {"shared", shared}}},
          {"special_ids", {{"unknown", kUnknown}, {"padding", kPad}, {"begin", kBos}, {"end", kEos}}},
          {"model", section_of(experiment, "model")},
          {"decode", section_of(experiment, "decode")}};
}

class ConfigReader {
 public:
  explicit ConfigReader(const fs::path& file) : file_(file), json_(read_json(file)) {
    const bool known = json_.is_object() && json_.value("format", json()) == kFormatName &&
                       json_.value("version", json()) == kFormatVersion;
    if (!known)
      throw InputError(fmt::format(R"({}: expected "format": "{}" and "version": {}, found other or neither)",
                                   file.string(), kFormatName, kFormatVersion));
  }

  models::ModelOptions options() const {
    const auto section = json_.value("model", json());
    if (!section.is_object())
      throw InputError(
          fmt::format("{}: 'model': expected options, found {}", file_.string(), section.dump()));
    config::Experiment experiment;
    for (const auto& [name, value] : section.items()) set(experiment, "model." + name, value);
    experiment.data.max_tokens = 1;  // no key of this file, so nothing can contradict it
    if (const auto problem = config::find_problem(experiment))
      throw InputError(fmt::format("{}: '{}': {}", file_.string(), problem->keys.front(), problem->message));
    return experiment.model;
  }

 private:
  void set(config::Experiment& experiment, const std::string& name, const json& value) const {
    const auto* key = config::find_key(name);
    if (key == nullptr || key->kind != config::Key::Kind::plain)
      throw InputError(fmt::format("{}: '{}' is no option", file_.string(), name));
    const auto text = value.is_string() ? value.get<std::string>() : value.dump();
    if (!key->set(experiment, {.text = text}))
      throw InputError(
          fmt::format("{}: '{}': expected {}, found {}", file_.string(), name, key->expected, value.dump()));
  }

  fs::path file_;
  json json_;
};

}  // namespace

void write_safetensors_folder(const checkpoints::LoadedModel& model, const fs::path& folder) {
  check_no_variants(model.experiment.model, "safetensors");
  const auto tokenizers = write_plain_tokenizers(model.tokenizers, folder);
  checkpoints::NamedTensors weights;
  for (const auto& [name, tensor] : weights_of(model.encoder_decoder()))
    weights.emplace_back(renamed(name, kOurNorm, kTheirNorm), tensor);
  checkpoints::save_safetensors(folder / checkpoints::kWeightsFile, weights, {{"format", "pt"}});
  write_json(folder / kConfigFile,
             config_of(model.experiment, model.model->vocabulary(), tokenizers.source == tokenizers.target));
}

Candidate read_safetensors_folder(const fs::path& folder, const torch::Device& device) {
  const auto options = ConfigReader(folder / kConfigFile).options();
  const auto file = folder / checkpoints::kWeightsFile;
  Weights weights;
  for (const auto& [name, tensor] : checkpoints::load_weights(file))
    weights.emplace(renamed(name, kTheirNorm, kOurNorm), tensor);
  const auto tokenizers = checkpoints::load_tokenizers(folder);
  auto model = model_with(weights, options, tokenizers.sizes(), file.string());
  runtime::move_to(*model, device);
  return candidate_of(model, tokenizers.source);
}

}  // namespace transformer::formats
