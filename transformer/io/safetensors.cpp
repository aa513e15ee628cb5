#include "transformer/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"

static_assert(std::endian::native == std::endian::little, "the format is little endian");

namespace transformer::io {
namespace fs = std::filesystem;
namespace {

struct Dtype {
  std::string_view name;
  torch::ScalarType type;
};

// In the order in which the reference implementation lays tensors out: wide types first, so that each
// tensor's bytes are aligned.
constexpr std::array<Dtype, 10> dtypes = {{{"I64", torch::kInt64},
                                           {"F64", torch::kFloat64},
                                           {"F32", torch::kFloat32},
                                           {"I32", torch::kInt32},
                                           {"BF16", torch::kBFloat16},
                                           {"F16", torch::kFloat16},
                                           {"I16", torch::kInt16},
                                           {"I8", torch::kInt8},
                                           {"U8", torch::kUInt8},
                                           {"BOOL", torch::kBool}}};

constexpr std::uint64_t longest_header = 100'000'000;  // the reference implementation's limit

struct Entry {
  std::string name;
  std::size_t dtype;  // index into dtypes
  torch::Tensor tensor;
};

/// What the header says of one tensor.
struct Place {
  std::string name;
  torch::ScalarType type;
  std::vector<std::int64_t> shape;
  std::uint64_t begin;
  std::uint64_t end;
};

std::uint64_t unsigned_number(const nlohmann::json& value) {
  if (!value.is_number_unsigned()) throw std::runtime_error("expected a number from 0 up");
  return value.get<std::uint64_t>();
}

/// Throws std::runtime_error or a JSON exception; the caller adds the names of the file and the tensor.
Place parse_place(const std::string& name, const nlohmann::json& value) {
  const auto& dtype = value.at("dtype").get_ref<const std::string&>();
  const auto* known =
      std::find_if(dtypes.begin(), dtypes.end(), [&](const Dtype& d) { return d.name == dtype; });
  if (known == dtypes.end()) throw std::runtime_error(fmt::format("unknown dtype \"{}\"", dtype));

  Place place{.name = name, .type = known->type, .shape = {}, .begin = 0, .end = 0};
  std::uint64_t bytes = c10::elementSize(known->type);
  const auto& shape = value.at("shape");
  if (!shape.is_array()) throw std::runtime_error("the shape is no list");
  for (const auto& size : shape) {
    const std::uint64_t count = unsigned_number(size);
    if (__builtin_mul_overflow(bytes, count, &bytes) || count > INT64_MAX) {
      throw std::runtime_error(fmt::format("the shape {} is too large", shape.dump()));
    }
    place.shape.push_back(static_cast<std::int64_t>(count));
  }
  const auto& offsets = value.at("data_offsets");
  if (!offsets.is_array() || offsets.size() != 2) throw std::runtime_error("data_offsets is no pair");
  place.begin = unsigned_number(offsets[0]);
  place.end = unsigned_number(offsets[1]);
  if (place.end < place.begin || place.end - place.begin != bytes) {
    throw std::runtime_error(fmt::format("{} of shape {} needs {} bytes, but data_offsets is {}", dtype,
                                         shape.dump(), bytes, offsets.dump()));
  }
  return place;
}

/// Reads and checks the header; `file` is left at the first tensor's bytes.
std::vector<Place> read_header(std::ifstream& file, const fs::path& path,
                               std::map<std::string, std::string>* metadata) {
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}: not a whole safetensors file: {}", path.string(), what));
  };
  const std::uint64_t size = fs::file_size(path);
  std::uint64_t header_size = 0;
  if (size < sizeof header_size || !file.read(reinterpret_cast<char*>(&header_size), sizeof header_size)) {
    fail(fmt::format("expected at least 8 bytes, found {}", size));
  }
  if (header_size > size - sizeof header_size || header_size > longest_header) {
    fail(fmt::format("the header should have {} bytes, but the file has {}", header_size, size));
  }
  std::string text(header_size, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) fail("reading failed");

  std::vector<Place> places;
  std::string name;
  try {
    const auto header = nlohmann::json::parse(text);
    if (!header.is_object()) fail("the header is no JSON object");
    for (const auto& item : header.items()) {
      name = item.key();
      if (name != "__metadata__") {
        places.push_back(parse_place(name, item.value()));
      } else if (const auto values = item.value().get<std::map<std::string, std::string>>(); metadata) {
        *metadata = values;
      }
    }
  } catch (const InputError&) {
    throw;
  } catch (const nlohmann::json::parse_error& error) {
    fail(fmt::format("the header is no JSON (byte {})", error.byte));
  } catch (const std::exception& error) {
    fail(fmt::format("tensor \"{}\": {}", name, error.what()));
  }

  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::uint64_t position = 0;
  for (const auto& place : places) {
    if (place.begin != position) {
      fail(fmt::format("tensor \"{}\" begins at byte {} of the data, expected {}", place.name, place.begin,
                       position));
    }
    position = place.end;
  }
  if (const std::uint64_t data = size - sizeof header_size - header_size; position != data) {
    fail(fmt::format("expected {} bytes of data, found {}", position, data));
  }
  return places;
}

std::vector<Entry> laid_out(const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  std::vector<Entry> entries;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined()) throw std::invalid_argument(fmt::format("tensor \"{}\" is undefined", name));
    const auto type = tensor.scalar_type();
    const auto* known =
        std::find_if(dtypes.begin(), dtypes.end(), [&](const Dtype& d) { return d.type == type; });
    if (known == dtypes.end()) {
      throw std::invalid_argument(
          fmt::format("tensor \"{}\": safetensors has no {}", name, c10::toString(type)));
    }
    entries.push_back({name, static_cast<std::size_t>(known - dtypes.begin()), tensor.detach()});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.dtype, a.name) < std::tie(b.dtype, b.name);
  });
  return entries;
}

}  // namespace

void save_safetensors(const fs::path& path, const std::vector<std::pair<std::string, torch::Tensor>>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  const auto entries = laid_out(tensors);
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t position = 0;
  for (const auto& [name, dtype, tensor] : entries) {
    if (header.contains(name)) throw std::invalid_argument(fmt::format("two tensors named \"{}\"", name));
    const std::uint64_t end = position + tensor.nbytes();
    header[name] = {
        {"dtype", dtypes[dtype].name}, {"shape", tensor.sizes()}, {"data_offsets", {position, end}}};
    position = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');

  AtomicFile file(path);
  const std::uint64_t header_size = text.size();
  file.write(&header_size, sizeof header_size);
  file.write(text);
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
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& place : read_header(file, path, metadata)) {
    auto tensor = torch::empty(place.shape, place.type);
    if (!file.read(static_cast<char*>(tensor.mutable_data_ptr()),
                   static_cast<std::streamsize>(tensor.nbytes()))) {
      throw InputError(fmt::format("{}: reading tensor \"{}\" failed", path.string(), place.name));
    }
    tensors.emplace(place.name, tensor);
  }
  return tensors;
}

}  // namespace transformer::io
