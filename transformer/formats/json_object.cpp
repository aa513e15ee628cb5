#include "transformer/formats/json_object.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/formats/json_file.h"

namespace transformer::formats {
namespace {

using nlohmann::json;

/// A value on one line of a message.
std::string one_line(const json& value) {
  constexpr std::size_t kLongest = 60;
  auto text = value.dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
  return text;
}

}  // namespace

JsonObject::JsonObject(const std::filesystem::path& file) : file_(file) {
  content_ = read_json(file);
  if (!content_.is_object())
    throw InputError(fmt::format("{}: expected a JSON object, found {}", file.string(), one_line(content_)));
}

const json* JsonObject::find(const std::string& key) const {
  const auto found = content_.find(key);
  return found == content_.end() || found->is_null() ? nullptr : &*found;
}

std::string JsonObject::shown(const std::string& key) const {
  const auto* value = find(key);
  return value == nullptr ? "nothing" : one_line(*value);
}

void JsonObject::refuse(const std::string& key, const std::string& expected) const {
  throw InputError(
      fmt::format("{}: key '{}': expected {}, found {}", file_.string(), key, expected, shown(key)));
}

std::optional<std::int64_t> JsonObject::integer(const std::string& key, std::int64_t least,
                                                std::int64_t most) const {
  const auto* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_integer() && *value >= least && *value <= most;
  if (!fits) refuse(key, fmt::format("a whole number from {} to {}", least, most));
  return value->get<std::int64_t>();
}

std::optional<double> JsonObject::real(const std::string& key, double least, double most) const {
  const auto* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number() && value->get<double>() >= least && value->get<double>() <= most;
  if (!fits) refuse(key, fmt::format("a number from {} to {}", least, most));
  return value->get<double>();
}

std::optional<bool> JsonObject::boolean(const std::string& key) const {
  const auto* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) refuse(key, "true or false");
  return value->get<bool>();
}

std::optional<std::string> JsonObject::text(const std::string& key) const {
  const auto* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(key, "text");
  return value->get<std::string>();
}

}  // namespace transformer::formats
