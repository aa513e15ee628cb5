#include "transformer/tasks/batch_tensors.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace transformer::tasks {
namespace {

/// The parts of a batch in one buffer of 64-bit numbers, each beginning where the one before ends.
class Staging {
 public:
  Staging(std::int64_t size, bool pinned)
      : host_(torch::empty({size}, torch::TensorOptions(torch::kLong).pinned_memory(pinned))) {}

  /// → where it begins
  std::int64_t add(const std::vector<std::int64_t>& numbers) {
    const auto begin = end_;
    std::ranges::copy(numbers, next());
    end_ += std::ssize(numbers);
    return begin;
  }
  /// And -1 behind them, so many in all.
  std::int64_t add_filled(const std::vector<std::int64_t>& numbers, std::int64_t count) {
    const auto begin = add(numbers), rest = count - std::ssize(numbers);
    std::fill_n(next(), rest, -1);
    end_ += rest;
    return begin;
  }
  /// The position of each row in its sequence.
  std::int64_t add_places(const std::vector<std::int64_t>& offsets) {
    const auto begin = end_;
    for (std::size_t b = 1; b < offsets.size(); ++b) {
      const auto count = offsets[b] - offsets[b - 1];
      std::iota(next(), next() + count, 0);
      end_ += count;
    }
    return begin;
  }
  /// The number of each row's example; -1 of those that only fill the batch.
  std::int64_t add_examples(const std::vector<std::int64_t>& offsets,
                            const std::vector<std::int64_t>& examples) {
    const auto begin = end_;
    for (std::size_t b = 1; b < offsets.size(); ++b) {
      const auto count = offsets[b] - offsets[b - 1];
      std::fill_n(next(), count, b <= examples.size() ? examples[b - 1] : -1);
      end_ += count;
    }
    return begin;
  }
  /// In 32 bits, two in a number.
  std::int64_t add_offsets(const std::vector<std::int64_t>& offsets) {
    const auto begin = end_;
    std::ranges::transform(offsets, reinterpret_cast<std::int32_t*>(next()),
                           [](std::int64_t offset) { return static_cast<std::int32_t>(offset); });
    end_ += numbers_for_offsets(offsets);
    return begin;
  }
  static std::int64_t numbers_for_offsets(const std::vector<std::int64_t>& offsets) {
    return (std::ssize(offsets) + 1) / 2;
  }

  torch::Tensor to(const torch::Device& device) const { return host_.to(device, /*non_blocking=*/true); }

 private:
  std::int64_t* next() { return host_.data_ptr<std::int64_t>() + end_; }

  torch::Tensor host_;
  std::int64_t end_ = 0;
};

}  // namespace

BatchTensors to_device(const data::Batch& batch, const torch::Device& device) {
  const auto sources = std::ssize(batch.source), targets = std::ssize(batch.target_input),
             labels_count = std::ssize(batch.target_output);
  const bool numbered = !device.is_cpu();  // the host knows the examples' numbers anyway
  const bool padded = numbered && labels_count <= targets;
  const auto places_of_labels = padded ? targets : labels_count;
  Staging staging((numbered ? 3 : 2) * (sources + targets) + places_of_labels +
                      Staging::numbers_for_offsets(batch.source_offsets) +
                      Staging::numbers_for_offsets(batch.target_offsets),
                  /*pinned=*/numbered);
  const auto source = staging.add(batch.source), source_places = staging.add_places(batch.source_offsets),
             source_offsets = staging.add_offsets(batch.source_offsets);
  const auto input = staging.add(batch.target_input),
             labels = staging.add_filled(batch.target_output, places_of_labels),
             target_places = staging.add_places(batch.target_offsets),
             target_offsets = staging.add_offsets(batch.target_offsets);
  const auto source_examples = numbered ? staging.add_examples(batch.source_offsets, batch.indices) : 0,
             target_examples = numbered ? staging.add_examples(batch.target_offsets, batch.indices) : 0;
  const auto all = staging.to(device);
  const auto packed = [&](std::int64_t ids, std::int64_t places, std::int64_t examples,
                          std::int64_t packed_offsets, const std::vector<std::int64_t>& offsets,
                          std::int64_t longest) {
    const auto rows = offsets.back(), count = std::ssize(offsets);
    const auto in_pairs = all.narrow(0, packed_offsets, Staging::numbers_for_offsets(offsets));
    return models::Packed{all.narrow(0, ids, rows),
                          {.offsets = torch::tensor(offsets),
                           .device_offsets = in_pairs.view(torch::kInt).narrow(0, 0, count),
                           .places = all.narrow(0, places, rows),
                           .longest = longest,
                           .examples = numbered ? all.narrow(0, examples, rows) : torch::Tensor()}};
  };
  return {packed(source, source_places, source_examples, source_offsets, batch.source_offsets,
                 batch.source_length),
          packed(input, target_places, target_examples, target_offsets, batch.target_offsets,
                 batch.target_length),
          all.narrow(0, labels, labels_count),
          {},
          padded ? all.narrow(0, labels, targets) : torch::Tensor(),
          all};
}

std::vector<std::int64_t> shape_of(const BatchTensors& batch) {
  const auto &source = batch.source.sequences, &target = batch.target_input.sequences;
  return {source.rows(), target.rows(), target.size(), source.longest_bound(), target.longest_bound()};
}

LinkTensors to_device(const data::PieceLinks& links, const torch::Device& device) {
  const auto moved = [&](const auto& numbers) { return torch::tensor(numbers).to(device); };
  return {moved(links.sentences), moved(links.targets), moved(links.sources), moved(links.shares)};
}

}  // namespace transformer::tasks
