#include "apps/model_output.h"

#include <fmt/format.h>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/store/model_directory.h"

namespace transformer::apps {

void check_model_output(const std::filesystem::path& output, bool overwrite) {
  if (!overwrite) refuse_existing(output);
  if (exists(output) && !exists(output / store::kWeightsFile))
    throw InputError(
        fmt::format("{}: expected nothing or a model directory, found something else, which is not replaced",
                    output.string()));
}

}  // namespace transformer::apps
