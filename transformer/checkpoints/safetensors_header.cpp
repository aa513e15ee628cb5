#include "transformer/checkpoints/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

#include "transformer/base/error.h"

static_assert(std::endian::native == std::endian::little, "the format is little endian");

namespace transformer::checkpoints {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;  // the reference implementation's limit

/// In double quotes and on one line, whatever it holds.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::uint64_t unsigned_number(const nlohmann::json& value) {
  if (!value.is_number_unsigned()) throw std::runtime_error("expected a number from 0 up");
  return value.get<std::uint64_t>();
}

std::vector<std::int64_t> parse_shape(const nlohmann::json& shape, std::uint64_t element_bytes) {
  if (!shape.is_array()) throw std::runtime_error("the shape is no list");
  std::vector<std::int64_t> sizes;
  std::uint64_t bytes = element_bytes;
  for (const auto& size : shape) {
    const std::uint64_t count = unsigned_number(size);
    // A size of 0 counts as 1: an empty tensor's strides are products of its other sizes.
    if (__builtin_mul_overflow(bytes, std::max<std::uint64_t>(count, 1), &bytes) || bytes > INT64_MAX) {
      throw std::runtime_error(fmt::format("the shape {} is too large", shape.dump()));
    }
    sizes.push_back(static_cast<std::int64_t>(count));
  }
  return sizes;
}

std::uint64_t bytes_of(const std::vector<std::int64_t>& shape, std::uint64_t element_bytes) {
  std::uint64_t bytes = element_bytes;
  for (const auto size : shape) bytes *= static_cast<std::uint64_t>(size);
  return bytes;
}

/// Throws std::runtime_error or a JSON exception; the caller adds the names of the file and the tensor.
TensorPlace parse_place(const std::string& name, const nlohmann::json& value) {
  const auto& dtype = value.at("dtype").get_ref<const std::string&>();
  const auto* known =
      std::find_if(dtypes.begin(), dtypes.end(), [&](const Dtype& d) { return d.name == dtype; });
  if (known == dtypes.end()) throw std::runtime_error(fmt::format("unknown dtype {}", quoted(dtype)));

  TensorPlace place{.name = name, .dtype = static_cast<std::size_t>(known - dtypes.begin())};
  const auto& shape = value.at("shape");
  place.shape = parse_shape(shape, known->bytes);
  const auto& offsets = value.at("data_offsets");
  if (!offsets.is_array() || offsets.size() != 2) throw std::runtime_error("data_offsets is no pair");
  place.begin = unsigned_number(offsets[0]);
  place.end = unsigned_number(offsets[1]);
  const std::uint64_t bytes = bytes_of(place.shape, known->bytes);
  if (place.end < place.begin || place.end - place.begin != bytes) {
    throw std::runtime_error(fmt::format("{} of shape {} needs {} bytes, but data_offsets is {}", dtype,
                                         shape.dump(), bytes, offsets.dump()));
  }
  return place;
}

/// Throws what parse_place does, with the tensor's name, or a JSON parse error.
SafetensorsHeader parse_header(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  if (!json.is_object()) throw std::runtime_error("the header is no JSON object");
  SafetensorsHeader header;
  for (const auto& item : json.items()) {
    try {
      if (item.key() == "__metadata__") {
        item.value().get_to(header.metadata);
      } else {
        header.tensors.push_back(parse_place(item.key(), item.value()));
      }
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("tensor {}: {}", quoted(item.key()), error.what()));
    }
  }
  std::ranges::sort(header.tensors, [](const TensorPlace& a, const TensorPlace& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  return header;
}

/// Throws std::runtime_error unless the tensors fill `bytes` without gaps.
void check_places(const std::vector<TensorPlace>& tensors, std::uint64_t bytes) {
  std::uint64_t position = 0;
  for (const auto& place : tensors) {
    if (place.begin != position) {
      throw std::runtime_error(fmt::format("tensor {} begins at byte {} of the data, expected {}",
                                           quoted(place.name), place.begin, position));
    }
    position = place.end;
  }
  if (position != bytes)
    throw std::runtime_error(fmt::format("expected {} bytes of data, found {}", position, bytes));
}

}  // namespace

SafetensorsHeader read_safetensors_header(std::istream& file, std::uint64_t size, const std::string& name) {
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}: not a whole safetensors file: {}", name, what));
  };
  std::uint64_t header_size = 0;
  if (size < sizeof header_size || !file.read(reinterpret_cast<char*>(&header_size), sizeof header_size)) {
    fail(fmt::format("expected at least 8 bytes, found {}", size));
  }
  if (header_size > size - sizeof header_size || header_size > longest_header) {
    fail(fmt::format("the header should have {} bytes, but the file has {}", header_size, size));
  }
  std::string text(header_size, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) fail("reading failed");
  SafetensorsHeader header;
  try {
    header = parse_header(text);
    check_places(header.tensors, size - sizeof header_size - header_size);
  } catch (const nlohmann::json::parse_error& error) {
    fail(fmt::format("the header is no JSON (byte {})", error.byte));
  } catch (const nlohmann::json::exception& error) {  // such as a number beyond all ranges
    fail(error.what());
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
  return header;
}

std::string print_safetensors_header(const SafetensorsHeader& header) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (!header.metadata.empty()) json["__metadata__"] = header.metadata;
  for (const auto& place : header.tensors) {
    if (json.contains(place.name))
      throw std::invalid_argument(fmt::format("two tensors named \"{}\"", place.name));
    json[place.name] = {{"dtype", dtypes[place.dtype].name},
                        {"shape", place.shape},
                        {"data_offsets", {place.begin, place.end}}};
  }
  std::string text = json.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t size = text.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + text;
}

}  // namespace transformer::checkpoints
