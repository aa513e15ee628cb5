#include "transformer/kernels/attention.h"

#include "transformer/kernels/small_product.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

/// Positions first … first + rows - 1 of a head as floats (rows, stride), times a factor; the rest is 0.
template <typename T>
void read_head(const HeadVectors<T>& from, std::int64_t first, std::int64_t rows, std::int64_t offset,
               std::int64_t size, float factor, float* to, std::int64_t stride) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* row = from.data + (first + r) * from.stride + offset;
    for_columns(
        size, [&](std::int64_t i, std::int64_t n) { store(to + r * stride + i, read(row + i, n) * factor); });
  }
}

template <typename T>
void write_head(const HeadVectors<T>& to, std::int64_t first, std::int64_t rows, std::int64_t offset,
                std::int64_t size, float factor, const float* from, std::int64_t stride) {
  for (std::int64_t r = 0; r < rows; ++r) {
    T* row = to.data + (first + r) * to.stride + offset;
    for_columns(size, [&](std::int64_t i, std::int64_t n) {
      write(row + i, load(from + r * stride + i) * factor, n);
    });
  }
}

void clear(float* from, std::int64_t count) {
  std::memset(from, 0, static_cast<std::size_t>(count) * sizeof(float));
}

/// Which of the keys s … s + kWidth - 1 a query may attend to, counted from the first of a block's reach.
struct Allowed {
  const std::uint8_t* mask;
  std::int64_t first, limit;  ///< the first of them, and one more than the last
  std::int64_t keys;          ///< in all

  bool none() const { return limit <= first; }
  IntVec at(std::int64_t s) const {
    const IntVec inside = (lane_numbers() < IntVec{} + static_cast<std::int32_t>(limit - s)) &
                          (lane_numbers() >= IntVec{} + static_cast<std::int32_t>(first - s));
    if (mask == nullptr || s >= limit) return inside;
    std::uint8_t bytes[kWidth] = {};
    std::memcpy(bytes, mask + s, static_cast<std::size_t>(least(kWidth, keys - s)));
    ByteVec marks;
    std::memcpy(&marks, bytes, sizeof marks);
    return inside & (__builtin_convertvector(marks, IntVec) != 0);
  }
};

/// A sentence's first position, and how many it has.
struct Extent {
  std::int64_t first, count;
};

Extent extent(const std::int64_t* offsets, std::int64_t sentence, std::int64_t longest) {
  if (offsets == nullptr) return {sentence * longest, longest};
  return {offsets[sentence], offsets[sentence + 1] - offsets[sentence]};
}

/// The place of a head of keys and values, and the sizes of its matrices rounded up to whole vectors.
struct Memory {
  const AttentionShape& shape;
  std::int64_t sentence, group;
  Extent own_keys = extent(shape.key_offsets, sentence, shape.keys);
  std::int64_t key_row = own_keys.first, key_count = own_keys.count;
  std::int64_t keys = round_up(key_count), key_size = round_up(shape.key_size),
               value_size = round_up(shape.value_size);
  std::int64_t key_offset = group * shape.key_size, value_offset = group * shape.value_size;
  std::int64_t readers = shape.heads / shape.kv_heads;
};

/// One of the heads that read it.
struct Head {
  const Memory& memory;
  std::int64_t head;
  const AttentionShape& shape = memory.shape;
  Extent queries = extent(shape.query_offsets, memory.sentence, shape.queries);
  std::int64_t query_offset = head * shape.key_size, output_offset = head * shape.value_size;

  /// The first key of a block's reach, whose queries begin at this one.
  std::int64_t reach_of(std::int64_t query) const {
    if (shape.window == 0) return 0;
    return least(greatest(query - shape.window, 0), memory.key_count) / kWidth * kWidth;
  }
  /// Of the keys from `begin`.
  Allowed allowed(std::int64_t query, std::int64_t begin) const {
    std::int64_t first = 0, limit = memory.key_count;
    if (shape.causal) limit = least(limit, query + 1);
    if (shape.window > 0)
      first = greatest(query - shape.window, 0), limit = least(limit, query + shape.window + 1);
    if (shape.mask == nullptr) return {nullptr, first - begin, limit - begin, memory.key_count - begin};
    const auto* mask = shape.mask + memory.sentence * shape.mask_sentence + query * shape.mask_query;
    while (limit > first && mask[limit - 1] == 0) --limit;
    return {mask + begin, first - begin, limit - begin, memory.key_count - begin};
  }
  float scale() const { return 1.0F / __builtin_sqrtf(static_cast<float>(shape.key_size)); }
  /// The place of a query among those of all heads.
  std::int64_t place_of(std::int64_t query) const {
    return (memory.sentence * shape.heads + head) * shape.queries + query;
  }
};

/// Takes what it is asked for from the front of the scratch memory.
struct Scratch {
  float* next;

