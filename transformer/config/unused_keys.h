// Keys that say nothing in the model that is chosen: who sets one means another model.
#pragma once

#include <string>
#include <vector>

#include "transformer/config/keys.h"

namespace transformer::config {

/// The keys of the section `model` that model.kind does not read; none of the encoder-decoder, and of a kind
/// that this program does not know.
std::vector<const Key*> keys_of_other_kinds(const Experiment& experiment);

/// Those of the encoder-decoder that say nothing beside its other keys, with what they need: "model.positions
/// is relative".
struct IdleKey {
  const Key* key;
  std::string unless;
};
std::vector<IdleKey> idle_keys(const Experiment& experiment);

bool has_default(const Key& key, const Experiment& experiment);

/// "expected 16, its default, WHEN, found '8'"
std::string refusal_of(const Key& key, const Experiment& experiment, const std::string& when);

}  // namespace transformer::config
