// The choices that the building blocks offer. Free of LibTorch, so that a configuration can name them.
//
// The rest of the code knows a value by its row of about(): its name, its departure from the paper, and which
// fast twins and formats support it. Twins decline a value unless its row names them. Code that computes a
// choice lists all values in a switch without default. So a new value does not compile until it has a
// formula.
#pragma once

#include "transformer/base/choices.h"
#include "transformer/nn/position_types.h"

namespace transformer::nn {

/// Where layer normalisation stands.
enum class NormPlacement {
  post,      ///< the paper: LayerNorm(x + Sublayer(x))
  pre,       ///< x + Sublayer(LayerNorm(x))
  sandwich,  ///< x + LayerNorm(Sublayer(LayerNorm(x))), two norms (CogView, Ding et al. 2021)
};

/// The kind of normalisation.
enum class NormKind {
  layer,  ///< the paper: layer normalisation (Ba et al. 2016)
  rms,    ///< divides by the root mean square, no mean, no bias (Zhang and Sennrich 2019)
  batch,  ///< normalises a feature over all positions of a batch (Ioffe and Szegedy 2015)
  none,   ///< no normalisation
};

/// Section 3.3: the last sublayer of a layer.
enum class FeedForwardKind {
  positionwise,  ///< the paper: activation(x W_1 + b_1) W_2 + b_2
  glu,           ///< (σ(x W_g + b_g) ⊙ (x W_1 + b_1)) W_2 + b_2 (Dauphin et al. 2017, Shazeer 2020)
  swiglu,        ///< glu with swish instead of σ
  geglu,         ///< glu with gelu_tanh instead of σ
  none,          ///< no such sublayer: layers of attention alone
};

/// The activation of the gate by which the inner layer is multiplied; none where there is no gate.
enum class Gate { none, sigmoid, swish, gelu_tanh };

/// The non-linearity between the two layers of section 3.3; the paper's is relu.
enum class Activation {
  relu,
  gelu,       ///< x Φ(x) (Hendrycks and Gimpel 2016)
  gelu_tanh,  ///< x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, which GPT-2 has
  swish,      ///< x σ(x)
};

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

/// A row of about(). That of a position scheme is PositionScheme.
struct About {
  const char* name;                 ///< in a configuration
  bool in_engine = false;           ///< the engine for CPUs computes it, too
  bool in_exports = false;          ///< Marian and CTranslate2 can express it
  const char* departure = nullptr;  ///< from the paper, and what to expect; null: it is the paper's
};

struct AboutNormPlacement : About {
  bool first = false;  ///< each sublayer begins with its norm, and a stack ends with one of its own
  bool twice = false;  ///< a sublayer's result is normalised, too, before it is added
};

constexpr AboutNormPlacement about(NormPlacement norm) {
  switch (norm) {
    case NormPlacement::post:
      return {{.name = "post", .in_engine = true, .in_exports = true}};
    case NormPlacement::pre:
      return {{.name = "pre",
               .in_engine = true,
               .in_exports = true,
               .departure = "layer normalisation before each sublayer (pre-norm) instead of after it "
                            "(expected: easier to train, about the same or a slightly lower BLEU)"},
              /*first=*/true};
    case NormPlacement::sandwich:
      return {{.name = "sandwich",
               .departure = "layer normalisation before each sublayer and of its result (sandwich) instead "
                            "of after it (expected: easier to train, about the same BLEU)"},
              /*first=*/true,
              /*twice=*/true};
  }
  no_such_choice();
}

struct AboutNorm : About {
  int weights = 2;     ///< vectors of weights; the second one is added. 0: it divides by nothing
  int statistics = 0;  ///< vectors that a training measures and does not learn: a mean and a variance
};

constexpr AboutNorm about(NormKind kind) {
  switch (kind) {
    case NormKind::layer:
      return {{.name = "layer", .in_engine = true, .in_exports = true}};
    case NormKind::rms:
      return {{.name = "rms",
               .in_engine = true,
               .departure = "norms by the root of the mean square instead of layer normalisation (expected: "
                            "about the same BLEU)"},
              /*weights=*/1};
    case NormKind::batch:
      return {{.name = "batch",
               .departure = "batch normalisation instead of layer normalisation (expected: a lower BLEU, "
                            "since batches differ more than the features of a position)"},
              /*weights=*/2,
              /*statistics=*/2};
    case NormKind::none:
      return {{.name = "none",
               .departure = "no normalisation at all; the paper's layers have one for each sublayer "
                            "(expected: hardly trains)"},
              /*weights=*/0};
  }
  no_such_choice();
}

struct AboutFeedForward : About {
  Gate gate = Gate::none;
};

constexpr AboutFeedForward about(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::positionwise:
      return {{.name = "positionwise", .in_engine = true, .in_exports = true}};
    case FeedForwardKind::glu:
      return {{.name = "glu",
               .in_engine = true,
               .departure = "feed-forward layers with a gate (glu), at the same d_ff half as many weights "
                            "again; the paper's have an activation (expected: about the same or a slightly "
                            "higher BLEU)"},
              Gate::sigmoid};
    case FeedForwardKind::swiglu:
      return {{.name = "swiglu",
               .in_engine = true,
               .departure = "feed-forward layers with a gate (swiglu), at the same d_ff half as many weights "
                            "again; the paper's have an activation (expected: about the same or a slightly "
                            "higher BLEU)"},
              Gate::swish};
    case FeedForwardKind::geglu:
      return {{.name = "geglu",
               .in_engine = true,
               .departure = "feed-forward layers with a gate (geglu), at the same d_ff half as many weights "
                            "again; the paper's have an activation (expected: about the same or a slightly "
                            "higher BLEU)"},
              Gate::gelu_tanh};
    case FeedForwardKind::none:
      return {
          {.name = "none",
           .departure = "no feed-forward layers; the paper has one in each layer (expected: lower BLEU)"}};
  }
  no_such_choice();
}

