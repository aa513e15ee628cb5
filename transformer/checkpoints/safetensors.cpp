#include "transformer/checkpoints/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/checkpoints/safetensors_header.h"

namespace transformer::checkpoints {
namespace fs = std::filesystem;
namespace {

// In the order of `dtypes`.
constexpr std::array<torch::ScalarType, dtypes.size()> types = {
    torch::kInt64,   torch::kFloat64, torch::kFloat32, torch::kInt32, torch::kBFloat16,
    torch::kFloat16, torch::kInt16,   torch::kInt8,    torch::kUInt8, torch::kBool};

struct Entry {
  std::string name;
  std::size_t dtype;  // index into dtypes
  torch::Tensor tensor;
};

std::vector<Entry> laid_out(const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  std::vector<Entry> entries;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined()) throw std::invalid_argument(fmt::format("tensor \"{}\" is undefined", name));
    const auto type = tensor.scalar_type();
    const auto* known = std::find(types.begin(), types.end(), type);
    if (known == types.end()) {
      throw std::invalid_argument(
          fmt::format("tensor \"{}\": safetensors has no {}", name, c10::toString(type)));
    }
    entries.push_back({name, static_cast<std::size_t>(known - types.begin()), tensor.detach()});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.dtype, a.name) < std::tie(b.dtype, b.name);
  });
  return entries;
}

/// In one pass and without a copy: a NaN makes both the least and the largest number NaN.
void check_finite(const torch::Tensor& tensor, const std::string& name, const fs::path& path) {
  if (!tensor.is_floating_point() || tensor.numel() == 0) return;
  const auto [least, largest] = torch::aminmax(tensor);
  for (const auto& extreme : {least, largest}) {
    const auto value = extreme.item<double>();
    if (!(std::abs(value) <= std::numeric_limits<float>::max()))
      throw InputError(fmt::format("{}: tensor \"{}\": expected finite numbers, found {}", path.string(),
                                   printable(name), std::isnan(value) ? std::abs(value) : value));
  }
}

}  // namespace

void save_safetensors(const fs::path& path, const std::vector<std::pair<std::string, torch::Tensor>>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  const auto entries = laid_out(tensors);
  SafetensorsHeader header{.metadata = metadata, .tensors = {}};
  std::uint64_t position = 0;
  for (const auto& [name, dtype, tensor] : entries) {
    const std::uint64_t end = position + tensor.nbytes();
    header.tensors.push_back({name, dtype, tensor.sizes().vec(), position, end});
    position = end;
  }
  const std::string front = print_safetensors_header(header);

  AtomicFile file(path);
  file.write(front);
  for (const auto& entry : entries) {
    const auto tensor = entry.tensor.to(torch::kCPU).contiguous();
    file.write(tensor.const_data_ptr(), tensor.nbytes());
  }
  file.commit();
}

std::map<std::string, torch::Tensor> load_safetensors(const fs::path& path,
                                                      std::map<std::string, std::string>* metadata) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file || !fs::is_regular_file(path)) {
    const std::string reason = file ? "not a regular file" : std::generic_category().message(errno);
    throw InputError(fmt::format("{}: cannot be read: {}", path.string(), reason));
  }
  auto header = read_safetensors_header(file, fs::file_size(path), path.string());
  if (metadata != nullptr) *metadata = std::move(header.metadata);
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& place : header.tensors) {
    auto tensor = torch::empty(place.shape, types.at(place.dtype));
    if (!file.read(static_cast<char*>(tensor.mutable_data_ptr()),
                   static_cast<std::streamsize>(tensor.nbytes()))) {
      throw InputError(fmt::format("{}: reading tensor \"{}\" failed", path.string(), place.name));
    }
    tensors.emplace(place.name, tensor);
  }
  return tensors;
}

std::map<std::string, torch::Tensor> load_weights(const fs::path& path) {
  auto tensors = load_safetensors(path);
  for (const auto& [name, tensor] : tensors) check_finite(tensor, name, path);
  return tensors;
}

}  // namespace transformer::checkpoints
