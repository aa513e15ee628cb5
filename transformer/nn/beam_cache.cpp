#include "transformer/nn/beam_cache.h"

#include <limits>

namespace transformer::nn {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// The same columns in a longer tensor, behind them `fill`. Dimension `along` of x becomes `size`.
torch::Tensor lengthened(const torch::Tensor& x, std::int64_t along, std::int64_t size, double fill) {
  auto sizes = x.sizes().vec();
  sizes[static_cast<std::size_t>(along)] = size;
  auto longer = torch::full(sizes, fill, x.options());
  longer.narrow(along, 0, x.size(along)).copy_(x);
  return longer;
}

}  // namespace

void BeamCache::lengthen(std::int64_t positions) {
  const auto columns = positions * width();
  visible = lengthened(visible, 3, columns, kHidden);
  for (auto& layer : layers) {
    // What is hidden counts for nothing, as long as it is a number.
    layer.self.keys = lengthened(layer.self.keys, 2, columns, 0.0);
    layer.self.values = lengthened(layer.self.values, 2, columns, 0.0);
  }
}

void BeamCache::follow(const torch::Tensor& parents) {
  visible.copy_(visible.gather(2, parents.unsqueeze(1).unsqueeze(-1).expand_as(visible)));
}

void BeamCache::advance() {
  ++length;
  position.add_(1);
  columns.add_(width());
  if (bias.defined()) bias_columns.sub_(width());
}

void BeamCache::select_sentences(const torch::Tensor& rows) {
  visible = visible.index_select(0, rows);
  // A selection would be stored without the alignment of its rows.
  source_visible = added_mask(source_visible.index_select(0, rows).eq(0), source_visible.scalar_type());
  for (auto& layer : layers) {
    layer.self.select(rows);
    layer.source.select(rows);
  }
}

std::int64_t rounded_columns(std::int64_t columns) {
  constexpr std::int64_t kAligned = 16;
  return (columns + kAligned - 1) / kAligned * kAligned;
}

torch::Tensor added_mask(const torch::Tensor& mask, torch::ScalarType type) {
  auto sizes = mask.sizes().vec();
  sizes.back() = rounded_columns(sizes.back());
  const auto added = torch::zeros(sizes, mask.options().dtype(type)).narrow(-1, 0, mask.size(-1));
  return added.masked_fill_(mask.logical_not(), kHidden);
}

}  // namespace transformer::nn
