// The data of a pickle, Python's way to save objects. Nothing is executed: a pickle is a program, and this
// reader knows the instructions that describe data and refuses all others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace transformer::formats {

/// A value, which other values name by its number. So a list that contains itself, or one in one in one, is
/// no danger to who reads it.
struct PickleValue {
  using Number = std::uint32_t;
  enum class Kind {
    none,
    boolean,
    integer,
    real,
    text,
    tuple,
    list,
    dictionary,  ///< items: key, value, key, value …
    name,        ///< a function or a class, text: "module.name"
    call,        ///< a function that would be called, text: its name, items: the arguments
    persistent,  ///< what is stored elsewhere, items: what describes it
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;  ///< also of a boolean
  double real = 0;
  std::string text = {};
  std::vector<Number> items = {};
};

/// "a list".
const char* name_of(PickleValue::Kind kind);

class PickleData {
 public:
  using Value = PickleValue;

  /// allowed: names of functions that may be called, where a call is a value, and of classes. An ordered
  /// dictionary is always allowed, and is a dictionary. `source` names the origin in messages. Throws
  /// InputError for any other name, naming it, for instructions that make objects, for a damaged pickle, and
  /// for one of more than a million values.
  PickleData(std::string_view bytes, const std::string& source,
             const std::unordered_set<std::string>& allowed);

  const Value& root() const { return at(root_); }
  const Value& at(Value::Number number) const { return values_[number]; }

  /// The value of a text's key in a dictionary, or null.
  const Value* find(const Value& dictionary, std::string_view key) const;

 private:
  std::vector<Value> values_;
  Value::Number root_ = 0;
};

}  // namespace transformer::formats
