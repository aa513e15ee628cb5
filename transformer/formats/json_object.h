// JSON files of other programs, read with care.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace transformer::formats {

/// A file that holds one JSON object. A key that is absent or null gives nothing; one of another kind than
/// expected is an InputError of one line that names file, key and both.
class JsonObject {
 public:
  /// An object without keys, in the place of a file that need not exist.
  JsonObject() = default;
  /// Throws InputError when the file is missing or holds anything but an object.
  explicit JsonObject(const std::filesystem::path& file);

  const nlohmann::json& content() const { return content_; }
  const std::filesystem::path& file() const { return file_; }

  std::optional<std::int64_t> integer(const std::string& key, std::int64_t least,
                                      std::int64_t most = std::numeric_limits<std::int32_t>::max()) const;
  std::optional<double> real(const std::string& key, double least, double most) const;
  std::optional<bool> boolean(const std::string& key) const;
  std::optional<std::string> text(const std::string& key) const;

  /// Null where a key is absent or null.
  const nlohmann::json* find(const std::string& key) const;
  /// A key's value on one line of a message, cut short.
  std::string shown(const std::string& key) const;

  /// Throws the InputError about a key.
  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const;

 private:
  std::filesystem::path file_;
  nlohmann::json content_ = nlohmann::json::object();
};

}  // namespace transformer::formats
