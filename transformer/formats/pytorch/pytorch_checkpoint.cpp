#include "transformer/formats/pytorch/pytorch_checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/text_file.h"
#include "transformer/formats/pytorch/pickle_data.h"
#include "transformer/formats/pytorch/stored_zip.h"

namespace transformer::formats {
namespace pytorch {
namespace {

namespace fs = std::filesystem;
using Kind = PickleValue::Kind;

static_assert(std::endian::native == std::endian::little, "numbers are read as they are");

constexpr char kProtocol = '\x80';  // what a pickle begins with
constexpr std::int64_t kHighestRank = 16;
constexpr const char* kTensor = "torch._utils._rebuild_tensor_v2";
constexpr const char* kOldTensor = "torch._utils._rebuild_tensor";
constexpr const char* kParameter = "torch._utils._rebuild_parameter";

constexpr std::array<std::pair<const char*, torch::ScalarType>, 10> kStorages{
    {{"torch.FloatStorage", torch::kFloat},
     {"torch.DoubleStorage", torch::kDouble},
     {"torch.HalfStorage", torch::kHalf},
     {"torch.BFloat16Storage", torch::kBFloat16},
     {"torch.LongStorage", torch::kLong},
     {"torch.IntStorage", torch::kInt},
     {"torch.ShortStorage", torch::kShort},
     {"torch.CharStorage", torch::kChar},
     {"torch.ByteStorage", torch::kByte},
     {"torch.BoolStorage", torch::kBool}}};

std::unordered_set<std::string> allowed_names() {
  std::unordered_set<std::string> names{kTensor, kOldTensor, kParameter};
  for (const auto& [name, type] : kStorages) names.emplace(name);
  return names;
}

class Checkpoint {
 public:
  explicit Checkpoint(const fs::path& file)
      : zip_(read(file), file),
        folder_(folder()),
        data_(zip_.entry(folder_ + kData), file.string(), allowed_names()) {
    const auto order = folder_ + "byteorder";
    if (zip_.has(order) && zip_.entry(order) != "little")
      refuse(fmt::format("expected numbers with their lowest byte first, found '{}'",
                         printable(zip_.entry(order).substr(0, 20))));
  }

  std::map<std::string, torch::Tensor> tensors(const std::string& state) {
    const auto* root = &data_.root();
    if (root->kind != Kind::dictionary)
      refuse(fmt::format("expected a dictionary of tensors, found {}", name_of(root->kind)));
    if (!state.empty()) {
      const auto* inner = data_.find(*root, state);
      if (inner == nullptr)
        refuse(fmt::format("expected the key '{}' (state), found {}", printable(state), keys_of(*root)));
      root = inner;
    }
    if (root->kind != Kind::dictionary)
      refuse(fmt::format("expected a dictionary of tensors, found {}", name_of(root->kind)));
    std::map<std::string, torch::Tensor> all;
    for (std::size_t i = 0; i + 1 < root->items.size(); i += 2) {
      const auto& name = data_.at(root->items[i]);
      const auto& value = data_.at(root->items[i + 1]);
      if (name.kind != Kind::text)
        refuse(fmt::format("expected names of tensors, found {}", name_of(name.kind)));
      if (value.kind != Kind::call)
        refuse(fmt::format("'{}': expected a tensor, found {}; `state` names the part that is a state_dict",
                           printable(name.text), name_of(value.kind)));
      if (!all.emplace(name.text, tensor(name.text, value)).second)
        refuse(fmt::format("expected different names, found '{}' twice", printable(name.text)));
    }
    return all;
  }

 private:
  static constexpr const char* kData = "data.pkl";

  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(fmt::format("{}: {}", zip_.path().string(), problem));
  }

  static std::string read(const fs::path& file) {
    auto content = read_file(file, std::numeric_limits<std::uintmax_t>::max());
    if (!content.empty() && content.front() == kProtocol)
      throw InputError(
          fmt::format("{}: expected a zip archive, as PyTorch writes since 1.6, found a pickle, which is not "
                      "executed; torch.save(torch.load('{}', weights_only=True), 'NEW.pt') converts it",
                      file.string(), file.filename().string()));
    return content;
  }

  /// In which all entries are.
  std::string folder() const {
    std::optional<std::string> found;
    for (const auto& [name, entry] : zip_.entries()) {
      const auto slash = name.find('/');
      if (slash == std::string::npos) continue;
      const auto front = name.substr(0, slash + 1);
      if (name == front + "constants.pkl")
        refuse("expected the tensors of a state_dict, found a TorchScript module");
      if (name == front + kData) found = front;
    }
    if (!found) refuse("expected an entry 'NAME/data.pkl', as torch.save writes, found none");
    return *found;
  }

  std::string keys_of(const PickleValue& dictionary) const {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < dictionary.items.size() && keys.size() < 5; i += 2)
      if (const auto& key = data_.at(dictionary.items[i]); key.kind == Kind::text)
        keys.push_back("'" + printable(key.text.substr(0, 60)) + "'");
    return keys.empty() ? "no keys" : fmt::format("{}", fmt::join(keys, ", "));
  }

