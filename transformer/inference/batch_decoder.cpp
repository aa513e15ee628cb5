#include "transformer/inference/batch_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/stopwatch.h"

namespace transformer::inference {
namespace {

/// Rows that pass through the layers together. A large model's weights come from memory each time.
constexpr std::int64_t kRowsAtOnce = 256;

/// Panels of logits that are computed before they are looked through.
constexpr std::int64_t kPanelsAtOnce = 8;

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

/// Rows a multiple of 4 KiB apart would share a few sets of the caches.
std::int64_t staggered(std::int64_t stride) {
  return stride % 1024 == 0 ? stride + kernels::kPanel : stride;
}

}  // namespace

PhaseTimes& PhaseTimes::operator+=(const PhaseTimes& other) {
  encode += other.encode;
  decoder += other.decoder;
  output += other.output;
  return *this;
}

BatchDecoder::BatchDecoder(const PackedModel& model)
    : model_(model),
      shape_(model.shape()),
      next_tokens_(kernels::next_tokens(model.isa())),
      stack_(model),
      source_positions_(model, model.source_positions),
      target_positions_(model, model.target_positions),
      stride_(staggered(static_cast<std::int64_t>(model.decoder.size()) * shape_.memory_width())) {}

void BatchDecoder::start(std::span<const std::vector<std::int32_t>> sources, std::int64_t beam) {
  const TimeSpan span(times_.encode);
  std::int64_t positions = 0, slots = 0;
  offsets_.clear();
  most_steps_ = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const auto id : sources[i])
      if (id < 0 || id >= model_.vocabulary().source)
        throw InputError(
            fmt::format("source: expected ids below {}, found {}", model_.vocabulary().source, id));
    offsets_.push_back(positions);
    const auto length = static_cast<std::int64_t>(sources[i].size());
    const auto steps = length + length / 2 + 8;  // an output that is longer than this is rare
    positions += length;
    slots += beam * steps;
    most_steps_ = std::max(most_steps_, steps);
  }
  offsets_.push_back(positions);
  places_.resize(static_cast<std::size_t>(positions));
  std::iota(places_.begin(), places_.end(), 0);
  source_memory_.resize(positions * stride_);
  self_memory_.resize(slots * stride_);
  const auto rows = static_cast<std::int64_t>(sources.size()) * beam;
  histories_.resize(rows * most_steps_);
  next_histories_.resize(rows * most_steps_);
  length_ = first_slot_ = slots_ = last_rows_ = 0;
  for (std::size_t begin = 0; begin < sources.size();) {
    auto end = begin + 1;
    while (end < sources.size() && offsets_[end + 1] - offsets_[begin] <= kRowsAtOnce) ++end;
    encode(sources, begin, end);
    begin = end;
  }
}

void BatchDecoder::encode(std::span<const std::vector<std::int32_t>> sources, std::size_t begin,
                          std::size_t end) {
  const auto first = offsets_[begin], rows = offsets_[end] - first;
  stack_.begin(rows);
  for (auto i = begin; i < end; ++i) {
    const auto length = static_cast<std::int64_t>(sources[i].size());
    const float* positions = source_positions_.reach(length);
    for (std::int64_t j = 0; j < length; ++j)
      stack_.embed(offsets_[i] - first + j, *model_.source_embedding, sources[i][static_cast<std::size_t>(j)],
                   positions + j * shape_.position_width);
  }
  const auto width = shape_.query_width + shape_.memory_width();
  for (const auto& layer : model_.encoder) {
    const auto& attention = layer.self_attention;
    float* projected = stack_.projected(width);
    attention.projections.apply(stack_.linear(), stack_.enter(attention.norm), attention.projections.all(),
                                projected, width);
    const Memory memory{projected + shape_.query_width, width};
    for (auto i = begin; i < end; ++i) {
      const std::span keys(places_.data() + (offsets_[i] - first), sources[i].size());
      const auto length = static_cast<std::int64_t>(sources[i].size());
      float* rows_of_sentence = projected + (offsets_[i] - first) * width;
      for (const auto offset : {std::int64_t{0}, shape_.query_width})
        stack_.turn(length, rows_of_sentence + offset, width, source_positions_.reach(length),
                    shape_.position_width);
      for (const auto row : keys) stack_.attend(row, projected + row * width, memory, keys);
    }
    stack_.leave_attention(attention.output, attention.norm);
    stack_.feed_forward(layer.feed_forward);
  }
  model_.source_memory.apply(stack_.linear(), stack_.finish(model_.encoder_norm), model_.source_memory.all(),
                             source_memory_.data() + first * stride_, stride_);
}

void BatchDecoder::step(const StepRows& rows, std::int64_t width, Continuations& best) {
  const auto count = static_cast<std::int64_t>(rows.size());
  best.width = std::min(width, model_.vocabulary().target);
  best.log_probabilities.assign(rows.size() * static_cast<std::size_t>(best.width), kImpossible);
  best.tokens.assign(rows.size() * static_cast<std::size_t>(best.width), kEnd);
  extend_histories(rows);
  for (std::int64_t begin = 0; begin < count; begin += kRowsAtOnce) {
    const auto end = std::min(begin + kRowsAtOnce, count);
    RoundedRows states;
    {
      const TimeSpan span(times_.decoder);
      decode_rows(rows, begin, end);
      states = stack_.finish(model_.decoder_norm);
    }
    const TimeSpan span(times_.output);
    choose(rows, begin, states, best);
  }
}

