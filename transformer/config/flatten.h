// From YAML text to single assignments, in the order of the text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transformer/config/keys.h"

namespace transformer::config {

/// One key set to one value.
struct Assignment {
  const Key* key = nullptr;
  Value value;
  std::string origin;  ///< where it stands, for messages: "base.yaml:7"
};

/// Reads a file's text; `name` stands for it in messages. Throws InputError "name:line: …" for text that is
/// not YAML in UTF-8, for keys that do not exist or stand twice, and for values that are lists or sections.
std::vector<Assignment> flatten(const std::string& text, const std::string& name);

/// Throws InputError "origin: key '…': message", on one line whatever stands in them.
[[noreturn]] void reject(const std::string& origin, const std::string& key, const std::string& message);

/// Throws such an error for the key, `extends` or one like it, unless `file`, which it names, exists: mostly
/// it was looked for in another folder than was meant.
void check_extends(const std::string& origin, const std::filesystem::path& file,
                   const std::string& key = "extends");

}  // namespace transformer::config
