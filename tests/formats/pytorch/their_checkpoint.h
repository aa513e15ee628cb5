// Files as torch.save writes them, made byte by byte.
#pragma once

#include <torch/types.h>
#include <zlib.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace transformer::test {

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8U) text += static_cast<char>(value & 0xFFU);
  return text;
}

/// A zip archive of entries as they are.
inline std::string stored_zip(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string archive, directory;
  for (const auto& [name, content] : entries) {
    const auto checksum = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    // Method, time, date, checksum, sizes, length of the name, of the extra field.
    const auto about = little_endian(0, 2) + little_endian(0, 4) + little_endian(checksum, 4) +
                       little_endian(content.size(), 4) + little_endian(content.size(), 4) +
                       little_endian(name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(0, 6) + about + little_endian(0, 10) +
                 little_endian(archive.size(), 4) + name;
    archive += "PK\x03\x04" + little_endian(0, 4) + about + name + content;
  }
  const auto begin = archive.size();
  return archive + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(entries.size(), 2) +
         little_endian(entries.size(), 2) + little_endian(directory.size(), 4) + little_endian(begin, 4) +
         little_endian(0, 2);
}

/// Instructions of a pickle.
inline std::string pickled_text(const std::string& text) {
  return "X" + little_endian(text.size(), 4) + text;
}
inline std::string pickled_integer(std::int64_t value) {
  return "J" + little_endian(static_cast<std::uint64_t>(value), 4);
}
inline std::string pickled_integers(const std::vector<std::int64_t>& values) {
  std::string tuple = "(";
  for (const auto value : values) tuple += pickled_integer(value);
  return tuple + "t";
}

/// A tensor of fp32 in the storage `key`.
inline std::string pickled_tensor(const std::string& key, const std::vector<std::int64_t>& sizes,
                                  const std::vector<std::int64_t>& strides, std::int64_t offset = 0) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + pickled_text("storage") + "ctorch\nFloatStorage\n" +
         pickled_text(key) + pickled_text("cuda:0") + pickled_integer(1) + "tQ" + pickled_integer(offset) +
         pickled_integers(sizes) + pickled_integers(strides) + "\x89" + "ccollections\nOrderedDict\n)RtR";
}

inline std::string bytes_of(const torch::Tensor& tensor) {
  const auto numbers = tensor.contiguous();
  return {static_cast<const char*>(numbers.const_data_ptr()), numbers.nbytes()};
}

/// A checkpoint whose pickle is `data`.
inline std::string checkpoint_of(const std::string& data,
                                 const std::map<std::string, torch::Tensor>& storages) {
  std::vector<std::pair<std::string, std::string>> entries{{"archive/data.pkl", "\x80\x02" + data + "."}};
  for (const auto& [key, tensor] : storages) entries.emplace_back("archive/data/" + key, bytes_of(tensor));
  return stored_zip(entries);
}

/// A state_dict of these tensors.
inline std::string pickled_state(const std::map<std::string, torch::Tensor>& tensors) {
  std::string data = "ccollections\nOrderedDict\n)R(";
  for (const auto& [name, tensor] : tensors)
    data +=
        pickled_text(name) + pickled_tensor(name, tensor.sizes().vec(), tensor.contiguous().strides().vec());
  return data + "u";
}

}  // namespace transformer::test