/// Makes room for a step of so many rows.
void BatchDecoder::make_room(std::int64_t rows) {
  if (length_ == most_steps_) {
    next_histories_.resize(last_rows_ * 2 * most_steps_);
    for (std::int64_t row = 0; row < last_rows_; ++row)
      std::copy_n(histories_.data() + row * most_steps_, most_steps_,
                  next_histories_.data() + row * 2 * most_steps_);
    std::swap(histories_, next_histories_);
    most_steps_ *= 2;
  }
  next_histories_.resize(rows * most_steps_);
  self_memory_.grow((slots_ + rows) * stride_);
}

/// Gives each row a slot and appends it to the slots of what the row continues.
void BatchDecoder::extend_histories(const StepRows& rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  make_room(count);
  first_slot_ = slots_;
  slots_ += count;
  for (std::int64_t row = 0; row < count; ++row) {
    std::int32_t* history = next_histories_.data() + row * most_steps_;
    if (length_ > 0) {
      const auto parent = rows.parents[static_cast<std::size_t>(row)];
      std::copy_n(histories_.data() + parent * most_steps_, length_, history);
    }
    history[length_] = static_cast<std::int32_t>(first_slot_ + row);
  }
  std::swap(histories_, next_histories_);
  ++length_;
  last_rows_ = count;
}

void BatchDecoder::decode_rows(const StepRows& rows, std::int64_t begin, std::int64_t end) {
  const float* position = target_positions_.reach(length_) + (length_ - 1) * shape_.position_width;
  const auto count = end - begin;
  stack_.begin(count);
  for (std::int64_t row = 0; row < count; ++row)
    stack_.embed(row, *model_.target_embedding, rows.tokens[static_cast<std::size_t>(begin + row)], position);

  const Panels queries{0, shape_.query_width / kernels::kPanel};
  const Panels keys_and_values{queries.count, shape_.memory_width() / kernels::kPanel};
  const auto& linear = stack_.linear();
  float* query = stack_.projected(shape_.query_width);
  for (std::size_t i = 0; i < model_.decoder.size(); ++i) {
    const auto& layer = model_.decoder[i];
    const auto offset = static_cast<std::int64_t>(i) * shape_.memory_width();
    const auto& self = layer.self_attention;
    const auto entered = stack_.enter(self.norm);
    self.projections.apply(linear, entered, queries, query, shape_.query_width);
    float* keys = self_memory_.data() + (first_slot_ + begin) * stride_ + offset;
    self.projections.apply(linear, entered, keys_and_values, keys, stride_);
    stack_.turn(count, query, shape_.query_width, position, 0);
    stack_.turn(count, keys, stride_, position, 0);
    const Memory own{self_memory_.data() + offset, stride_};
    for (std::int64_t row = 0; row < count; ++row) {
      const std::int32_t* history = histories_.data() + (begin + row) * most_steps_;
      stack_.attend(row, query + row * shape_.query_width, own, {history, static_cast<std::size_t>(length_)});
    }
    stack_.leave_attention(self.output, self.norm);

    const auto& source = layer.source_attention;
    source.query.apply(linear, stack_.enter(source.norm), source.query.all(), query, shape_.query_width);
    const Memory memory{source_memory_.data() + offset, stride_};
    for (std::int64_t row = 0; row < count; ++row) {
      const auto sentence = static_cast<std::size_t>(rows.sentences[static_cast<std::size_t>(begin + row)]);
      const auto length = static_cast<std::size_t>(offsets_[sentence + 1] - offsets_[sentence]);
      stack_.attend(row, query + row * shape_.query_width, memory,
                    {places_.data() + offsets_[sentence], length});
    }
    stack_.leave_attention(source.output, source.norm);
    stack_.feed_forward(layer.feed_forward);
  }
}

void BatchDecoder::choose(const StepRows& rows, std::int64_t begin, const RoundedRows& states,
                          Continuations& best) {
  constexpr auto kWidth = kPanelsAtOnce * kernels::kPanel;
  const auto count = states.rows, vocabulary = model_.vocabulary().target;
  logits_.resize(count * kWidth);
  maximum_.resize(count);
  total_.resize(count);
  end_logits_.resize(count);
  std::fill_n(maximum_.data(), count, kImpossible);
  std::fill_n(total_.data(), count, 0.0F);
  float* values = best.log_probabilities.data() + begin * best.width;
  std::int32_t* tokens = best.tokens.data() + begin * best.width;
  for (std::int64_t first = 0; first < vocabulary; first += kWidth) {
    const auto columns = std::min(kWidth, vocabulary - first);
    const Panels panels{first / kernels::kPanel, kernels::padded(columns) / kernels::kPanel};
    model_.output.apply(stack_.linear(), states, panels, logits_.data(), kWidth);
    if (first == 0)
      for (std::int64_t row = 0; row < count; ++row) end_logits_[row] = logits_[row * kWidth + kEnd];
    next_tokens_.scan({count,
                       first,
                       columns,
                       logits_.data(),
                       kWidth,
                       maximum_.data(),
                       total_.data(),
                       {kPad, kBegin},
                       best.width,
                       values,
                       tokens});
  }
  for (std::int64_t row = 0; row < count; ++row) {
    float* mine = values + row * best.width;
    const float log_sum = maximum_[row] + std::log(total_[row]);
    if (rows.must_end[static_cast<std::size_t>(begin + row)] != 0 || mine[0] == kImpossible) {
      std::fill_n(mine, best.width, kImpossible);
      mine[0] = end_logits_[row];
      tokens[row * best.width] = kEnd;
    }
    for (std::int64_t i = 0; i < best.width; ++i) mine[i] -= log_sum;
  }
}

}  // namespace transformer::inference