  const PickleValue& argument(const std::string& name, const PickleValue& call, std::size_t place,
                              Kind kind) const {
    if (place >= call.items.size() || data_.at(call.items[place]).kind != kind)
      refuse(fmt::format("'{}': expected a tensor, found a damaged one", printable(name)));
    return data_.at(call.items[place]);
  }

  std::vector<std::int64_t> numbers(const std::string& name, const PickleValue& tuple) const {
    if (std::ssize(tuple.items) > kHighestRank)
      refuse(fmt::format("'{}': expected at most {} dimensions, found {}", printable(name), kHighestRank,
                         tuple.items.size()));
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < tuple.items.size(); ++i)
      all.push_back(argument(name, tuple, i, Kind::integer).integer);
    return all;
  }

  torch::Tensor tensor(const std::string& name, const PickleValue& value) {
    const auto* call = &value;
    if (call->text == kParameter) call = &argument(name, *call, 0, Kind::call);
    if (call->text != kTensor && call->text != kOldTensor)
      refuse(fmt::format("'{}': expected a tensor, found a damaged one", printable(name)));
    const auto storage = this->storage(name, argument(name, *call, 0, Kind::persistent));
    const auto offset = argument(name, *call, 1, Kind::integer).integer;
    const auto sizes = numbers(name, argument(name, *call, 2, Kind::tuple));
    const auto strides = numbers(name, argument(name, *call, 3, Kind::tuple));
    if (!fits(sizes, strides, offset, storage.numel()))
      refuse(fmt::format(
          "'{}': expected numbers inside its storage of {}, found sizes [{}], strides [{}] and "
          "offset {}",
          printable(name), storage.numel(), fmt::join(sizes, ", "), fmt::join(strides, ", "), offset));
    return storage.as_strided(sizes, strides, offset);
  }

  /// Also that there are no more numbers than in the storage: none stands for several.
  static bool fits(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides,
                   std::int64_t offset, std::int64_t numbers) {
    if (sizes.size() != strides.size()) return false;
    if (offset < 0 || offset > numbers) return false;
    std::int64_t count = 1, last = offset;
    bool empty = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      std::int64_t reach = 0;
      if (sizes[i] < 0 || strides[i] < 0) return false;
      if (sizes[i] == 0) {
        empty = true;
      } else if (__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
                 __builtin_add_overflow(last, reach, &last) ||
                 __builtin_mul_overflow(count, sizes[i], &count)) {
        return false;
      }
    }
    return empty || (last < numbers && count <= numbers);
  }

  /// A vector (N), the same for all tensors that share it.
  torch::Tensor storage(const std::string& name, const PickleValue& persistent) {
    const auto& about = argument(name, persistent, 0, Kind::tuple);
    if (argument(name, about, 0, Kind::text).text != "storage")
      refuse(fmt::format("'{}': expected a storage, found another object", printable(name)));
    const auto& type_name = argument(name, about, 1, Kind::name).text;
    const auto& key = argument(name, about, 2, Kind::text).text;
    std::optional<torch::ScalarType> type;
    for (const auto& [each, scalar] : kStorages)
      if (type_name == each) type = scalar;
    if (!type) refuse(fmt::format("'{}': expected a storage, found '{}'", printable(name), type_name));
    const auto [place, is_new] = storages_.try_emplace(key);
    auto& numbers = place->second;
    if (is_new) {
      const auto bytes = zip_.entry(folder_ + "data/" + key);
      const auto size = c10::elementSize(*type);
      if (bytes.size() % size != 0)
        refuse(fmt::format("'{}': expected a multiple of {} bytes, found {}", printable(name), size,
                           bytes.size()));
      numbers = torch::empty({static_cast<std::int64_t>(bytes.size() / size)}, *type);
      if (!bytes.empty()) std::memcpy(numbers.mutable_data_ptr(), bytes.data(), bytes.size());
    }
    if (numbers.scalar_type() != *type)
      refuse(fmt::format("'{}': expected numbers of one type in a storage, found two", printable(name)));
    return numbers;
  }

  StoredZip zip_;
  std::string folder_;
  PickleData data_;
  std::map<std::string, torch::Tensor> storages_;
};

}  // namespace
}  // namespace pytorch

bool is_pytorch_checkpoint(const std::filesystem::path& file) {
  std::array<char, 9> front{};
  auto stream = open_text(file);
  stream.read(front.data(), front.size());
  const std::string_view content(front.data(), static_cast<std::size_t>(stream.gcount()));
  // A safetensors file begins with a number of 8 bytes, which may look like a pickle's beginning, and a
  // brace.
  const bool is_safetensors = content.size() == front.size() && content.back() == '{' && content[7] == 0;
  return !is_safetensors && (StoredZip::is_content(content) || content.starts_with(pytorch::kProtocol));
}

std::map<std::string, torch::Tensor> load_pytorch_checkpoint(const std::filesystem::path& file,
                                                             const std::string& state) {
  return pytorch::Checkpoint(file).tensors(state);
}

}  // namespace transformer::formats
