// The options of a recurrent model, besides the keys that it shares with the encoder-decoder. Free of
// LibTorch.
#pragma once

#include "transformer/base/choices.h"

namespace transformer::models::recurrent {

/// The name of the kind, in configurations.
inline constexpr const char* kRecurrent = "recurrent";

enum class Cell {
  gru,   ///< gated recurrent units (Cho et al. 2014)
  lstm,  ///< long short-term memory (Hochreiter and Schmidhuber 1997)
};

constexpr const char* name_of(Cell cell) {
  switch (cell) {
    case Cell::gru:
      return "gru";
    case Cell::lstm:
      return "lstm";
  }
  no_such_choice();
}

/// Attention of the decoder over the source.
enum class Attention {
  none,      ///< the decoder gets only the encoder's last state (Sutskever et al. 2014)
  additive,  ///< its query is the state before the step, which reads the context (Bahdanau et al. 2015)
  product,   ///< its query is the state after the step (Luong et al. 2015, "general")
};

constexpr const char* name_of(Attention attention) {
  switch (attention) {
    case Attention::none:
      return "none";
    case Attention::additive:
      return "additive";
    case Attention::product:
      return "product";
  }
  no_such_choice();
}

struct RecurrentOptions {
  Cell cell = Cell::gru;
  Attention attention = Attention::additive;
  bool bidirectional = true;    ///< the encoder reads in both directions, with D / 2 units each
  bool reverse_source = false;  ///< reads the source's words last to first; the end token stays last
  bool input_feeding = false;   ///< with product attention: a step also reads the output before it
};

/// Numbers of a layer's gates: rows of its matrices for each unit.
constexpr int gates_of(Cell cell) {
  return cell == Cell::gru ? 3 : 4;
}

/// Whether a step reads a result of the step before besides its token. If so, a target cannot be read at
/// once.
constexpr bool feeds_back(const RecurrentOptions& o) {
  return o.attention == Attention::additive || (o.attention == Attention::product && o.input_feeding);
}

}  // namespace transformer::models::recurrent
