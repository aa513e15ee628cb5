#include "transformer/formats/ctranslate2/ctranslate2_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

namespace transformer::formats {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::size_t kHighestRank = 8;
constexpr std::uint32_t kAliasVersion = 3, kTypedVersion = 4;

/// A type's number in the file is its place here.
constexpr std::array kTypes = {torch::kFloat, torch::kChar, torch::kShort,
                               torch::kInt,   torch::kHalf, torch::kBFloat16};

class Writer {
 public:
  explicit Writer(const std::filesystem::path& path) : path_(path), file_(path) {}

  template <typename T>
  void number(std::size_t value, std::string_view what) {
    if (value > std::numeric_limits<T>::max())
      throw InputError(
          fmt::format("{}: {}: expected at most {}, which is all that the format can hold, found {}",
                      path_.string(), what, std::numeric_limits<T>::max(), value));
    const auto narrow = static_cast<T>(value);
    file_.write(&narrow, sizeof narrow);
  }

  void text(const std::string& text) {
    number<std::uint16_t>(text.size() + 1, text);
    file_.write(text.c_str(), text.size() + 1);
  }

  void variable(const std::string& name, const torch::Tensor& variable) {
    const auto type = std::ranges::find(kTypes, variable.scalar_type());
    if (type == kTypes.end())
      throw std::invalid_argument(
          fmt::format("'{}': CTranslate2 has no {}", name, c10::toString(variable.scalar_type())));
    const auto numbers = variable.detach().to(torch::kCPU).contiguous();
    text(name);
    number<std::uint8_t>(static_cast<std::size_t>(numbers.dim()), name);
    for (const auto size : numbers.sizes()) number<std::uint32_t>(static_cast<std::size_t>(size), name);
    number<std::uint8_t>(static_cast<std::size_t>(type - kTypes.begin()), name);
    number<std::uint32_t>(numbers.nbytes(), name);
    file_.write(numbers.const_data_ptr(), numbers.nbytes());
  }

  void commit() { file_.commit(); }

 private:
  std::filesystem::path path_;
  AtomicFile file_;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : path_(path), file_(open_text(path)), left_(std::filesystem::file_size(path)) {}

  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(fmt::format("{}: {}", path_.string(), problem));
  }

  void bytes(void* to, std::size_t count, std::string_view what) {
    if (count > left_)
      refuse(fmt::format("is cut short: expected {} bytes of {}, found {}", count, what, left_));
    if (!file_.read(static_cast<char*>(to), static_cast<std::streamsize>(count)))
      refuse(fmt::format("reading {} failed", what));
    left_ -= count;
  }

  template <typename T>
  T number(std::string_view what) {
    T value{};
    bytes(&value, sizeof value, what);
    return value;
  }

  std::string text(std::string_view what) {
    const auto length = number<std::uint16_t>(what);
    std::string text(length, '\0');
    bytes(text.data(), length, what);
    // Names stand in messages, so they must be printable, not only end where they say.
    const auto printable = [](char c) { return c > ' ' && c < '\x7f'; };
    if (length < 2 || text.back() != '\0' || !std::all_of(text.begin(), text.end() - 1, printable))
      refuse(fmt::format("expected {}, found other bytes", what));
    text.pop_back();
    return text;
  }

  torch::Tensor variable(const std::string& name, std::uint32_t version) {
    const auto rank = number<std::uint8_t>(name);
    if (rank > kHighestRank)
      refuse(fmt::format("'{}': expected at most {} dimensions, found {}", name, kHighestRank, rank));
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < rank; ++i) sizes.push_back(number<std::uint32_t>(name));
    const auto type = type_of(name, version);
    const std::uint64_t element = c10::elementSize(type);
    const auto size = number<std::uint32_t>(name) * (version < kTypedVersion ? element : 1);
    if (!means(sizes, element, size))
      refuse(fmt::format("'{}': expected as many bytes as its dimensions say, found {}", name, size));
    if (size > left_)
      refuse(fmt::format("is cut short: expected {} bytes of '{}', found {}", size, name, left_));
    auto numbers = torch::empty(sizes, type);
    bytes(numbers.mutable_data_ptr(), size, name);
    return numbers;
  }

  void expect_end() const {
    if (left_ != 0) refuse(fmt::format("expected its end behind the aliases, found {} more bytes", left_));
  }

 private:
  torch::ScalarType type_of(const std::string& name, std::uint32_t version) {
    const auto type = number<std::uint8_t>(name);
    if (version < kTypedVersion) {
      if (type != 4 && type != 2 && type != 1)
        refuse(fmt::format("'{}': expected numbers of 4, 2 or 1 bytes, found {}", name, type));
      return type == 4 ? torch::kFloat : type == 2 ? torch::kShort : torch::kChar;
    }
    if (type >= kTypes.size())
      refuse(fmt::format("'{}': expected a type below {}, found {}", name, kTypes.size(), type));
    return kTypes.at(type);
  }

  /// Whether so many numbers of `element` bytes are `bytes` bytes; their product may not fit any number.
  static bool means(const std::vector<std::int64_t>& sizes, std::uint64_t element, std::uint64_t bytes) {
    std::uint64_t product = element;
    for (const auto size : sizes) {
      if (size == 0) return false;  // no model has a variable without numbers
      product *= static_cast<std::uint64_t>(size);
      if (product > bytes) return false;
    }
    return product == bytes;
  }

  std::filesystem::path path_;
  std::ifstream file_;
  std::uintmax_t left_;
};

}  // namespace

void save_ctranslate2_file(const std::filesystem::path& path, const CTranslate2File& file) {
  Writer writer(path);
  writer.number<std::uint32_t>(kCTranslate2Version, "version");
  writer.text(file.specification);
  writer.number<std::uint32_t>(file.revision, "revision");
  writer.number<std::uint32_t>(file.variables.size(), "variables");
  for (const auto& [name, variable] : file.variables) writer.variable(name, variable);
  writer.number<std::uint32_t>(file.aliases.size(), "aliases");
  for (const auto& [alias, name] : file.aliases) {
    writer.text(alias);
    writer.text(name);
  }
  writer.commit();
}

CTranslate2File load_ctranslate2_file(const std::filesystem::path& path, std::uint32_t oldest) {
  Reader reader(path);
  const auto version = reader.number<std::uint32_t>("the version");
  if (version < oldest || version > kCTranslate2Version)
    reader.refuse(fmt::format("expected version {}{} of CTranslate2's format, found {}",
                              oldest < kCTranslate2Version ? fmt::format("{} to ", oldest) : "",
                              kCTranslate2Version, version));
  CTranslate2File file;
  file.version = version;
  file.specification = reader.text("the specification");
  file.revision = reader.number<std::uint32_t>("the revision");
  for (auto left = reader.number<std::uint32_t>("the number of variables"); left > 0; --left) {
    const auto name = reader.text("a variable's name");
    if (!file.variables.emplace(name, reader.variable(name, version)).second)
      reader.refuse(fmt::format("'{}' stands twice", name));
  }
  auto left = version < kAliasVersion ? 0 : reader.number<std::uint32_t>("the number of aliases");
  for (; left > 0; --left) {
    const auto alias = reader.text("an alias"), name = reader.text("a variable's name");
    if (!file.variables.contains(name))
      reader.refuse(fmt::format("'{}' stands for '{}', which is missing", alias, name));
    if (file.variables.contains(alias) || !file.aliases.emplace(alias, name).second)
      reader.refuse(fmt::format("'{}' stands twice", alias));
  }
  reader.expect_end();
  return file;
}

}  // namespace transformer::formats
