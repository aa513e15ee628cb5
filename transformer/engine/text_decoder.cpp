#include "transformer/engine/text_decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/engine/stack.h"
#include "transformer/nn/layer_order.h"

namespace transformer::engine {
namespace {

/// Rows that pass through the layers together.
constexpr std::int64_t kRowsOfPass = 256;

/// Positions that a text has room for at first.
constexpr std::int64_t kFirstRoom = 64;

}  // namespace

struct TextDecoder::Pass : StackStream {
  TextDecoder& own;
  std::span<const Row> rows;
  std::int64_t offset = 0;  // of the layer's keys and values among all layers'

  SublayerResult attend_to_source(const PackedCrossAttention&, const RoundedRows&) { return {}; }

  SublayerResult attend_to_self(const PackedSelfAttention& attention, const RoundedRows& y) {
    const auto& shape = own.shape_;
    const auto width = shape.query_width + shape.key_value_width();
    float* queries = stack.projected(width);
    float* keys = queries + shape.query_width;
    stack.multiply(attention.projections, y, queries, width);
    const HeadRows all_queries{queries, y.rows, width, shape.heads};
    const HeadRows all_keys{keys, y.rows, width, shape.kv_heads};
    stack.normalise_heads(attention.norms.query, all_queries);
    stack.normalise_heads(attention.norms.key, all_keys);
    stack.turn(all_queries, own.row_positions_.data(), shape.position_width);
    stack.turn(all_keys, own.row_positions_.data(), shape.position_width);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(keys + static_cast<std::int64_t>(i) * width, shape.key_value_width(),
                  rows[i].text->key_values.data() + rows[i].place * own.stride_ + offset);
    attend(queries, width);
    return stack.project(attention.output);
  }

  /// The team shares the rows, or the heads of few rows. Later rows have more keys, so they are dealt in
  /// turn.
  void attend(const float* queries, std::int64_t width) {
    const auto members = stack.team().members();
    const auto parts = std::ssize(rows) >= members
                           ? 1
                           : static_cast<int>(std::min<std::int64_t>(members, own.shape_.kv_heads));
    stack.team().run([&](int member) {
      for (std::int64_t piece = member; piece < std::ssize(rows) * parts; piece += members) {
        const auto i = piece / parts;
        const auto& row = rows[static_cast<std::size_t>(i)];
        const auto reach = reach_of(own.model_.options(), row.place, row.place + 1);
        stack.attend(i, queries + i * width, {row.text->key_values.data() + offset, own.stride_},
                     {own.places_.data() + reach.first, reach.count},
                     own.biases_[static_cast<std::size_t>(i)].from(reach.first),
                     {own.shape_.kv_heads, static_cast<int>(piece % parts), parts}, member);
      }
    });
  }
};

TextDecoder::TextDecoder(const PackedModel& model, int threads)
    : model_(model),
      shape_(model.shape()),
      stack_(std::make_unique<Stack>(model, threads)),
      positions_(model, model.target_positions),
      stride_(key_value_stride(model)) {
  if (models::stacks_of(model.options()).encoder)
    throw InputError(fmt::format("model.kind: expected a model that continues a text, found '{}'",
                                 models::kind_of(model.options())));
}

TextDecoder::~TextDecoder() = default;

void TextDecoder::add_rows(const Reading& reading, std::int64_t wanted) {
  auto& text = texts_[reading.text];
  const auto length = text.length + std::ssize(reading.tokens);
  positions_.reach(length);
  text.key_values.grow(std::max(length, kFirstRoom) * stride_);
  while (std::ssize(places_) < length) places_.push_back(static_cast<std::int32_t>(places_.size()));
  for (const auto id : reading.tokens) {
    if (id < 0 || id >= vocabulary())
      throw InputError(fmt::format("text: expected ids below {}, found {}", vocabulary(), id));
    rows_.push_back({&text, text.length++, id, -1});
  }
  rows_.back().wanted = wanted;
}

std::span<const float> TextDecoder::read(std::span<const Reading> readings) {
  rows_.clear();
  for (std::size_t i = 0; i < readings.size(); ++i) add_rows(readings[i], static_cast<std::int64_t>(i));
  logits_.resize(std::ssize(readings) * vocabulary());
  for (std::span<const Row> left = rows_; !left.empty();) {
    const auto now = left.first(std::min(left.size(), static_cast<std::size_t>(kRowsOfPass)));
    pass(now);
    left = left.subspan(now.size());
  }
  return {logits_.data(), static_cast<std::size_t>(std::ssize(readings) * vocabulary())};
}

void TextDecoder::pass(std::span<const Row> rows) {
  const auto count = std::ssize(rows), width = shape_.position_width;
  stack_->begin(count);
  row_positions_.resize(count * width);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    const float* position = positions_.reach(row.place + 1) + row.place * width;
    std::copy_n(position, width, row_positions_.data() + i * width);
    stack_->embed(i, *model_.target_embedding, row.id, position);
  }
  stack_->norm_embeddings();
  const auto last = std::ranges::max(rows, {}, &Row::place).place;
  stack_->bias(last, last + 1);  // first the farthest, so that the others stay where they are
  biases_.clear();
  for (const auto& row : rows) biases_.push_back(stack_->bias(row.place, row.place + 1));
  Pass stream{{*stack_}, *this, rows};
  const nn::LayerOrder order{.norm = model_.options().norm, .source = false};
  for (const auto& layer : model_.decoder) {
    nn::run_decoder_layer(order, stream, layer);
    stream.offset += shape_.key_value_width();
  }
  add_logits(nn::end_of_stack(order.norm, stream, model_.decoder_norm), rows);
}

/// Rows that are wanted and stand side by side are multiplied together.
void TextDecoder::add_logits(const RoundedRows& states, std::span<const Row> rows) {
  const auto wanted = [&](std::size_t i) { return i < rows.size() && rows[i].wanted >= 0; };
  const auto padded = model_.output.width();
  for (std::size_t begin = 0; begin < rows.size();) {
    auto end = begin;
    while (wanted(end)) ++end;
    const auto count = static_cast<std::int64_t>(end - begin);
    if (count > 0) {
      padded_.resize(count * padded);
      stack_->multiply(model_.output, states.some(static_cast<std::int64_t>(begin), count), padded_.data(),
                       padded);
      for (std::int64_t i = 0; i < count; ++i)
        std::copy_n(padded_.data() + i * padded, vocabulary(),
                    logits_.data() + rows[begin + static_cast<std::size_t>(i)].wanted * vocabulary());
    }
    begin = end + 1;
  }
}

void TextDecoder::fork(std::int64_t from, std::int64_t to) {
  const auto& text = texts_.at(from);
  auto& copy = texts_[to];
  copy.length = text.length;
  copy.key_values.grow(std::max(text.length, kFirstRoom) * stride_);
  std::copy_n(text.key_values.data(), text.length * stride_, copy.key_values.data());
}

void TextDecoder::forget(std::int64_t text) {
  texts_.erase(text);
}

}  // namespace transformer::engine
