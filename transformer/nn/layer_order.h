// Sections 3.1 and 5.4: the order of sublayers, residual connections and norms. It is written here once; the
// modules, the engine's encoder and the engine's decoding steps all run these templates. Free of LibTorch.
//
// A Stream is activations on their way through a stack of layers. Its type says what the steps compute on:
//
//   attend_to_self(attention, y), attend_to_source(attention, y), feed_forward(network, y)
//                          a sublayer's result z for its input y; attention and network are the layer's
//   value()                y: the activations as they are
//   normed(norm)           y: the normalised activations; x stays
//   add(z, norm)           x + Dropout(z); norm: that of the same residual connection
//   add_and_norm(z, norm)  LayerNorm(x + Dropout(z)), section 5.4
//   sum(z, z')             the sum of two results; only where sublayers may be parallel
#pragma once

#include "transformer/nn/types.h"

namespace transformer::nn {

/// What a layer is made of, besides its sublayers' own options.
struct LayerOrder {
  NormPlacement norm = NormPlacement::post;
  bool parallel = false;     ///< all sublayers read the same, and one residual connection adds their sum
  bool source = true;        ///< whether a decoder's layer attends to a source
  bool feed_forward = true;  ///< whether the last sublayer is there
};

/// post: LayerNorm(x + Dropout(sublayer(x))), the paper's. pre: x + Dropout(sublayer(LayerNorm(x))).
/// sandwich: as pre, and what is added is normalised, which is the residual connection's own affair.
template <typename Stream, typename Norm, typename Sublayer>
void residual(NormPlacement placement, Stream& x, Norm& norm, Sublayer&& sublayer) {
  switch (placement) {
    case NormPlacement::post:
      return x.add_and_norm(sublayer(x.value()), norm);
    case NormPlacement::pre:
    case NormPlacement::sandwich:
      return x.add(sublayer(x.normed(norm)), norm);
  }
  no_such_choice();
}

/// The paper's order, one sublayer after the other.
template <typename Stream, typename Layer>
void run_encoder_layer(const LayerOrder& order, Stream& x, Layer& layer) {
  residual(order.norm, x, layer.self_attention_residual,
           [&](auto&& y) { return x.attend_to_self(layer.self_attention, y); });
  if (order.feed_forward)
    residual(order.norm, x, layer.feed_forward_residual,
             [&](auto&& y) { return x.feed_forward(layer.feed_forward, y); });
}

template <typename Stream, typename Layer>
void run_decoder_layer(const LayerOrder& order, Stream& x, Layer& layer) {
  residual(order.norm, x, layer.self_attention_residual,
           [&](auto&& y) { return x.attend_to_self(layer.self_attention, y); });
  if (order.source)
    residual(order.norm, x, layer.cross_attention_residual,
             [&](auto&& y) { return x.attend_to_source(layer.cross_attention, y); });
  if (order.feed_forward)
    residual(order.norm, x, layer.feed_forward_residual,
             [&](auto&& y) { return x.feed_forward(layer.feed_forward, y); });
}

/// All sublayers beside each other (GPT-J, PaLM): one residual connection adds the sum of their results.
template <typename Stream, typename Layer>
void run_parallel_encoder_layer(const LayerOrder& order, Stream& x, Layer& layer) {
  residual(order.norm, x, layer.self_attention_residual, [&](auto&& y) {
    auto z = x.attend_to_self(layer.self_attention, y);
    return order.feed_forward ? x.sum(z, x.feed_forward(layer.feed_forward, y)) : z;
  });
}

template <typename Stream, typename Layer>
void run_parallel_decoder_layer(const LayerOrder& order, Stream& x, Layer& layer) {
  residual(order.norm, x, layer.self_attention_residual, [&](auto&& y) {
    auto z = x.attend_to_self(layer.self_attention, y);
    if (order.source) z = x.sum(z, x.attend_to_source(layer.cross_attention, y));
    return order.feed_forward ? x.sum(z, x.feed_forward(layer.feed_forward, y)) : z;
  });
}

/// The result of a stack of layers. With norms before sublayers the stack ends in a norm of its own.
template <typename Stream, typename Norm>
auto end_of_stack(NormPlacement placement, Stream& x, Norm& norm) {
  switch (placement) {
    case NormPlacement::post:
      return x.value();
    case NormPlacement::pre:
    case NormPlacement::sandwich:
      return x.normed(norm);
  }
  no_such_choice();
}

}  // namespace transformer::nn
