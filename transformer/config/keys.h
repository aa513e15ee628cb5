// The one table of configuration keys. Reading, writing, suggestions and the printed reference follow it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/config/experiment.h"

namespace transformer::config {

/// A value as it stands in a file or behind --set.
struct Value {
  std::string text;
  bool quoted = false;  ///< a quoted 8 is text, not a number
};

struct Key {
  enum class Kind {
    plain,
    path,       ///< relative to the file in which it stands
    shorthand,  ///< sets other keys; reads, but is never written
    directive,  ///< directs the reading of the file
  };

  std::string name;      ///< with its section: "model.heads"
  std::string expected;  ///< "a whole number from 1"
  std::string help;
  std::vector<std::string> choices = {};  ///< all values, where they are named ones
  bool is_list =
      false;  ///< a list of values is read as these with commas between; of paths with kBetweenPaths
  Kind kind = Kind::plain;
  /// Stores a value; false when it is not what is expected.
  std::function<bool(Experiment&, const Value&)> set;
  /// The value as YAML.
  std::function<std::string(const Experiment&)> get;
  /// The sentence among the departures from the paper, empty where there is none. Not set: departures.cpp
  /// knows.
  std::function<std::string(const Experiment&)> departure = {};
};

/// Whether the key has a value of its own, which is written and compared.
constexpr bool is_written(Key::Kind kind) {
  switch (kind) {
    case Key::Kind::plain:
    case Key::Kind::path:
      return true;
    case Key::Kind::shorthand:
    case Key::Kind::directive:
      return false;
  }
  no_such_choice();
}

/// In the order in which they are written; the keys of a section stand together.
const std::vector<Key>& keys();

/// Null when there is none of that name.
const Key* find_key(std::string_view name);

/// Whether keys stand below that name: "model", "model.variants".
bool is_section(std::string_view name);

/// Whether a later value of `later` replaces all that an earlier place said of `key`: of the key itself, and
/// of the keys that it sets.
bool overrules(std::string_view later, std::string_view key);

/// Whether a training's weights after some update depend on the key's value. They do not depend on:
/// * the length of the training, unless the learning rate falls towards the last step.
/// * what the training keeps and shows.
/// * how its checkpoints are decoded.
/// * where files lie.
///
/// Keys that choose the best checkpoint count as if weights depended on them, because a run has one measure
/// for its best.
bool decides_weights(std::string_view name, const Experiment& experiment);

/// The keys for which decides_weights is false; "decode.*" stands for that whole section.
std::vector<std::string> keys_that_decide_no_weights(const Experiment& experiment);

/// The valid key or section that `name` most likely means; empty if none is near. Names are near if at most a
/// third of the letters differ, or if one begins with the other. The section of a key does not count.
std::string nearest_key(std::string_view name);
std::string nearest_section(std::string_view name);

/// The message about a key that does not exist. It names a similar key of ours, or our key for another
/// toolkit's name. `is_section`: keys stand below it.
std::string describe_unknown(std::string_view name, bool is_section = false);

/// All keys with what they expect, their default and a line of help, and the variants that the program knows.
std::string describe_keys();

}  // namespace transformer::config
