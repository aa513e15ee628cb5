#include "transformer/experiments/plan_file.h"

#include <fmt/format.h>

#include <string>
#include <type_traits>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

namespace transformer::experiments {
namespace fs = std::filesystem;
namespace {

/// Calls action(key, number) with each number of a measured estimate, by its name in plan.json.
template <typename Of, typename Action>
void for_each_number(Of& estimate, const Action& action) {
  action("parameters", estimate.parameters);
  action("flops", estimate.flops);
  action("source_tokens", estimate.source_tokens);
  action("target_tokens", estimate.target_tokens);
  action("peak_memory", estimate.peak_memory);
  action("seconds", estimate.seconds);
}

}  // namespace

nlohmann::ordered_json to_json(const Estimate& estimate) {
  nlohmann::ordered_json json;
  for_each_number(estimate, [&](const char* key, auto number) { json[key] = number; });
  return json;
}

Estimate from_json(const nlohmann::json& json) {
  Estimate estimate;
  for_each_number(estimate, [&](const char* key, auto& number) { json.at(key).get_to(number); });
  return estimate;
}

namespace {

bool is_estimate(const nlohmann::json& json) {
  bool all = json.is_object();
  const Estimate sample;
  for_each_number(sample, [&](const char* key, auto number) {
    all = all && json.contains(key) &&
          (std::is_integral_v<decltype(number)> ? json[key].is_number_integer() : json[key].is_number());
  });
  return all;
}

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

nlohmann::json read_plan_file(const fs::path& file) {
  if (!fs::exists(file)) return nlohmann::json::object();
  auto cache = nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  bool own = cache.is_object();
  for (const auto& [key, estimate] : cache.items()) own = own && is_sha256(key) && is_estimate(estimate);
  if (!own)
    throw InputError(
        fmt::format("{}: expected the plans that transformer-experiments made, found something else, which "
                    "is not replaced",
                    file.string()));
  return cache;
}

}  // namespace transformer::experiments
