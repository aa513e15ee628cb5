// Parts of the model from outside this project: what they look like, and how they become known. (Those of
// training: train/variants.h.)
//
// A variant is a module that derives from one of the four classes below and is made known by add_variant():
// by a program over the installed library, or by a shared library that a program loads (--load FILE), which
// marks its entry with TRANSFORMER_PLUGIN and links nothing of ours. A configuration then names it, with its
// options, as `model.variants.norm: rms epsilon=1e-6`. docs/guides/variants.md tells the whole story.
//
// Every place of the model has a module of its own, made from the sizes of that place and the options'
// values:
//     explicit MyNorm(const variants::Place& place, const variants::Values& options);
//
// What holds for all four:
// * What is learned are registered parameters. Those of torch::nn::Linear, LayerNorm and Embedding begin as
//   the rest of the model's do (init.h), others as the constructor leaves them. Buffers hold constants that
//   the constructor computes; they are not saved.
// * Its input comes in the type of its parameters (fp32, however products are computed), without
//   any in that of the products; its result may be of either.
// * Gradients come from autograd. Nothing of ours is fused with it.
// * TorchScript traces it once and runs the trace on other shapes: sizes must come from tensors, not from
//   numbers (size() inside a computation); key_positions() and query_positions() are an example.
#pragma once

#include <torch/nn/module.h>
#include <torch/version.h>

#include <functional>
#include <memory>
#include <type_traits>

#include "transformer/variants/registry.h"

namespace transformer::nn {

/// In the place of scaled dot-product attention (3.2.1), for all heads. The projections around it are the
/// paper's; with model.positions: rotary queries and keys are turned already. Attention's dropout
/// (Place::attention_dropout, the paper has none) is its own affair.
class AttentionVariant : public torch::nn::Module {
 public:
  ~AttentionVariant() override;

  /// query: (B, H, T, K), key: (B, H, S, K), value: (B, H, S, V). mask: boolean, broadcastable to (B, H, T,
  /// S), true where a key may be attended to, or undefined where all may. bias: (H, T, S), to be added to the
  /// scores (model.positions: bias or alibi), or undefined. → (B, H, T, V)
  ///
  /// Keys stand at 0 … S - 1. In a sequence over itself the queries are its last: at S - T … S - 1. A decoder
  /// that translates gives one query at a time (T = 1) over all keys so far, so the whole at once and step by
  /// step must agree. Over the source, queries have no place among the keys and may belong to different
  /// hypotheses: each is to be answered alone. A row of the mask may be all false, and what comes of it must
  /// be finite.
  virtual torch::Tensor forward(const torch::Tensor& query, const torch::Tensor& key,
                                const torch::Tensor& value, const torch::Tensor& mask,
                                const torch::Tensor& bias) = 0;
};

/// In the place of the feed-forward network (3.3) of a layer. Residual connection, its dropout and norm stand
/// around it; dropout inside (Place::activation_dropout, the paper has none) is its own affair.
class FeedForwardVariant : public torch::nn::Module {
 public:
  ~FeedForwardVariant() override;

  /// x: (B, T, D) → (B, T, D), each position alone: when a decoder translates, positions side by side belong
  /// to different hypotheses, and in training all sentences lie behind each other (B = 1).
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
};

/// In the place of layer normalisation, everywhere: post it is applied to x + Dropout(Sublayer(x)), pre to x
/// and to the end of each stack.
class NormVariant : public torch::nn::Module {
 public:
  ~NormVariant() override;

  /// x: (…, D) → (…, D), each row alone.
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
};

/// In the place of the vectors that model.positions adds to the embeddings (3.5); one module for the source,
/// one for the target. Dropout falls on the sum. With model.positions: rotary, bias or alibi, which act
/// elsewhere, they are added besides.
class PositionsVariant : public torch::nn::Module {
 public:
  ~PositionsVariant() override;

  /// positions: (T), whole numbers from 0 → (T, D), for any of them.
  virtual torch::Tensor forward(const torch::Tensor& positions) = 0;
};

/// 0 … S - 1 for key: (B, H, S, K) → (S), without asking for a size.
inline torch::Tensor key_positions(const torch::Tensor& key) {
  return torch::ones_like(key.select(0, 0).select(0, 0).select(-1, 0), torch::kLong).cumsum(0) - 1;
}

/// Where queries: (B, H, T, K) stand among the keys of a sequence over itself: S - T … S - 1 → (T)
inline torch::Tensor query_positions(const torch::Tensor& query, const torch::Tensor& key) {
  const auto keys = torch::ones_like(key.select(0, 0).select(0, 0).select(-1, 0), torch::kLong);
  const auto queries = torch::ones_like(query.select(0, 0).select(0, 0).select(-1, 0), torch::kLong);
  return queries.cumsum(0) - 1 + (keys.sum() - queries.sum());
}

using MakeVariant =
    std::function<std::shared_ptr<torch::nn::Module>(const variants::Place&, const variants::Values&)>;

/// Makes a variant known whose modules `make` makes; they must derive from the class of that kind. Throws
/// InputError for a name or an option that cannot be, or a name that is taken.
void add_variant(variants::Kind kind, variants::Declaration declaration, MakeVariant make);

template <typename Variant>
constexpr variants::Kind kind_of_variant() {
  if constexpr (std::is_base_of_v<AttentionVariant, Variant>)
    return variants::Kind::attention;
  else if constexpr (std::is_base_of_v<FeedForwardVariant, Variant>)
    return variants::Kind::feed_forward;
  else if constexpr (std::is_base_of_v<NormVariant, Variant>)
    return variants::Kind::norm;
  else {
    static_assert(std::is_base_of_v<PositionsVariant, Variant>,
                  "a variant derives from one of the four classes");
    return variants::Kind::positions;
  }
}

/// The same for a class that is constructed from a place and values. Its base tells its kind.
template <typename Variant>
void add_variant(variants::Declaration declaration) {
  add_variant(
      kind_of_variant<Variant>(), std::move(declaration),
      [](const variants::Place& place, const variants::Values& values) -> std::shared_ptr<torch::nn::Module> {
        return std::make_shared<Variant>(place, values);
      });
}

/// What programs do with --load FILE: opens the shared library and lets it add its variants. Throws
/// InputError, naming the file, for one that cannot be loaded, was compiled for another version
/// (plugin_version), has no entry points, or adds what cannot be.
void load_plugin(const std::string& file);

}  // namespace transformer::nn

// Counts up when something above, in train/variants.h, or in what these include, changes.
#define TRANSFORMER_PLUGIN_INTERFACE "4"

// A shared library is compiled against one version of this library and of LibTorch.
#ifdef TRANSFORMER_VERSION
#define TRANSFORMER_PLUGIN_VERSION \
  "transformer " TRANSFORMER_VERSION ", interface " TRANSFORMER_PLUGIN_INTERFACE ", LibTorch " TORCH_VERSION

/// The entry points of a shared library, once in it, with what is to be done in braces behind it:
///     TRANSFORMER_PLUGIN() { transformer::nn::add_variant<MyNorm>({.name = "mine", .about = "…"}); }
#define TRANSFORMER_PLUGIN()                                                                   \
  extern "C" __attribute__((visibility("default"))) const char* transformer_plugin_version() { \
    return TRANSFORMER_PLUGIN_VERSION;                                                         \
  }                                                                                            \
  extern "C" __attribute__((visibility("default"))) void transformer_plugin_register()
#endif
