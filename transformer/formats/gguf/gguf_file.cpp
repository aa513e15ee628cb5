#include "transformer/formats/gguf/gguf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/text_file.h"

namespace transformer::formats {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::string_view kGgufMagic = "GGUF";
constexpr std::uint32_t kGgufVersion = 3, kGgufArray = 9, kGgufHighestRank = 4;
constexpr std::uint64_t kGgufAlignment = 32;

/// GGUF's number of a value's type, of an array that of its elements.
template <typename T>
constexpr std::uint32_t kNumberOf = 0;
template <>
constexpr std::uint32_t kNumberOf<std::uint32_t> = 4;
template <>
constexpr std::uint32_t kNumberOf<std::int32_t> = 5;
template <>
constexpr std::uint32_t kNumberOf<float> = 6;
template <>
constexpr std::uint32_t kNumberOf<bool> = 7;
template <>
constexpr std::uint32_t kNumberOf<std::string> = 8;

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment;
}

class GgufWriter {
 public:
  explicit GgufWriter(const std::filesystem::path& path) : file_(path) {}

  void bytes(const void* from, std::uint64_t count) {
    file_.write(from, count);
    written_ += count;
  }

  template <typename T>
  void number(T value) {
    bytes(&value, sizeof value);
  }

  void write(const std::string& text) {
    number<std::uint64_t>(text.size());
    bytes(text.data(), text.size());
  }
  template <typename T>
  void write(const T& value) {
    number(value);
  }

  template <typename T>
  void value(const T& one) {
    number(kNumberOf<T>);
    write(one);
  }
  template <typename T>
  void value(const std::vector<T>& array) {
    number(kGgufArray);
    number(kNumberOf<T>);
    number<std::uint64_t>(array.size());
    for (const auto& one : array) write(one);
  }

  void align() {
    constexpr std::array<char, kGgufAlignment> kNothing{};
    bytes(kNothing.data(), aligned(written_) - written_);
  }

  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
  std::uint64_t written_ = 0;
};

}  // namespace

void refuse_gguf_key(const std::string& key, const std::string& source) {
  throw InputError(fmt::format("{}: key '{}': expected another value, or one at all", source, key));
}

void save_gguf(const std::filesystem::path& path, const GgufFile& file) {
  GgufWriter writer(path);
  writer.bytes(kGgufMagic.data(), kGgufMagic.size());
  writer.number(kGgufVersion);
  writer.number<std::uint64_t>(file.tensors.size());
  writer.number<std::uint64_t>(file.metadata.size());
  for (const auto& [key, value] : file.metadata) {
    writer.write(key);
    std::visit([&](const auto& one) { writer.value(one); }, value);
  }
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : file.tensors) {
    const auto sizes = tensor.values.sizes();
    writer.write(name);
    writer.number(static_cast<std::uint32_t>(sizes.size()));
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
      writer.number(static_cast<std::uint64_t>(*size));
    writer.number(static_cast<std::uint32_t>(tensor.type));
    writer.number(offset);
    offset += aligned(gguf_bytes(tensor.type, static_cast<std::uint64_t>(tensor.values.numel())));
  }
  for (const auto& [name, tensor] : file.tensors) {
    writer.align();
    const auto bytes = gguf_encoded(tensor.values, tensor.type);
    writer.bytes(bytes.const_data_ptr(), bytes.nbytes());
  }
  writer.align();
  writer.commit();
}

namespace {

class GgufReader {
 public:
  explicit GgufReader(const std::filesystem::path& path)
      : path_(path), content_(read_file(path, std::numeric_limits<std::uintmax_t>::max())) {}

  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(fmt::format("{}: {}", path_.string(), problem));
  }

  const char* bytes(std::uint64_t count) {
    if (count > content_.size() - place_)
      refuse(fmt::format("is cut short: expected {} bytes from byte {} on, found {}", count, place_,
                         content_.size() - place_));
    const auto* first = content_.data() + place_;
    place_ += count;
    return first;
  }

  template <typename T>
  T number() {
    T value{};
    std::memcpy(&value, bytes(sizeof value), sizeof value);
    return value;
  }

  template <typename T>
  T read() {
    if constexpr (std::is_same_v<T, std::string>) {
      const auto size = number<std::uint64_t>();
      return {bytes(size), size};
    } else if constexpr (std::is_same_v<T, bool>) {
      return number<std::uint8_t>() != 0;
    } else {
      return number<T>();
    }
  }

