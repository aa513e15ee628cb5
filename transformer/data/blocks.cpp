#include "transformer/data/blocks.h"

#include <algorithm>
#include <stdexcept>

#include "transformer/base/random.h"

namespace transformer::data {

std::shared_ptr<const ExampleSource> examples_of(const Dataset& data, std::int64_t block) {
  if (block == 0) return std::make_shared<StoredExamples>(data);
  return std::make_shared<Blocks>(data, block);
}

std::shared_ptr<const ExampleSource> examples_of(const Dataset& data, std::int64_t block, std::uint64_t seed,
                                                 std::int64_t epoch) {
  if (block == 0) return std::make_shared<StoredExamples>(data);
  Random random(mix(seed, epoch));
  return std::make_shared<Blocks>(data, block, random.below(static_cast<std::uint64_t>(block)));
}

std::int64_t stream_length(const Dataset& data) {
  return data.target_tokens() + data.size();
}

Blocks::Blocks(const Dataset& data, std::int64_t length, std::int64_t first)
    : data_(data), length_(length), first_(first == 0 ? length : first), stream_(stream_length(data)) {
  if (length < 1 || first < 0 || first >= length)
    throw std::invalid_argument("Blocks: a length is at least 1, and the first block is shorter");
  const auto rest = std::max<std::int64_t>(stream_ - first_, 0);
  size_ = (stream_ > 0 ? 1 : 0) + (rest + length_ - 1) / length_;
}

std::int64_t Blocks::begin_of(std::int64_t i) const {
  return i == 0 ? 0 : std::min(first_ + (i - 1) * length_, stream_);
}

Tokens<std::int64_t> Blocks::length(std::int64_t i) const {
  if (i < 0 || i >= size_) throw std::out_of_range("Blocks: no such block");
  return {0, begin_of(i + 1) - begin_of(i)};
}

std::int64_t Blocks::begin_of_document(std::int64_t document) const {
  return data_.target_tokens_before(document) + document;
}

std::int64_t Blocks::document_at(std::int64_t place) const {
  std::int64_t first = 0, behind = data_.size();  // the document is one of these
  while (behind - first > 1) {
    const auto middle = first + (behind - first) / 2;
    (begin_of_document(middle) <= place ? first : behind) = middle;
  }
  return first;
}

void Blocks::append(std::int64_t block, Batch& batch) const {
  const auto begin = begin_of(block);
  auto missing = begin_of(block + 1) - begin;
  auto document = document_at(begin);
  auto at = begin - begin_of_document(document);
  auto ids = data_.target(document);
  auto before = at > 0 ? ids[static_cast<std::size_t>(at - 1)] : document > 0 ? kEos : kBos;
  while (true) {
    for (; missing > 0 && at <= std::ssize(ids); ++at, --missing) {
      batch.target_input.push_back(before);
      before = at < std::ssize(ids) ? ids[static_cast<std::size_t>(at)] : kEos;
      batch.target_output.push_back(before);
    }
    if (missing == 0) return;
    ids = data_.target(++document);
    at = 0;
  }
}

Batch Blocks::make_batch(std::span<const std::int64_t> indices) const {
  Batch batch;
  batch.indices.assign(indices.begin(), indices.end());
  batch.source_offsets.push_back(0);
  batch.target_offsets.push_back(0);
  for (const auto i : indices) {
    batch.add(length(i));
    append(i, batch);
    batch.source_offsets.push_back(0);
    batch.target_offsets.push_back(std::ssize(batch.target_input));
  }
  return batch;
}

}  // namespace transformer::data
