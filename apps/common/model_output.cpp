#include "apps/common/model_output.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/base/own_files.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/checkpoints/tokenizers.h"
#include "transformer/train/averaging.h"

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

void write_mean_model(const Output& output, const config::Experiment& experiment) {
  const auto& checkpoints = output.inputs;
  AtomicDirectory folder(output.path);
  checkpoints::write_model_files(folder.temporary(), train::average_weights(checkpoints), experiment,
                                 checkpoints::load_tokenizers(checkpoints.back()));
  write_checksums(folder.temporary());
  folder.commit(output.overwrite ? AtomicDirectory::Existing::replace : AtomicDirectory::Existing::refuse);
  spdlog::info("{}: the mean of {} checkpoints, {} to {}", output.path.string(), checkpoints.size(),
               checkpoints.front().filename().string(), checkpoints.back().filename().string());
}

}  // namespace transformer::apps
