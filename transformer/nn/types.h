// The choices that the building blocks offer. Free of LibTorch, so that a configuration can name them.
//
// Nobody compares them with ==: who needs to know something of a choice asks a function below, or lists all
// choices in a switch without default. So a new one does not compile until each of its readers has an answer.
#pragma once

#include "transformer/base/choices.h"
#include "transformer/nn/position_types.h"

namespace transformer::nn {

/// Where layer normalisation stands.
enum class NormPlacement {
  post,      ///< the paper: LayerNorm(x + Sublayer(x))
  pre,       ///< x + Sublayer(LayerNorm(x))
  sandwich,  ///< x + LayerNorm(Sublayer(LayerNorm(x))), two norms a sublayer (CogView, Ding et al. 2021)
};

/// What normalises.
enum class NormKind {
  layer,  ///< the paper: layer normalisation (Ba et al. 2016)
  rms,    ///< by the root of the mean square, without mean and bias (Zhang and Sennrich 2019)
  batch,  ///< a feature over all positions of a batch (Ioffe and Szegedy 2015)
  none,   ///< nothing
};

/// Section 3.3: what a layer ends with.
enum class FeedForwardKind {
  positionwise,  ///< the paper: activation(x W_1 + b_1) W_2 + b_2
  glu,           ///< (σ(x W_g + b_g) ⊙ (x W_1 + b_1)) W_2 + b_2 (Dauphin et al. 2017, Shazeer 2020)
  swiglu,        ///< the same with swish in the place of σ
  none,          ///< nothing: layers of attention alone
};

/// The non-linearity between the two layers of section 3.3; the paper's is relu.
enum class Activation { relu, gelu, swish };

/// Section 3.2.1: how well a key fits a query.
enum class AttentionScore {
  product,   ///< the paper: q · k / √d_k
  additive,  ///< w · tanh(q + k), a network with one hidden layer (Bahdanau et al. 2015, there with v)
};

/// Section 3.4. Which of source embedding, target embedding and output projection are one matrix.
enum class Tie {
  all,     ///< the paper: all three
  target,  ///< target embedding and output projection
  none,
};

// Their names in a configuration. That of a position scheme is in scheme_of().

constexpr const char* name_of(NormPlacement norm) {
  switch (norm) {
    case NormPlacement::post:
      return "post";
    case NormPlacement::pre:
      return "pre";
    case NormPlacement::sandwich:
      return "sandwich";
  }
  no_such_choice();
}

constexpr const char* name_of(NormKind kind) {
  switch (kind) {
    case NormKind::layer:
      return "layer";
    case NormKind::rms:
      return "rms";
    case NormKind::batch:
      return "batch";
    case NormKind::none:
      return "none";
  }
  no_such_choice();
}

constexpr const char* name_of(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::positionwise:
      return "positionwise";
    case FeedForwardKind::glu:
      return "glu";
    case FeedForwardKind::swiglu:
      return "swiglu";
    case FeedForwardKind::none:
      return "none";
  }
  no_such_choice();
}

constexpr const char* name_of(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "relu";
    case Activation::gelu:
      return "gelu";
    case Activation::swish:
      return "swish";
  }
  no_such_choice();
}

constexpr const char* name_of(AttentionScore score) {
  switch (score) {
    case AttentionScore::product:
      return "product";
    case AttentionScore::additive:
      return "additive";
  }
  no_such_choice();
}

constexpr const char* name_of(Tie tie) {
  switch (tie) {
    case Tie::all:
      return "all";
    case Tie::target:
      return "target";
    case Tie::none:
      return "none";
  }
  no_such_choice();
}

/// Whether each sublayer begins with its norm, and a stack ends with one of its own.
constexpr bool norm_comes_first(NormPlacement norm) {
  switch (norm) {
    case NormPlacement::post:
      return false;
    case NormPlacement::pre:
    case NormPlacement::sandwich:
      return true;
  }
  no_such_choice();
}

/// Whether a sublayer's result is normalised, too, before it is added.
constexpr bool norm_comes_twice(NormPlacement norm) {
  switch (norm) {
    case NormPlacement::post:
    case NormPlacement::pre:
      return false;
    case NormPlacement::sandwich:
      return true;
  }
  no_such_choice();
}

/// The vectors of weights that a norm has: the second one is added.
constexpr int weights_of(NormKind kind) {
  switch (kind) {
    case NormKind::layer:
    case NormKind::batch:
      return 2;
    case NormKind::rms:
      return 1;
    case NormKind::none:
      return 0;
  }
  no_such_choice();
}

/// The vectors that a training measures for it and does not learn: a mean and a variance.
constexpr int statistics_of(NormKind kind) {
  switch (kind) {
    case NormKind::layer:
    case NormKind::rms:
    case NormKind::none:
      return 0;
    case NormKind::batch:
      return 2;
  }
  no_such_choice();
}

/// Whether it divides by something to which an epsilon is added.
constexpr bool has_epsilon(NormKind kind) {
  switch (kind) {
    case NormKind::layer:
    case NormKind::rms:
    case NormKind::batch:
      return true;
    case NormKind::none:
      return false;
  }
  no_such_choice();
}

/// Whether it is the paper's.
constexpr bool is_layer_norm(NormKind kind) {
  switch (kind) {
    case NormKind::layer:
      return true;
    case NormKind::rms:
    case NormKind::batch:
    case NormKind::none:
      return false;
  }
  no_such_choice();
}

/// Whether sums of results are normalised at once, so that they do not grow from layer to layer.
constexpr bool bounds_sums(NormPlacement norm, NormKind kind) {
  return !norm_comes_first(norm) && weights_of(kind) > 0;
}

/// Whether layers have a feed-forward network at all.
constexpr bool exists(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::positionwise:
    case FeedForwardKind::glu:
    case FeedForwardKind::swiglu:
      return true;
    case FeedForwardKind::none:
      return false;
  }
  no_such_choice();
}

/// The activation of the gate by which the inner layer is multiplied; none where there is no gate.
enum class Gate { none, sigmoid, swish };

constexpr Gate gate_of(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::positionwise:
    case FeedForwardKind::none:
      return Gate::none;
    case FeedForwardKind::glu:
      return Gate::sigmoid;
    case FeedForwardKind::swiglu:
      return Gate::swish;
  }
  no_such_choice();
}

constexpr bool is_gate(Gate gate) {
  switch (gate) {
    case Gate::none:
      return false;
    case Gate::sigmoid:
    case Gate::swish:
      return true;
  }
  no_such_choice();
}

/// Whether scores are products, which the scale is for.
constexpr bool is_product(AttentionScore score) {
  switch (score) {
    case AttentionScore::product:
      return true;
    case AttentionScore::additive:
      return false;
  }
  no_such_choice();
}

/// Whether source and target embedding are one matrix.
constexpr bool ties_embeddings(Tie tie) {
  switch (tie) {
    case Tie::all:
      return true;
    case Tie::target:
    case Tie::none:
      return false;
  }
  no_such_choice();
}

/// Whether target embedding and output projection are one matrix.
constexpr bool ties_output(Tie tie) {
  switch (tie) {
    case Tie::all:
    case Tie::target:
      return true;
    case Tie::none:
      return false;
  }
  no_such_choice();
}

}  // namespace transformer::nn
