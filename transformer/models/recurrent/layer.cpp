#include "transformer/models/recurrent/layer.h"

#include <torch/nn/init.h>

#include <cmath>

#include "transformer/ops/tracing.h"

namespace transformer::models::recurrent {
namespace {

using torch::Tensor;

/// (directions, B, H), of as many rows as x (B, T, I) has: a trace must not know their number or their
/// device.
Tensor zeros(const Tensor& x, std::int64_t directions, std::int64_t units) {
  const auto one = torch::zeros_like(x.select(1, 0).slice(-1, 0, 1));  // (B, 1)
  return one.expand({-1, units}).unsqueeze(0).expand({directions, -1, -1}).contiguous();
}

/// (directions, B, H) → (B, directions · H)
Tensor beside_each_other(const Tensor& last) {
  return last.transpose(0, 1).flatten(1);
}

}  // namespace

ReadingOrder reading_order(const Tensor& lengths) {
  const auto [sorted, rows] = lengths.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
  return {sorted.cpu(), rows, rows.argsort()};
}

LayerImpl::LayerImpl(Cell cell, std::int64_t inputs, std::int64_t units, bool bidirectional)
    : cell_(cell), units_(units), bidirectional_(bidirectional) {
  const auto gates = gates_of(cell) * units;
  const double bound = 1 / std::sqrt(static_cast<double>(units));
  for (const auto* direction : {"_l0", "_l0_reverse"}) {
    if (!bidirectional && weights_.size() == 4) break;
    const auto add = [&](const char* name, at::IntArrayRef shape) {
      weights_.push_back(register_parameter(std::string(name) + direction, torch::empty(shape)));
      torch::nn::init::uniform_(weights_.back(), -bound, bound);
    };
    add("weight_ih", {gates, inputs});
    add("weight_hh", {gates, units});
    add("bias_ih", {gates});
    add("bias_hh", {gates});
  }
}

/// cuDNN takes weights from one block of memory, and copies those that lie elsewhere, with a warning, at each
/// call. They stay the same tensors to whoever holds them.
void LayerImpl::join_for_cudnn() {
  const auto& first = weights_[0];
  if (!first.is_cuda() || first.storage().is_alias_of(weights_[1].storage())) return;
  if (!torch::cudnn_is_acceptable(first) || !torch::_use_cudnn_rnn_flatten_weight()) return;
  const torch::NoGradGuard no_gradients;
  constexpr std::int64_t lstm = 2, gru = 3;  // cuDNN's numbers
  torch::_cudnn_rnn_flatten_weight(weights_, /*weight_stride0=*/4, first.size(1),
                                   cell_ == Cell::gru ? gru : lstm, units_, /*proj_size=*/0, /*num_layers=*/1,
                                   /*batch_first=*/true, bidirectional_);
}

LayerImpl::Read LayerImpl::read(const Tensor& x, const ReadingOrder& order) {
  join_for_cudnn();
  const std::int64_t directions = bidirectional_ ? 2 : 1;
  const auto [tokens, sizes] =
      torch::_pack_padded_sequence(x.index_select(0, order.rows), order.lengths, /*batch_first=*/true);
  const auto begin = zeros(x, directions, units_);
  Tensor packed, h, c;
  if (cell_ == Cell::gru)
    std::tie(packed, h) = torch::gru(tokens, sizes, begin, weights_, /*has_biases=*/true, /*num_layers=*/1,
                                     /*dropout=*/0.0, is_training(), bidirectional_);
  else
    std::tie(packed, h, c) =
        torch::lstm(tokens, sizes, {begin, begin}, weights_, /*has_biases=*/true, /*num_layers=*/1,
                    /*dropout=*/0.0, is_training(), bidirectional_);
  const auto in_order = [&](const Tensor& of) { return of.index_select(0, order.places); };
  const auto padded = std::get<0>(
      torch::_pad_packed_sequence(packed, sizes, /*batch_first=*/true, 0.0, ops::tracing() ? -1 : x.size(1)));
  return {in_order(padded),
          {in_order(beside_each_other(h)), c.defined() ? in_order(beside_each_other(c)) : Tensor()}};
}

Tensor LayerImpl::read(const Tensor& x, const CellState& begin) {
  join_for_cudnn();
  const auto h = begin.h.unsqueeze(0);
  if (cell_ == Cell::gru)
    return std::get<0>(torch::gru(x, h, weights_, true, 1, 0.0, is_training(), false, /*batch_first=*/true));
  return std::get<0>(
      torch::lstm(x, {h, begin.c.unsqueeze(0)}, weights_, true, 1, 0.0, is_training(), false, true));
}

CellState LayerImpl::step(const Tensor& x, const CellState& before) {
  const auto& w = weights_;
  if (cell_ == Cell::gru) return {torch::gru_cell(x, before.h, w[0], w[1], w[2], w[3])};
  const auto [h, c] = torch::lstm_cell(x, {before.h, before.c}, w[0], w[1], w[2], w[3]);
  return {h, c};
}

}  // namespace transformer::models::recurrent
