#include "apps/model_output.h"

#include <fmt/format.h>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/store/model_directory.h"

namespace transformer::apps {

void check_model_output(const std::filesystem::path& output, bool overwrite) {
  check_output(output, overwrite, "a model directory",
               [](const std::filesystem::path& path) { return exists(path / store::kWeightsFile); });
}

void check_output(const std::filesystem::path& output, bool overwrite, std::string_view kind,
                  bool (*is_alike)(const std::filesystem::path&)) {
  if (!overwrite) refuse_existing(output);
  if (exists(output) && !is_alike(output))
    throw InputError(fmt::format("{}: expected nothing or {}, found something else, which is not replaced",
                                 output.string(), kind));
}

}  // namespace transformer::apps
