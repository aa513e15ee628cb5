#include "transformer/formats/safetensors/folder_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/formats/safetensors/folder_weights.h"

namespace transformer::formats {

using torch::Tensor;

FolderTensors::FolderTensors(const std::filesystem::path& folder)
    : file_(folder_weights_file(folder)), tensors_(load_folder_weights(folder)) {}

Tensor FolderTensors::take(const std::string& name, const std::vector<std::int64_t>& shape) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw InputError(fmt::format("{}: '{}' is missing", file_.string(), name));
  const auto& tensor = found->second;
  const bool fits = std::ranges::equal(tensor.sizes(), shape,
                                       [](auto size, auto wanted) { return wanted < 0 || size == wanted; });
  if (!fits || !tensor.is_floating_point())
    throw InputError(fmt::format("{}: '{}' should be of floating-point numbers [{}], found {} [{}]",
                                 file_.string(), name, fmt::join(shape, ", "),
                                 c10::toString(tensor.scalar_type()), fmt::join(tensor.sizes(), ", ")));
  used_.insert(name);
  return tensor.to(torch::kFloat);
}

Tensor FolderTensors::take_first(const std::vector<const char*>& names,
                                 const std::vector<std::int64_t>& shape) {
  const auto found = std::ranges::find_if(names, [&](const char* name) { return has(name); });
  return take(found == names.end() ? names.front() : *found, shape);
}

void FolderTensors::take_repeated(const std::string& name, const Tensor& tied) {
  if (!has(name)) return;
  if (!torch::equal(take(name, tied.sizes().vec()), tied))
    throw InputError(
        fmt::format("{}: '{}': expected the very numbers of the matrix that config.json ties it to, "
                    "found others",
                    file_.string(), name));
}

void FolderTensors::check_all_used(const char* kind) const {
  for (const auto& [name, tensor] : tensors_)
    if (!used_.contains(name))
      throw InputError(fmt::format("{}: holds '{}', which {} of config.json has not", file_.string(),
                                   printable(name), kind));
}

void FolderTensors::check_size(std::int64_t expected, std::int64_t times, std::int64_t more) const {
  std::int64_t numbers = 0;
  for (const auto& [name, tensor] : tensors_) numbers += tensor.numel();
  if (expected > times * numbers + more)
    throw InputError(fmt::format("{}: expected the {} weights of config.json, found {}", file_.string(),
                                 expected, numbers));
}

}  // namespace transformer::formats
