// A model directory as a program's output.
#pragma once

#include <filesystem>

namespace transformer::apps {

/// Before the work begins: only a model is ever replaced, and only when asked. Else throws InputError.
void check_model_output(const std::filesystem::path& output, bool overwrite);

}  // namespace transformer::apps
