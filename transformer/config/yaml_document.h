// YAML files, read strictly. For this library's own use: the only header with yaml-cpp's types.
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <string>

namespace transformer::config {

/// Where something stands, for messages: "base.yaml:7".
std::string place(const std::string& name, const YAML::Mark& mark);

/// What a node is, for messages: "a list".
std::string describe(const YAML::Node& node);

/// Calls `read` with the only document of a text; `name` stands for the file in messages. Throws InputError
/// "name:line: …" for text that is not YAML in UTF-8, also when `read` is what finds out.
void with_document(const std::string& text, const std::string& name,
                   const std::function<void(const YAML::Node& root)>& read);

}  // namespace transformer::config
