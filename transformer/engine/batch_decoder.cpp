#include "transformer/engine/batch_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "transformer/base/error.h"
#include "transformer/base/stopwatch.h"
#include "transformer/engine/output_layer.h"
#include "transformer/engine/stack.h"
#include "transformer/nn/layer_order.h"

namespace transformer::engine {
namespace {

/// Rows that pass through the layers together. A large model's weights come from memory each time.
constexpr std::int64_t kRowsAtOnce = 256;

}  // namespace

PhaseTimes& PhaseTimes::operator+=(const PhaseTimes& other) {
  encode += other.encode;
  decoder += other.decoder;
  output += other.output;
  return *this;
}

/// Whole sentences, one behind the other.
struct BatchDecoder::EncoderPass : StackStream {
  BatchDecoder& own;
  std::span<const std::vector<std::int32_t>> sources;
  std::int64_t first_row = 0;  // of all sentences' rows
  std::size_t first_sentence = 0;

  SublayerResult attend_to_self(const PackedSelfAttention& attention, const RoundedRows& y) {
    const auto& shape = own.shape_;
    const auto width = shape.query_width + shape.key_value_width();
    float* projected = stack.projected(width);
    stack.multiply(attention.projections, y, projected, width);
    const KeyValues key_values{projected + shape.query_width, width};
    stack.normalise_heads(attention.norms.query, {projected, y.rows, width, shape.heads});
    stack.normalise_heads(attention.norms.key,
                          {projected + shape.query_width, y.rows, width, shape.kv_heads});
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto first = own.offsets_[first_sentence + i] - first_row;
      const auto length = static_cast<std::int64_t>(sources[i].size());
      float* queries = projected + first * width;
      const float* positions = own.source_positions_.reach(length);
      stack.turn({queries, length, width, shape.heads}, positions, shape.position_width);
      stack.turn({queries + shape.query_width, length, width, shape.kv_heads}, positions,
                 shape.position_width);
      for (std::int64_t place = 0; place < length; ++place) {
        const auto reach = reach_of(own.model_.options(), place, length);
        stack.attend(first + place, queries + place * width, key_values,
                     {own.places_.data() + first + reach.first, reach.count},
                     stack.bias(place, length).from(reach.first));
      }
    }
    return stack.project(attention.output);
  }
};

/// The hypotheses of one step, which attend to the keys and values that earlier steps left.
struct BatchDecoder::StepPass : StackStream {
  BatchDecoder& own;
  const search::StepRows& rows;
  std::int64_t first_row = 0;       // of the step's rows
  const float* position = nullptr;  // the same for all
  std::int64_t offset = 0;          // of the layer's keys and values among all layers'

  SublayerResult attend_to_self(const PackedSelfAttention& attention, const RoundedRows& y) {
    const auto& shape = own.shape_;
    const Panels queries{0, shape.query_width / kernels::kPanel};
    const Panels keys_and_values{queries.count, shape.key_value_width() / kernels::kPanel};
    float* query = stack.projected(shape.query_width);
    float* keys = own.self_key_values_.data() + (own.first_slot_ + first_row) * own.stride_ + offset;
    stack.multiply(attention.projections, queries, y, query, shape.query_width);
    stack.multiply(attention.projections, keys_and_values, y, keys, own.stride_);
    const HeadRows all_queries{query, y.rows, shape.query_width, shape.heads};
    const HeadRows all_keys{keys, y.rows, own.stride_, shape.kv_heads};
    stack.normalise_heads(attention.norms.query, all_queries);
    stack.normalise_heads(attention.norms.key, all_keys);
    stack.turn(all_queries, position, 0);
    stack.turn(all_keys, position, 0);
    const KeyValues key_values{own.self_key_values_.data() + offset, own.stride_};
    const auto reach = reach_of(own.model_.options(), own.length_ - 1, own.length_);
    const auto bias = stack.bias(own.length_ - 1, own.length_).from(reach.first);
    for (std::int64_t row = 0; row < y.rows; ++row) {
      const std::int32_t* history = own.histories_.data() + (first_row + row) * own.most_steps_;
      stack.attend(row, query + row * shape.query_width, key_values, {history + reach.first, reach.count},
                   bias);
    }
    return stack.project(attention.output);
  }

  SublayerResult attend_to_source(const PackedCrossAttention& attention, const RoundedRows& y) {
    const auto& shape = own.shape_;
    float* query = stack.projected(shape.query_width);
    stack.multiply(attention.query, y, query, shape.query_width);
    stack.normalise_heads(attention.norms.query, {query, y.rows, shape.query_width, shape.heads});
    const KeyValues key_values{own.source_key_values_.data() + offset, own.stride_};
    for (std::int64_t row = 0; row < y.rows; ++row) {
      const auto sentence =
          static_cast<std::size_t>(rows.sentences[static_cast<std::size_t>(first_row + row)]);
      const auto length = static_cast<std::size_t>(own.offsets_[sentence + 1] - own.offsets_[sentence]);
      stack.attend(row, query + row * shape.query_width, key_values,
                   {own.places_.data() + own.offsets_[sentence], length});
    }
    return stack.project(attention.output);
  }
};