  float* take(std::int64_t count) {
    float* taken = next;
    next += count;
    return taken;
  }
};

/// Keys (or values) of a head, plain (keys, size) and transposed (size, keys), both filled up with zeros.
struct Matrix {
  float* plain;
  float* transposed;

  template <typename T>
  Matrix(Scratch& scratch, const Memory& memory, const HeadVectors<T>& from, std::int64_t offset,
         std::int64_t size)
      : plain(scratch.take(memory.keys * round_up(size))),
        transposed(scratch.take(memory.keys * round_up(size))) {
    const auto stride = round_up(size);
    read_head(from, memory.key_row, memory.key_count, offset, size, 1.0F, plain, stride);
    clear(plain + memory.key_count * stride, (memory.keys - memory.key_count) * stride);
  }
  void transpose_now(const Memory& memory, std::int64_t size) const {
    transpose(memory.keys, round_up(size), plain, round_up(size), transposed, memory.keys);
  }
};

/// exp(score - shift) where the query may attend, and 0 elsewhere, up to the end of the row.
void exponentials(float* row, const Allowed& allowed, std::int64_t end, float shift) {
  for (std::int64_t s = 0; s < end; s += kWidth)
    store(row + s, allowed.at(s) ? exp_negative(load(row + s) - shift) : Vec{});
}

float largest_allowed(const float* row, const Allowed& allowed, std::int64_t end) {
  Vec most = broadcast(-__builtin_inff());
  for (std::int64_t s = 0; s < end; s += kWidth) most = max(most, allowed.at(s) ? load(row + s) : most);
  return largest(most);
}

float row_sum(const float* row, std::int64_t end) {
  Vec total{};
  for (std::int64_t s = 0; s < end; s += kWidth) total += load(row + s);
  return sum(total);
}

/// Queries that are worked on together.
struct Block {
  std::int64_t rows = 0;
  std::int64_t begin = 0;  ///< first key in their reach, at the start of a vector; others count from it
  std::int64_t limit = 0;  ///< one more than the last key that any of them may attend to
  std::int64_t end = 0;    ///< `limit` rounded up to whole vectors
};

/// Reads a block's queries, scaled, and multiplies them with the keys: what both passes begin with. scores:
/// (rows, stride)
template <typename T>
Block score_block(const HeadVectors<const T>& from, const Head& head, const Matrix& key, std::int64_t first,
                  float* query, float* scores, std::int64_t stride) {
  const auto& shape = head.shape;
  const auto& memory = head.memory;
  Block block{.rows = least(kAttentionBlock, head.queries.count - first), .begin = head.reach_of(first)};
  for (std::int64_t r = 0; r < block.rows; ++r)
    block.limit = greatest(block.limit, head.allowed(first + r, block.begin).limit);
  block.end = round_up(block.limit);
  read_head(from, head.queries.first + first, block.rows, head.query_offset, shape.key_size, head.scale(),
            query, memory.key_size);
  product(block.rows, block.end, shape.key_size, {query, memory.key_size}, key.transposed + block.begin,
          memory.keys, scores, stride);
  if (shape.bias == nullptr) return block;
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const float* bias = shape.bias + (head.head * shape.queries + first + r) * shape.keys + block.begin;
    float* row = scores + r * stride;
    for_columns(block.limit,
                [&](std::int64_t s, std::int64_t n) { store(row + s, load(row + s) + read(bias + s, n)); });
  }
  return block;
}

template <typename T>
void forward_heads(const Attention<T>& a, const Memory& memory) {
  const auto& shape = a.shape;
  const auto stride = attention_reach(shape);
  Scratch scratch{a.scratch};
  const Matrix key(scratch, memory, a.key, memory.key_offset, shape.key_size);
  key.transpose_now(memory, shape.key_size);
  const Matrix value(scratch, memory, a.value, memory.value_offset, shape.value_size);
  float* query = scratch.take(kAttentionBlock * memory.key_size);
  float* scores = scratch.take(kAttentionBlock * stride);
  float* output = scratch.take(kAttentionBlock * memory.value_size);
  const auto of_block = [&](const Head& head, std::int64_t first) {
    const auto [rows, begin, limit, end] = score_block(a.query, head, key, first, query, scores, stride);
    for (std::int64_t r = 0; r < rows; ++r) {
      float* row = scores + r * stride;
      const Allowed allowed = head.allowed(first + r, begin);
      const float most = largest_allowed(row, allowed, end);
      exponentials(row, allowed, end, most);
      const float total = row_sum(row, end);
      const float factor = allowed.none() ? 0.0F : 1.0F / total;
      for (std::int64_t s = 0; s < end; s += kWidth) store(row + s, load(row + s) * factor);
      a.logsumexp[head.place_of(first + r)] =
          total > 0 || total != total ? most + __builtin_logf(total) : __builtin_inff();
    }
    product(rows, memory.value_size, limit, {scores, stride}, value.plain + begin * memory.value_size,
            memory.value_size, output, memory.value_size);
    write_head(a.output, head.queries.first + first, rows, head.output_offset, shape.value_size, 1.0F, output,
               memory.value_size);
  };
  for (std::int64_t reader = 0; reader < memory.readers; ++reader) {
    const Head head{memory, memory.group * memory.readers + reader};
    for (std::int64_t first = 0; first < head.queries.count; first += kAttentionBlock) of_block(head, first);
  }
}

