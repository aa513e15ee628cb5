#include "transformer/formats/pytorch/pickle_data.h"

#include <utility>

#include "transformer/formats/pytorch/pickle_machine.h"

namespace transformer::formats {

const char* name_of(PickleValue::Kind kind) {
  using Kind = PickleValue::Kind;
  switch (kind) {
    case Kind::none:
      return "nothing";
    case Kind::boolean:
      return "a truth value";
    case Kind::integer:
      return "an integer";
    case Kind::real:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::tuple:
      return "a tuple";
    case Kind::list:
      return "a list";
    case Kind::dictionary:
      return "a dictionary";
    case Kind::name:
      return "a class";
    case Kind::call:
      return "a tensor";
    case Kind::persistent:
      return "a storage";
  }
  return "";
}

PickleData::PickleData(std::string_view bytes, const std::string& source,
                       const std::unordered_set<std::string>& allowed) {
  root_ = run_pickle(bytes, source, allowed, values_);
}

const PickleValue* PickleData::find(const PickleValue& dictionary, std::string_view key) const {
  using Kind = PickleValue::Kind;
  if (dictionary.kind != Kind::dictionary) return nullptr;
  const PickleValue* found = nullptr;  // of a key that occurs twice, Python has the last value
  for (std::size_t i = 0; i + 1 < dictionary.items.size(); i += 2) {
    const auto& each = at(dictionary.items[i]);
    if (each.kind == Kind::text && each.text == key) found = &at(dictionary.items[i + 1]);
  }
  return found;
}

}  // namespace transformer::formats
