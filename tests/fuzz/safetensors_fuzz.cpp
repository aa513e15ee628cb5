// The header of a safetensors file. No memory is taken for tensors here: what the header promises has to fit
// the file.
#include <sstream>

#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"
#include "transformer/checkpoints/safetensors_header.h"

namespace transformer::fuzz {
namespace {

using checkpoints::SafetensorsHeader;

std::optional<SafetensorsHeader> read(std::string_view bytes) {
  std::istringstream stream{std::string(bytes)};
  auto header = accepted(
      [&] { return checkpoints::read_safetensors_header(stream, bytes.size(), "model.safetensors"); });
  if (header) {
    const auto place = static_cast<std::uint64_t>(stream.tellg());
    const auto end = header->tensors.empty() ? 0 : header->tensors.back().end;
    require(place + end == bytes.size(), "the tensors fill the file");
  }
  return header;
}

std::string file_of(const SafetensorsHeader& header) {
  return checkpoints::print_safetensors_header(header) +
         std::string(header.tensors.empty() ? 0 : header.tensors.back().end, 'x');
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      file_of({}), file_of({{{"format", "pt"}}, {{"bias", 2, {3}, 0, 12}, {"weight", 5, {2, 3}, 12, 24}}}),
      file_of({{}, {{"scalar", 0, {}, 0, 8}, {"empty", 2, {0, 7}, 8, 8}, {"flag", 9, {1, 1, 5}, 8, 13}}})};
}

std::vector<std::string> words() {
  std::vector<std::string> all = {
      "\"__metadata__\":{",       "\"dtype\":", "\"shape\":[", "\"data_offsets\":[0,",
      "9223372036854775807",      "0,",         "1e999",       "-1",
      "18446744073709551615",     "null",       "{}",          "[[[[[[[[",
      "\"t\":{\"dtype\":\"F32\"", "\\n",        "\\ud800",     "4294967296",
  };
  for (const auto& dtype : checkpoints::dtypes) all.push_back('"' + std::string(dtype.name) + '"');
  return all;
}

}  // namespace transformer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace transformer::fuzz;
  if (const auto header = read(text_of(data, size))) {
    require(read(file_of(*header)) == header, "a header reads back as it was printed");
  }
  return 0;
}