BatchDecoder::BatchDecoder(const PackedModel& model)
    : model_(model),
      shape_(model.shape()),
      stack_(std::make_unique<Stack>(model)),
      output_(std::make_unique<OutputLayer>(model)),
      source_positions_(model, model.source_positions),
      target_positions_(model, model.target_positions),
      stride_(key_value_stride(model)) {}

BatchDecoder::~BatchDecoder() = default;

void BatchDecoder::start(std::span<const std::vector<std::int32_t>> sources, std::int64_t beam) {
  const TimeSpan span(times_.encode);
  std::int64_t positions = 0, slots = 0;
  offsets_.clear();
  most_steps_ = 0;
  for (const auto& source : sources) {
    for (const auto id : source)
      if (id < 0 || id >= model_.vocabulary().source)
        throw InputError(
            fmt::format("source: expected ids below {}, found {}", model_.vocabulary().source, id));
    offsets_.push_back(positions);
    const auto length = std::ssize(source);
    const auto steps = length + length / 2 + 8;  // an output that is longer than this is rare
    positions += length;
    slots += beam * steps;
    most_steps_ = std::max(most_steps_, steps);
  }
  offsets_.push_back(positions);
  places_.resize(static_cast<std::size_t>(positions));
  std::iota(places_.begin(), places_.end(), 0);
  source_key_values_.resize(positions * stride_);
  self_key_values_.resize(slots * stride_);
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
  stack_->begin(rows, /*source=*/true);
  for (auto i = begin; i < end; ++i) {
    const auto length = static_cast<std::int64_t>(sources[i].size());
    const float* positions = source_positions_.reach(length);
    for (std::int64_t j = 0; j < length; ++j)
      stack_->embed(offsets_[i] - first + j, *model_.source_embedding,
                    sources[i][static_cast<std::size_t>(j)], positions + j * shape_.position_width);
  }
  stack_->norm_embeddings();
  EncoderPass pass{{*stack_}, *this, sources.subspan(begin, end - begin), first, begin};
  for (const auto& layer : model_.encoder)
    nn::run_encoder_layer({.norm = model_.options().norm}, pass, layer);
  const auto states = nn::end_of_stack(model_.options().norm, pass, model_.encoder_norm);
  float* keys = source_key_values_.data() + first * stride_;
  stack_->multiply(model_.source_key_values, states, keys, stride_);
  for (const auto& layer : model_.decoder) {
    stack_->normalise_heads(layer.cross_attention.norms.key, {keys, rows, stride_, shape_.kv_heads});
    keys += shape_.key_value_width();
  }
}

void BatchDecoder::step(const search::StepRows& rows, std::int64_t width, search::Continuations& best) {
  output_->begin(rows.size(), width, best);
  pass(rows, [&](const RoundedRows& states, std::int64_t first) {
    output_->choose(states, first, rows.only, best);
  });
}

std::span<const float> BatchDecoder::logits(const search::StepRows& rows) {
  const auto vocabulary = model_.vocabulary().target, size = std::ssize(rows.tokens) * vocabulary;
  logits_.resize(size);
  pass(rows, [&](const RoundedRows& states, std::int64_t first) {
    output_->compute(states, logits_.data() + first * vocabulary);
  });
  return {logits_.data(), static_cast<std::size_t>(size)};
}

/// Makes a step of all rows; use: called with the states of some, and the first one's number.
void BatchDecoder::pass(const search::StepRows& rows,
                        const std::function<void(const RoundedRows& states, std::int64_t first)>& use) {
  const auto count = static_cast<std::int64_t>(rows.size());
  extend_histories(rows);
  for (std::int64_t begin = 0; begin < count; begin += kRowsAtOnce) {
    const auto end = std::min(begin + kRowsAtOnce, count);
    RoundedRows states;
    {
      const TimeSpan span(times_.decoder);
      states = decode_rows(rows, begin, end);
    }
    const TimeSpan span(times_.output);
    use(states, begin);
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
  self_key_values_.grow((slots_ + rows) * stride_);
}

/// Gives each row a slot and appends it to the slots of what the row continues.
void BatchDecoder::extend_histories(const search::StepRows& rows) {
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

RoundedRows BatchDecoder::decode_rows(const search::StepRows& rows, std::int64_t begin, std::int64_t end) {
  const float* position = target_positions_.reach(length_) + (length_ - 1) * shape_.position_width;
  stack_->begin(end - begin);
  for (std::int64_t row = 0; row < end - begin; ++row)
    stack_->embed(row, *model_.target_embedding, rows.tokens[static_cast<std::size_t>(begin + row)],
                  position);
  stack_->norm_embeddings();
  StepPass pass{{*stack_}, *this, rows, begin, position};
  for (const auto& layer : model_.decoder) {
    nn::run_decoder_layer({.norm = model_.options().norm}, pass, layer);
    pass.offset += shape_.key_value_width();
  }
  return nn::end_of_stack(model_.options().norm, pass, model_.decoder_norm);
}

}  // namespace transformer::engine
