// Parts of the model from outside this project: their classes, and how they become known. Those of training
// are in train/variants.h.
//
// A variant is a module that derives from one of the four classes below. add_variant() makes it known. A
// program over the installed library can call it, or a shared library that a program loads (--load FILE).
// Such a library marks its entry with TRANSFORMER_PLUGIN and links nothing of ours. A configuration names the
// variant with its options: `model.variants.norm: rms epsilon=1e-6`. The guide is docs/guides/variants.md.
//
// Every place of the model has a module of its own, made from the sizes of that place and the values of the
// options:
//     explicit MyNorm(const variants::Place& place, const variants::Values& options);
//
// Rules for all four:
// * Learned numbers are registered parameters. Those of torch::nn::Linear, LayerNorm and Embedding begin as
//   in the rest of the model (init.h), others as the constructor leaves them. Buffers hold constants that the
//   constructor computes; they are not saved.
// * The input has the type of the parameters (fp32, even if products are computed in another type). Without
//   parameters it has the type of the products. The result may have either type.
// * Gradients come from autograd. None of our operations is fused with a variant.
// * TorchScript traces it once and runs the trace on other shapes. So sizes must come from tensors, not from
//   numbers such as size(). See key_positions() and query_positions().
#pragma once

#include <torch/nn/module.h>
#include <torch/version.h>

#include <functional>
#include <memory>
#include <type_traits>

#include "transformer/variants/registry.h"

namespace transformer::nn {

/// Replaces scaled dot-product attention (3.2.1) in all heads. The projections around it are the paper's.
/// With model.positions: rotary, queries and keys are already rotated. It applies attention's dropout itself,
/// if any (Place::attention_dropout; the paper has none).
class AttentionVariant : public torch::nn::Module {
 public:
  ~AttentionVariant() override;

  /// query: (B, H, T, K), key: (B, H, S, K), value: (B, H, S, V) → (B, H, T, V).
  ///
  /// mask: boolean, broadcastable to (B, H, T, S), true where a key may be attended to; undefined:
  /// everywhere. bias: (H, T, S), added to the scores (model.positions: bias or alibi), or undefined.
  ///
  /// Keys are at positions 0 … S - 1. In self-attention the queries are the last ones, S - T … S - 1. In
  /// translation a decoder gives one query at a time (T = 1) over all keys so far, so both ways must agree.
  /// In attention over the source, queries have no position among the keys and may belong to different
  /// hypotheses, so each must be computed alone. A row of the mask may be all false; its result must be
  /// finite.
  virtual torch::Tensor forward(const torch::Tensor& query, const torch::Tensor& key,
                                const torch::Tensor& value, const torch::Tensor& mask,
                                const torch::Tensor& bias) = 0;
};

/// Replaces the feed-forward network (3.3) of a layer. Residual connection, its dropout and norm stay around
/// it. It applies dropout inside itself, if any (Place::activation_dropout; the paper has none).
class FeedForwardVariant : public torch::nn::Module {
 public:
  ~FeedForwardVariant() override;

  /// x: (B, T, D) → (B, T, D). Each position must be computed alone. In translation neighbouring positions
  /// belong to different hypotheses, and in training all sentences lie behind each other (B = 1).
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
};

/// Replaces layer normalisation everywhere. With post it is applied to x + Dropout(Sublayer(x)), with pre to
/// x and to the end of each stack.
class NormVariant : public torch::nn::Module {
 public:
  ~NormVariant() override;

  /// x: (…, D) → (…, D), each row alone.
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
};

/// Replaces the vectors that model.positions adds to the embeddings (3.5), with one module for the source and
/// one for the target. Dropout falls on the sum. With model.positions: rotary, bias or alibi, which enter
/// elsewhere, the vectors are added as well.
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

/// Positions of query: (B, H, T, K) among the keys in self-attention: S - T … S - 1 → (T)
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

/// Implements --load FILE: opens the shared library and lets it add its variants. Throws InputError, naming
/// the file, if the library cannot be loaded, was compiled for another version (plugin_version), has no entry
/// points, or adds something invalid.
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
