#include "apps/model_output.h"

#include <fmt/format.h>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/base/own_files.h"
#include "transformer/checkpoints/model_directory.h"

namespace transformer::apps {
namespace {

/// What is written here is read again, or is a folder.
void refuse_standard_output(const std::filesystem::path& path) {
  if (path == "-") throw InputError("--output -: expected a name, since this cannot go to standard output");
}

}  // namespace

void check_model_output(const Output& output) {
  check_folder_output(output, "a model directory", [](const std::filesystem::path& path) {
    return exists(path / checkpoints::kWeightsFile);
  });
}

void check_folder_output(const Output& output, std::string_view kind,
                         bool (*is_alike)(const std::filesystem::path&)) {
  refuse_standard_output(output.path);
  check_whole_folder(output.path, output.inputs);
  if (!output.overwrite) refuse_existing(output.path);
  if (!exists(output.path)) return;
  if (!is_alike(output.path))
    throw InputError(fmt::format("{}: expected nothing or {}, found something else, which is not replaced",
                                 output.path.string(), kind));
  check_wholly_ours(output.path);
}

void check_file_output(const Output& output) {
  refuse_standard_output(output.path);
  check_output_file(output.path, output.inputs);
  if (!output.overwrite) refuse_existing(output.path);
}

}  // namespace transformer::apps