constexpr About about(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return {.name = "relu", .in_engine = true, .in_exports = true};
    case Activation::gelu:
      return {.name = "gelu",
              .in_engine = true,
              .in_exports = true,
              .departure = "activation gelu instead of relu"};
    case Activation::gelu_tanh:
      return {.name = "gelu_tanh", .in_engine = true, .departure = "activation gelu_tanh instead of relu"};
    case Activation::swish:
      return {.name = "swish",
              .in_engine = true,
              .in_exports = true,
              .departure = "activation swish instead of relu"};
  }
  no_such_choice();
}

constexpr About about(AttentionScore score) {
  switch (score) {
    case AttentionScore::product:
      return {.name = "product", .in_engine = true, .in_exports = true};
    case AttentionScore::additive:
      return {.name = "additive",
              .departure =
                  "attention's scores are those of a network with one hidden layer; the paper's are "
                  "products (expected: about the same BLEU, slower)"};
  }
  no_such_choice();
}

constexpr About about(Tie tie) {
  switch (tie) {
    case Tie::all:
      return {.name = "all", .in_engine = true, .in_exports = true};
    case Tie::target:
      return {.name = "target",
              .in_engine = true,
              .in_exports = true,
              .departure =
                  "the source embedding is a matrix of its own; the paper shares one among "
                  "embeddings and output (expected: about the same BLEU with more parameters)"};
    case Tie::none:
      return {.name = "none",
              .in_engine = true,
              .in_exports = true,
              .departure =
                  "embeddings and output projection are separate matrices; the paper shares one "
                  "(expected: about the same BLEU with more parameters, a lower one on little data)"};
  }
  no_such_choice();
}

constexpr bool norm_comes_first(NormPlacement norm) {
  return about(norm).first;
}
constexpr bool norm_comes_twice(NormPlacement norm) {
  return about(norm).twice;
}

constexpr int weights_of(NormKind kind) {
  return about(kind).weights;
}
constexpr int statistics_of(NormKind kind) {
  return about(kind).statistics;
}

/// Whether sums of results are normalised at once, so that they do not grow from layer to layer.
constexpr bool bounds_sums(NormPlacement norm, NormKind kind) {
  return !norm_comes_first(norm) && weights_of(kind) > 0;
}

/// Whether layers have a feed-forward network at all.
constexpr bool exists(FeedForwardKind kind) {
  return kind != FeedForwardKind::none;
}

constexpr Gate gate_of(FeedForwardKind kind) {
  return about(kind).gate;
}

/// Whether source and target embedding are one matrix.
constexpr bool ties_embeddings(Tie tie) {
  return tie == Tie::all;
}

/// Whether target embedding and output projection are one matrix.
constexpr bool ties_output(Tie tie) {
  return tie != Tie::none;
}

}  // namespace transformer::nn
