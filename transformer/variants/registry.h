// The variants that a program knows, by kind and name: what they are called, which options they have, what
// they cost. Free of LibTorch; how they compute stands in transformer/nn/variants.h and train/variants.h.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "transformer/variants/choice.h"

namespace transformer::variants {

/// The value of an option: true or false, a whole number, a number, or a word.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// An option that a variant declares. `standard`, its default, gives its type.
struct Option {
  std::string name;
  Value standard;
  std::string help = {};                                    ///< a few words
  double least = -std::numeric_limits<double>::infinity();  ///< of numbers
  double most = std::numeric_limits<double>::infinity();    ///< of numbers
  std::vector<std::string> choices = {};                    ///< of words: all that there are; empty: any
};

/// The values of a variant's options, defaults filled in. To ask for one that was not declared, or for
/// another type, throws std::logic_error.
class Values {
 public:
  explicit Values(std::map<std::string, Value> values) : values_(std::move(values)) {}

  bool flag(const std::string& name) const { return get<bool>(name); }
  std::int64_t integer(const std::string& name) const { return get<std::int64_t>(name); }
  double real(const std::string& name) const { return get<double>(name); }
  const std::string& word(const std::string& name) const { return get<std::string>(name); }

 private:
  template <typename Type>
  const Type& get(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end() || !std::holds_alternative<Type>(found->second))
      throw std::logic_error("a variant reads the option '" + name + "', which it did not declare so");
    return std::get<Type>(found->second);
  }

  std::map<std::string, Value> values_;
};

/// Floating-point operations of a forward pass, two for each multiplication with addition, of matrix products
/// as a rule (models/size.h).
struct Flops {
  double token = 0;  ///< for each token; of attention: for each query
  double pair = 0;   ///< of attention: for each pair of a query and a key
};

/// Those of the paper's attention: score and weighted value.
inline Flops attention_flops(const Place& place) {
  return {.pair = 2.0 * static_cast<double>(place.heads) * static_cast<double>(place.d_k + place.d_v)};
}

/// What a variant says of itself.
struct Declaration {
  std::string name;   ///< in configurations (is_name, choice.h)
  std::string about;  ///< what it is, in a few words, for the list of departures from the paper
  std::vector<Option> options = {};
  /// For attention: the FLOPs that replace attention_flops(), without projections. For a feed-forward layer:
  /// all of its FLOPs. Not set: unknown, and reports say so. FLOPs of norms and positions are not counted,
  /// like those of the paper's.
  std::function<Flops(const Place&, const Values&)> flops = {};
  /// For an optimiser: the numbers that it keeps for each trained one, by names for checkpoints. Adam keeps m
  /// and v.
  std::vector<std::string> kept = {};
  /// For a schedule: whether a rate depends on the number of updates in the training. Then a run cannot be
  /// resumed with another number.
  bool depends_on_steps = true;
  /// For a kind of model: the keys of the section `model` that it reads, such as "model.d_model". Others are
  /// refused.
  std::vector<std::string> keys = {};
};

/// How many numbers a variant trains in one place of a model.
using CountParameters = std::function<std::int64_t(const Place&, const Values&)>;

/// Makes a variant known. Throws InputError for a name or an option that cannot be, or that is there already.
void add(Kind kind, Declaration declaration, CountParameters count = {});

/// Whether this program knows a variant of that kind and name.
bool is_known(const Choice& choice, Kind kind);

/// The problem with a choice's options, as "expected …, found …"; nothing if there is none. Also nothing if
/// the variant is not known here, because then its options cannot be checked.
std::optional<std::string> find_problem(const Choice& choice, Kind kind);

/// The same choice with every option of the variant, as configurations keep it. One that is not known, or is
/// wrong, stays as it is.
Choice complete(const Choice& choice, Kind kind);

/// Its values. Throws InputError, naming key, variant and options, for one that is not known or wrong.
Values values_of(const Choice& choice, Kind kind);

/// The keys that a kind of model declares; nothing if it is not known here.
std::optional<std::vector<std::string>> keys_of(const Choice& choice, Kind kind);

/// The variant's own description; nothing if it is not known here.
std::string about(const Choice& choice, Kind kind);

/// All known variants with their options, for people to read; empty if there are none.
std::string describe_known();

/// Throw as values_of does. No flops: the variant declares none.
std::int64_t count_parameters(const Part& part, Kind kind);
std::optional<Flops> flops(const Part& part, Kind kind);
std::vector<std::string> kept_by(const Choice& optimizer);

/// Of a schedule that is not known here: true, as nobody can tell.
bool depends_on_steps(const Choice& schedule);

}  // namespace transformer::variants