  template <typename T>
  std::vector<T> array() {
    const auto count = number<std::uint64_t>();
    std::vector<T> all;
    for (std::uint64_t i = 0; i < count; ++i) all.push_back(read<T>());
    return all;
  }

  GgufValue value(const std::string& key) {
    const auto type = number<std::uint32_t>();
    const auto element = type == kGgufArray ? number<std::uint32_t>() : 0;
    if (type == kNumberOf<std::uint32_t>) return read<std::uint32_t>();
    if (type == kNumberOf<std::int32_t>) return read<std::int32_t>();
    if (type == kNumberOf<float>) return read<float>();
    if (type == kNumberOf<bool>) return read<bool>();
    if (type == kNumberOf<std::string>) return read<std::string>();
    if (element == kNumberOf<std::string>) return array<std::string>();
    if (element == kNumberOf<float>) return array<float>();
    if (element == kNumberOf<std::int32_t>) return array<std::int32_t>();
    refuse(fmt::format("key '{}': expected a type that this program writes, found {}", printable(key), type));
  }

  /// Reads one tensor's description; its numbers begin at `offset` behind all descriptions.
  struct Description {
    std::string name;
    std::vector<std::int64_t> sizes = {};
    GgufType type = GgufType::f32;
    std::uint64_t offset = 0, bytes = 0;
  };

  Description description() {
    Description tensor{.name = printable(read<std::string>())};
    const auto rank = number<std::uint32_t>();
    if (rank < 1 || rank > kGgufHighestRank)
      refuse(fmt::format("'{}': expected 1 to {} dimensions, found {}", tensor.name, kGgufHighestRank, rank));
    std::uint64_t numbers = 1;
    for (std::uint32_t i = 0; i < rank; ++i) {
      const auto size = number<std::uint64_t>();
      if (size < 1 || size > content_.size() / numbers)
        refuse(fmt::format("'{}': expected no more numbers than the file can hold", tensor.name));
      numbers *= size;
      tensor.sizes.insert(tensor.sizes.begin(), static_cast<std::int64_t>(size));
    }
    tensor.type = static_cast<GgufType>(number<std::uint32_t>());
    constexpr std::array kKnown{GgufType::f32, GgufType::f16, GgufType::bf16, GgufType::q8_0};
    if (std::ranges::find(kKnown, tensor.type) == kKnown.end() ||
        (tensor.type == GgufType::q8_0 && tensor.sizes.back() % kGgufBlock != 0))
      refuse(fmt::format("'{}': expected a type that this program writes, found {}", tensor.name,
                         static_cast<std::uint32_t>(tensor.type)));
    tensor.offset = number<std::uint64_t>();
    tensor.bytes = gguf_bytes(tensor.type, numbers);
    return tensor;
  }

  torch::Tensor tensor(const Description& tensor, std::uint64_t begin) {
    if (tensor.offset > content_.size()) refuse(fmt::format("'{}' lies behind the file's end", tensor.name));
    place_ = std::min<std::uint64_t>(begin + tensor.offset, content_.size());
    return gguf_decoded(bytes(tensor.bytes), tensor.sizes, tensor.type);
  }

  std::uint64_t place() const { return place_; }

 private:
  std::filesystem::path path_;
  std::string content_;
  std::uint64_t place_ = 0;
};

}  // namespace

GgufFile load_gguf(const std::filesystem::path& path) {
  GgufReader reader(path);
  if (std::string_view(reader.bytes(kGgufMagic.size()), kGgufMagic.size()) != kGgufMagic)
    reader.refuse("is no GGUF file");
  if (const auto version = reader.number<std::uint32_t>(); version != kGgufVersion)
    reader.refuse(fmt::format("expected version {} of GGUF, found {}", kGgufVersion, version));
  const auto tensors = reader.number<std::uint64_t>(), keys = reader.number<std::uint64_t>();
  GgufFile file;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const auto key = reader.read<std::string>();
    file.metadata.insert_or_assign(key, reader.value(key));
  }
  std::vector<GgufReader::Description> descriptions;
  for (std::uint64_t i = 0; i < tensors; ++i) descriptions.push_back(reader.description());
  const auto begin = aligned(reader.place());
  for (const auto& each : descriptions)
    file.tensors.insert_or_assign(each.name, GgufTensor{reader.tensor(each, begin), each.type});
  return file;
}

}  // namespace transformer::formats
