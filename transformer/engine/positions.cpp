#include "transformer/engine/positions.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "transformer/base/error.h"
#include "transformer/kernels/alibi.h"
#include "transformer/kernels/relative_bucket.h"
#include "transformer/nn/frequencies.h"

namespace transformer::engine {
namespace {

/// Calls put(row, i, angle) for frequency i = 0 … count - 1 of each position.
template <typename Put>
VectorTable table_of_angles(std::int64_t length, std::int64_t width, std::int64_t count, double denominator,
                            Put&& put, double base = 10000) {
  VectorTable table{length, kernels::Buffer<float>(length * width)};
  std::fill_n(table.values.data(), length * width, 0.0F);
  for (std::int64_t i = 0; i < count; ++i) {
    const double frequency = nn::frequency(i, denominator, base);
    for (std::int64_t position = 0; position < length; ++position)
      put(table.values.data() + position * width, i, static_cast<double>(position) * frequency);
  }
  return table;
}

/// As nn::sinusoids.
VectorTable sinusoids(const models::ModelOptions& o, std::int64_t length) {
  const auto layout = nn::about(o.positions).sinusoids.value();
  const auto half = o.d_model / 2;
  return table_of_angles(length, position_width(o), half, nn::sinusoid_denominator(layout, o.d_model),
                         [&](float* row, std::int64_t i, double angle) {
                           row[layout.interleaved ? 2 * i : i] = static_cast<float>(std::sin(angle));
                           row[layout.interleaved ? 2 * i + 1 : half + i] =
                               static_cast<float>(std::cos(angle));
                         });
}

/// As ops::rotation_at: a pair of dimensions has one angle.
VectorTable rotations(const models::ModelOptions& o, std::int64_t length) {
  const auto half = o.d_k / 2;
  return table_of_angles(
      length, position_width(o), half, static_cast<double>(half),
      [&](float* row, std::int64_t i, double angle) {
        const auto cosine = static_cast<float>(std::cos(angle));
        const auto sine = static_cast<float>(std::sin(angle));
        row[2 * i] = row[2 * i + 1] = cosine;
        row[o.d_k + 2 * i] = -sine;
        row[o.d_k + 2 * i + 1] = sine;
      },
      o.rotary_base);
}

}  // namespace

std::int64_t position_width(const models::ModelOptions& options) {
  if (nn::are_vectors(options.positions)) return kernels::padded(options.d_model);
  return nn::are_rotary(options.positions) ? 2 * options.d_k : 0;
}

VectorTable computed_positions(const models::ModelOptions& options, std::int64_t length) {
  if (nn::are_vectors(options.positions)) return sinusoids(options, length);
  if (nn::are_rotary(options.positions)) return rotations(options, length);
  return {length, {}};
}

const float* PositionTable::reach(std::int64_t length) {
  if (length <= known_.rows) return known_.values.data();
  if (models::longest_sequence(model_.options()))
    throw InputError(nn::too_few_positions(known_.rows, length));
  if (length > further_.rows) further_ = computed_positions(model_.options(), 2 * length);
  return further_.values.data();
}

RowBias BiasTable::at(std::int64_t place, std::int64_t count) {
  if (nn::where_enter(options_.positions) != nn::PositionsEnter::scores) return {};
  const auto distance = std::max(place, count - 1 - place);
  if (distance > farthest_) reach(2 * distance);
  return {values_.data() + farthest_ - place, 2 * farthest_ + 1};
}

void BiasTable::reach(std::int64_t distance) {
  farthest_ = distance;
  const auto width = 2 * distance + 1;
  values_.resize(options_.heads * width);
  for (std::int64_t head = 0; head < options_.heads; ++head) {
    float* bias = values_.data() + head * width + distance;
    for (auto i = -distance; i <= distance; ++i) bias[i] = bias_of(head, i);
  }
}

float BiasTable::bias_of(std::int64_t head, std::int64_t distance) const {
  switch (nn::about(options_.positions).score_bias.value()) {
    case nn::ScoreBias::buckets:
      return buckets_.data()[kernels::relative_bucket(distance, both_sides_) * options_.heads + head];
    case nn::ScoreBias::slopes:
      return -static_cast<float>(kernels::alibi_slope(head, options_.heads)) *
             static_cast<float>(std::abs(distance));
  }
  no_such_choice();
}

}  // namespace transformer::engine
