#include "transformer/interop/formats.h"

#include "transformer/interop/marian_export.h"
#include "transformer/interop/marian_import.h"

namespace transformer::interop {
namespace {

Format marian() {
  return {.name = "marian",
          .description = "a folder that transformers (MarianMTModel) and its kin load",
          .write = export_marian,
          .read = [](const std::filesystem::path& path, const torch::Device& device) {
            auto model = import_marian(path).model;
            model->to(device);
            return candidate_of(model);
          }};
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {marian()};
  return all;
}

}  // namespace transformer::interop
