// A recurrent layer, in one direction or in both.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "transformer/models/recurrent/options.h"

namespace transformer::models::recurrent {

/// What a layer remembers of each row. (R, H)
struct CellState {
  torch::Tensor h;
  torch::Tensor c = {};  ///< of LSTM alone, else undefined
};

/// Sequences of padded rows in the order in which a layer reads them: longest first.
struct ReadingOrder {
  torch::Tensor lengths;  ///< (B) on the host, descending
  torch::Tensor rows;     ///< (B) the row at each place
  torch::Tensor places;   ///< (B) the place of each row
};

/// lengths: (B), positive, on any device, where the other tensors are, too.
ReadingOrder reading_order(const torch::Tensor& lengths);

/// The formulas are those of torch.nn.GRU and torch.nn.LSTM. So are the names and shapes of the weights, with
/// G gates (gates_of): weight_ih_l0 (G·H, I), weight_hh_l0 (G·H, H), bias_ih_l0 and bias_hh_l0 (G·H), and the
/// same with _reverse. They begin uniform within ±1/√H, as in PyTorch.
class LayerImpl : public torch::nn::Module {
 public:
  LayerImpl(Cell cell, std::int64_t inputs, std::int64_t units, bool bidirectional);

  struct Read {
    torch::Tensor states;  ///< (B, T, H), or (B, T, 2H): forward, backward
    CellState last;        ///< after each row's last token; in both directions (B, 2H)
  };

  /// Reads rows that are padded behind their lengths, starting from zeros. States at padding are zero. x:
  /// (B, T, I)
  Read read(const torch::Tensor& x, const ReadingOrder& order);

  /// The same in one direction, to the end of the padding. x: (B, T, I), begin: (B, H) → (B, T, H)
  torch::Tensor read(const torch::Tensor& x, const CellState& begin);

  /// One token. x: (R, I), before: (R, H)
  CellState step(const torch::Tensor& x, const CellState& before);

 private:
  void join_for_cudnn();

  Cell cell_;
  std::int64_t units_;
  bool bidirectional_;
  std::vector<torch::Tensor> weights_;  // in LibTorch's order
};
TORCH_MODULE(Layer);

}  // namespace transformer::models::recurrent
