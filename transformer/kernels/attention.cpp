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

/// Which of the keys s … s + kWidth - 1 a query may attend to.
struct Allowed {
  const std::uint8_t* mask;
  std::int64_t limit;  ///< one more than the last of them
  std::int64_t keys;   ///< in all

  IntVec at(std::int64_t s) const {
    const IntVec inside = lane_numbers() < IntVec{} + static_cast<std::int32_t>(limit - s);
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

/// Where a head lies, and the sizes of its matrices filled up to whole vectors.
struct Head {
  const AttentionShape& shape;
  std::int64_t sentence, head;
  Extent queries = extent(shape.query_offsets, sentence, shape.queries),
         own_keys = extent(shape.key_offsets, sentence, shape.keys);
  std::int64_t query_row = queries.first, key_row = own_keys.first, key_count = own_keys.count;
  std::int64_t keys = round_up(key_count), key_size = round_up(shape.key_size),
               value_size = round_up(shape.value_size);
  std::int64_t key_offset = head * shape.key_size, value_offset = head * shape.value_size;

  Allowed allowed(std::int64_t query) const {
    auto limit = shape.causal ? least(query + 1, key_count) : key_count;
    if (shape.mask == nullptr) return {nullptr, limit, key_count};
    const auto* mask = shape.mask + sentence * shape.mask_sentence + query * shape.mask_query;
    while (limit > 0 && mask[limit - 1] == 0) --limit;
    return {mask, limit, key_count};
  }
  float scale() const { return 1.0F / __builtin_sqrtf(static_cast<float>(shape.key_size)); }
  /// The place of a query among those of all heads.
  std::int64_t place_of(std::int64_t query) const {
    return (sentence * shape.heads + head) * shape.queries + query;
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
  Matrix(Scratch& scratch, const Head& head, const HeadVectors<T>& from, std::int64_t offset,
         std::int64_t size)
      : plain(scratch.take(head.keys * round_up(size))),
        transposed(scratch.take(head.keys * round_up(size))) {
    const auto stride = round_up(size);
    read_head(from, head.key_row, head.key_count, offset, size, 1.0F, plain, stride);
    clear(plain + head.key_count * stride, (head.keys - head.key_count) * stride);
  }
  void transpose_now(const Head& head, std::int64_t size) const {
    transpose(head.keys, round_up(size), plain, round_up(size), transposed, head.keys);
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
  std::int64_t limit = 0;  ///< one more than the last key that any of them may attend to
  std::int64_t end = 0;    ///< that, filled up to whole vectors
};

/// Reads a block's queries, scaled, and multiplies them with the keys: what both passes begin with.
template <typename T>
Block score_block(const HeadVectors<const T>& from, const Head& head, const Matrix& key, std::int64_t first,
                  float* query, float* scores) {
  const auto& shape = head.shape;
  Block block{.rows = least(kAttentionBlock, head.queries.count - first)};
  for (std::int64_t r = 0; r < block.rows; ++r)
    block.limit = greatest(block.limit, head.allowed(first + r).limit);
  block.end = round_up(block.limit);
  read_head(from, head.query_row + first, block.rows, head.key_offset, shape.key_size, head.scale(), query,
            head.key_size);
  product(block.rows, block.end, shape.key_size, {query, head.key_size}, key.transposed, head.keys, scores,
          head.keys);
  if (shape.bias == nullptr) return block;
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const float* bias = shape.bias + (head.head * shape.queries + first + r) * shape.keys;
    float* row = scores + r * head.keys;
    for_columns(block.limit,
                [&](std::int64_t s, std::int64_t n) { store(row + s, load(row + s) + read(bias + s, n)); });
  }
  return block;
}

template <typename T>
void forward_head(const Attention<T>& a, const Head& head) {
  const auto& shape = a.shape;
  Scratch scratch{a.scratch};
  const Matrix key(scratch, head, a.key, head.key_offset, shape.key_size);
  key.transpose_now(head, shape.key_size);
  const Matrix value(scratch, head, a.value, head.value_offset, shape.value_size);
  float* query = scratch.take(kAttentionBlock * head.key_size);
  float* scores = scratch.take(kAttentionBlock * head.keys);
  float* output = scratch.take(kAttentionBlock * head.value_size);
  for (std::int64_t first = 0; first < head.queries.count; first += kAttentionBlock) {
    const auto [rows, limit, end] = score_block(a.query, head, key, first, query, scores);
    for (std::int64_t r = 0; r < rows; ++r) {
      float* row = scores + r * head.keys;
      const Allowed allowed = head.allowed(first + r);
      const float most = largest_allowed(row, allowed, end);
      exponentials(row, allowed, end, most);
      const float total = row_sum(row, end);
      const float factor = allowed.limit == 0 ? 0.0F : 1.0F / total;
      for (std::int64_t s = 0; s < end; s += kWidth) store(row + s, load(row + s) * factor);
      a.logsumexp[head.place_of(first + r)] =
          total > 0 || total != total ? most + __builtin_logf(total) : __builtin_inff();
    }
    product(rows, head.value_size, limit, {scores, head.keys}, value.plain, head.value_size, output,
            head.value_size);
    write_head(a.output, head.query_row + first, rows, head.value_offset, shape.value_size, 1.0F, output,
               head.value_size);
  }
}

template <typename T>
void backward_head(const AttentionBackward<T>& a, const Head& head) {
  const auto& shape = a.shape;
  Scratch scratch{a.scratch};
  const Matrix key(scratch, head, a.key, head.key_offset, shape.key_size);
  key.transpose_now(head, shape.key_size);
  const Matrix value(scratch, head, a.value, head.value_offset, shape.value_size);
  value.transpose_now(head, shape.value_size);
  float* key_gradient = scratch.take(head.keys * head.key_size);
  float* value_gradient = scratch.take(head.keys * head.value_size);
  float* query = scratch.take(kAttentionBlock * head.key_size);
  float* query_gradient = scratch.take(kAttentionBlock * head.key_size);
  float* output_gradient = scratch.take(kAttentionBlock * head.value_size);
  float* weights = scratch.take(kAttentionBlock * head.keys);
  float* delta = scratch.take(kAttentionBlock * head.keys);
  clear(key_gradient, head.keys * (head.key_size + head.value_size));
  for (std::int64_t first = 0; first < head.queries.count; first += kAttentionBlock) {
    const auto [rows, limit, end] = score_block(a.query, head, key, first, query, weights);
    read_head(a.output_gradient, head.query_row + first, rows, head.value_offset, shape.value_size, 1.0F,
              output_gradient, head.value_size);
    product(rows, end, shape.value_size, {output_gradient, head.value_size}, value.transposed, head.keys,
            delta, head.keys);
    for (std::int64_t r = 0; r < rows; ++r) {
      float* p = weights + r * head.keys;
      float* d = delta + r * head.keys;
      exponentials(p, head.allowed(first + r), end, a.logsumexp[head.place_of(first + r)]);
      Vec total{};
      for (std::int64_t s = 0; s < end; s += kWidth) total += load(p + s) * load(d + s);
      const float mean = sum(total);
      for (std::int64_t s = 0; s < end; s += kWidth) store(d + s, load(p + s) * (load(d + s) - mean));
      if (a.score_gradient != nullptr)
        std::memcpy(a.score_gradient + head.place_of(first + r) * shape.keys, d,
                    static_cast<std::size_t>(limit) * sizeof(float));
    }
    product(limit, head.value_size, rows, {weights, 1, head.keys}, output_gradient, head.value_size,
            value_gradient, head.value_size, /*add=*/true);
    product(limit, head.key_size, rows, {delta, 1, head.keys}, query, head.key_size, key_gradient,
            head.key_size, /*add=*/true);
    product(rows, head.key_size, limit, {delta, head.keys}, key.plain, head.key_size, query_gradient,
            head.key_size);
    write_head(a.query_gradient, head.query_row + first, rows, head.key_offset, shape.key_size, head.scale(),
               query_gradient, head.key_size);
  }
  write_head(a.key_gradient, head.key_row, head.key_count, head.key_offset, shape.key_size, 1.0F,
             key_gradient, head.key_size);
  write_head(a.value_gradient, head.key_row, head.key_count, head.value_offset, shape.value_size, 1.0F,
             value_gradient, head.value_size);
}

template <typename T>
void forward(const Attention<T>& a) {
  for (auto i = a.begin; i < a.end; ++i) forward_head(a, {a.shape, i / a.shape.heads, i % a.shape.heads});
}

template <typename T>
void backward(const AttentionBackward<T>& a) {
  for (auto i = a.begin; i < a.end; ++i) backward_head(a, {a.shape, i / a.shape.heads, i % a.shape.heads});
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

namespace level = TRANSFORMER_LEVEL;
TRANSFORMER_DEFINE_KERNELS(AttentionKernels, attention) = {.forward = level::forward<float>,
                                                           .forward_bf16 = level::forward<Bf16>,
                                                           .backward = level::backward<float>,
                                                           .backward_bf16 = level::backward<Bf16>};

}  // namespace transformer::kernels
