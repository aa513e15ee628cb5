// A model as a program's output.
#pragma once

#include <filesystem>
#include <string_view>

namespace transformer::apps {

/// Before the work begins: only a model is ever replaced, and only when asked. Else throws InputError.
void check_model_output(const std::filesystem::path& output, bool overwrite);

/// The same for any output; `is_alike` says whether what lies there is what the program writes, which `kind`
/// names ("a model directory").
void check_output(const std::filesystem::path& output, bool overwrite, std::string_view kind,
                  bool (*is_alike)(const std::filesystem::path&));

}  // namespace transformer::apps
