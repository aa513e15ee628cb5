// Parts of a model and of its training that somebody outside this project wrote (docs/guides/variants.md):
// which ones there are. Free of LibTorch.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "transformer/base/choices.h"

namespace transformer::variants {

/// What a variant can stand in the place of.
enum class Kind {
  attention,     ///< section 3.2.1: softmax(Q Kᵀ / √d_k) V
  feed_forward,  ///< section 3.3
  norm,          ///< layer normalisation
  positions,     ///< section 3.5: the vectors that are added to the embeddings
  optimizer,     ///< section 5.3: Adam
  schedule,      ///< section 5.3: how the learning rate varies
  loss,          ///< section 5.4: a term that is added to the loss
  model,         ///< section 3: the whole encoder-decoder
};

/// Under model.variants or train.variants.
constexpr const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::attention:
      return "attention";
    case Kind::feed_forward:
      return "feed_forward";
    case Kind::norm:
      return "norm";
    case Kind::positions:
      return "positions";
    case Kind::optimizer:
      return "optimizer";
    case Kind::schedule:
      return "schedule";
    case Kind::loss:
      return "loss";
    case Kind::model:
      return "model";
  }
  no_such_choice();
}

/// Whether it is a part of training. A trained model keeps nothing of it.
constexpr bool is_of_training(Kind kind) {
  switch (kind) {
    case Kind::attention:
    case Kind::feed_forward:
    case Kind::norm:
    case Kind::positions:
    case Kind::model:
      return false;
    case Kind::optimizer:
    case Kind::schedule:
    case Kind::loss:
      return true;
  }
  no_such_choice();
}

/// A variant by its name, with its options as text. Without a name: what the paper has.
struct Choice {
  std::string name;
  std::map<std::string, std::string> options;

  explicit operator bool() const { return !name.empty(); }
  bool operator==(const Choice&) const = default;
};

/// Those of a model.
struct Choices {
  Choice attention = {}, feed_forward = {}, norm = {}, positions = {};

  bool operator==(const Choices&) const = default;
};

/// Those of a training.
struct TrainChoices {
  Choice optimizer = {}, schedule = {}, loss = {};

  bool operator==(const TrainChoices&) const = default;
};

/// Which attention.
enum class Role {
  encoder,  ///< of the source over itself
  decoder,  ///< of the target over itself, each position over those before it and itself
  source,   ///< of the target over the source
};

/// Whether queries, keys and values are those of one sequence.
constexpr bool is_self_attention(Role role) {
  return role != Role::source;
}

/// The sizes of the model in which a variant stands, and the paper's options of what it stands in the place
/// of.
struct Place {
  std::int64_t d_model = 512;
  std::int64_t d_ff = 2048;
  std::int64_t heads = 8;
  std::int64_t d_k = 64;
  std::int64_t d_v = 64;
  double attention_dropout = 0.0;   ///< on the weights of attention, in training
  double activation_dropout = 0.0;  ///< inside the feed-forward layer, in training
  double norm_epsilon = 1e-5;
  Role role = Role::encoder;  ///< of attention
};

/// One part of a model: what is chosen for it, and where it stands.
struct Part {
  Choice choice;
  Place place;
};

}  // namespace transformer::variants