template <typename T>
void backward_heads(const AttentionBackward<T>& a, const Memory& memory) {
  const auto& shape = a.shape;
  const auto stride = attention_reach(shape);
  Scratch scratch{a.scratch};
  const Matrix key(scratch, memory, a.key, memory.key_offset, shape.key_size);
  key.transpose_now(memory, shape.key_size);
  const Matrix value(scratch, memory, a.value, memory.value_offset, shape.value_size);
  value.transpose_now(memory, shape.value_size);
  float* key_gradient = scratch.take(memory.keys * memory.key_size);
  float* value_gradient = scratch.take(memory.keys * memory.value_size);
  float* query = scratch.take(kAttentionBlock * memory.key_size);
  float* query_gradient = scratch.take(kAttentionBlock * memory.key_size);
  float* output_gradient = scratch.take(kAttentionBlock * memory.value_size);
  float* weights = scratch.take(kAttentionBlock * stride);
  float* delta = scratch.take(kAttentionBlock * stride);
  clear(key_gradient, memory.keys * (memory.key_size + memory.value_size));
  const auto of_block = [&](const Head& head, std::int64_t first) {
    const auto [rows, begin, limit, end] = score_block(a.query, head, key, first, query, weights, stride);
    read_head(a.output_gradient, head.queries.first + first, rows, head.output_offset, shape.value_size, 1.0F,
              output_gradient, memory.value_size);
    product(rows, end, shape.value_size, {output_gradient, memory.value_size}, value.transposed + begin,
            memory.keys, delta, stride);
    for (std::int64_t r = 0; r < rows; ++r) {
      float* p = weights + r * stride;
      float* d = delta + r * stride;
      exponentials(p, head.allowed(first + r, begin), end, a.logsumexp[head.place_of(first + r)]);
      Vec total{};
      for (std::int64_t s = 0; s < end; s += kWidth) total += load(p + s) * load(d + s);
      const float mean = sum(total);
      for (std::int64_t s = 0; s < end; s += kWidth) store(d + s, load(p + s) * (load(d + s) - mean));
      if (a.score_gradient != nullptr)
        std::memcpy(a.score_gradient + head.place_of(first + r) * shape.keys + begin, d,
                    static_cast<std::size_t>(limit) * sizeof(float));
    }
    product(limit, memory.value_size, rows, {weights, 1, stride}, output_gradient, memory.value_size,
            value_gradient + begin * memory.value_size, memory.value_size, /*add=*/true);
    product(limit, memory.key_size, rows, {delta, 1, stride}, query, memory.key_size,
            key_gradient + begin * memory.key_size, memory.key_size, /*add=*/true);
    product(rows, memory.key_size, limit, {delta, stride}, key.plain + begin * memory.key_size,
            memory.key_size, query_gradient, memory.key_size);
    write_head(a.query_gradient, head.queries.first + first, rows, head.query_offset, shape.key_size,
               head.scale(), query_gradient, memory.key_size);
  };
  for (std::int64_t reader = 0; reader < memory.readers; ++reader) {
    const Head head{memory, memory.group * memory.readers + reader};
    for (std::int64_t first = 0; first < head.queries.count; first += kAttentionBlock) of_block(head, first);
  }
  write_head(a.key_gradient, memory.key_row, memory.key_count, memory.key_offset, shape.key_size, 1.0F,
             key_gradient, memory.key_size);
  write_head(a.value_gradient, memory.key_row, memory.key_count, memory.value_offset, shape.value_size, 1.0F,
             value_gradient, memory.value_size);
}

template <typename T>
void forward(const Attention<T>& a) {
  for (auto i = a.begin; i < a.end; ++i)
    forward_heads(a, {a.shape, i / a.shape.kv_heads, i % a.shape.kv_heads});
}

template <typename T>
void backward(const AttentionBackward<T>& a) {
  for (auto i = a.begin; i < a.end; ++i)
    backward_heads(a, {a.shape, i / a.shape.kv_heads, i % a.shape.kv_heads});
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

namespace level = TRANSFORMER_LEVEL;
TRANSFORMER_DEFINE_KERNELS(AttentionKernels, attention) = {.forward = level::forward<float>,
                                                           .forward_bf16 = level::forward<Bf16>,
                                                           .backward = level::backward<float>,
                                                           .backward_bf16 = level::backward<Bf16>};

}  // namespace transformer::kernels
