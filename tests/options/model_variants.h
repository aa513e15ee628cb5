// Tiny models that between them have every value of every option, taken from the table of configuration keys.
#pragma once

#include <string>
#include <vector>

#include "transformer/config/keys.h"
#include "transformer/models/options.h"

namespace transformer::test {

struct ModelVariant {
  std::string name;  ///< the keys and values in which it differs from the first
  models::ModelOptions options;
};

/// Whether a key says which kind of model there is, or is of an encoder alone: no option of this one.
bool is_of_kinds(const config::Key& key);

/// A tiny model, then one for each other value of each key of `model`, with everything else as in the first.
/// Of numbers there are two values each.
std::vector<ModelVariant> single_variants();

/// Models in which each two values of two keys meet at least once (a covering array). Some tens.
std::vector<ModelVariant> pairwise_variants();

/// The same for each variant from outside and each value of another key. (Those above have none, as the
/// engine knows none.)
std::vector<ModelVariant> pairwise_outside_variants();

/// Two values of two keys that a configuration refuses together: "model.a 1, model.b 2", in the order of the
/// keys; * stands for all values of a key but the first. Such values meet in no model.
std::vector<std::string> refused_pairs();

}  // namespace transformer::test
