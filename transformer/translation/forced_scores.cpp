#include "transformer/translation/forced_scores.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "transformer/base/special_tokens.h"
#include "transformer/search/options.h"
#include "transformer/translation/scoring.h"
#include "transformer/translation/text_translation.h"

namespace transformer::translation {
namespace {

/// Rows of logits at a time: those of a whole batch, a vocabulary wide each, may not fit into the memory.
constexpr std::int64_t kRowsAtOnce = 512;

/// Positions that both sides of a pair take at most: each has one token more than its sentence.
std::size_t width_of(const ForcedPair& pair) {
  return std::max(pair.source.size(), pair.target.size()) + 1;
}

/// Indices of pairs, longest first, cut so that a batch has at most `batch_tokens` padded tokens a side.
std::vector<std::vector<std::size_t>> make_batches(std::span<const ForcedPair> pairs,
                                                   std::int64_t batch_tokens) {
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return width_of(pairs[i]); });
  std::vector<std::vector<std::size_t>> batches;
  std::size_t room = 0;
  for (const auto i : order) {
    if (room == 0) {
      room = std::max(static_cast<std::size_t>(batch_tokens) / width_of(pairs[i]), std::size_t{1});
      batches.emplace_back();
    }
    --room;
    batches.back().push_back(i);
  }
  return batches;
}

/// A batch of pairs as tensors.
struct Forced {
  torch::Tensor source;     // (B, S), rows end in kEos and are padded behind it
  torch::Tensor input;      // (B, T), rows begin with kBos and are padded
  torch::Tensor labels;     // (N), the targets with their ends, one behind the other
  torch::Tensor positions;  // (N), where they stand in (B · T)
};

Forced to_tensors(std::span<const ForcedPair> pairs, const std::vector<std::size_t>& batch) {
  std::size_t source_width = 0, target_width = 0;
  for (const auto i : batch) {
    source_width = std::max(source_width, pairs[i].source.size() + 1);
    target_width = std::max(target_width, pairs[i].target.size() + 1);
  }
  std::vector<std::int64_t> source(batch.size() * source_width, kPad);
  std::vector<std::int64_t> input(batch.size() * target_width, kPad);
  std::vector<std::int64_t> labels, positions;
  for (std::size_t row = 0; row < batch.size(); ++row) {
    const auto& pair = pairs[batch[row]];
    auto place =
        std::ranges::copy(pair.source, source.begin() + static_cast<std::ptrdiff_t>(row * source_width));
    *place.out = kEos;
    const auto begin = input.begin() + static_cast<std::ptrdiff_t>(row * target_width);
    *begin = kBos;
    std::ranges::copy(pair.target, begin + 1);
    labels.insert(labels.end(), pair.target.begin(), pair.target.end());
    labels.push_back(kEos);
    for (std::size_t i = 0; i <= pair.target.size(); ++i)
      positions.push_back(static_cast<std::int64_t>(row * target_width + i));
  }
  const auto rows = static_cast<std::int64_t>(batch.size());
  return {torch::tensor(source).view({rows, -1}), torch::tensor(input).view({rows, -1}),
          torch::tensor(labels), torch::tensor(positions)};
}

/// log P of each label, fp32, on the CPU: (N)
torch::Tensor log_probabilities(models::EncoderDecoder& model, const Forced& batch) {
  const auto device = model->device();
  const auto decoded = model->decode(batch.input.to(device), model->encode(batch.source.to(device)));
  const auto states = decoded.flatten(0, 1).index_select(0, batch.positions.to(device)).split(kRowsAtOnce);
  const auto labels = batch.labels.to(device).unsqueeze(1).split(kRowsAtOnce);
  std::vector<torch::Tensor> chosen;
  for (std::size_t i = 0; i < states.size(); ++i)
    chosen.push_back(torch::log_softmax(model->logits(states[i]), -1, torch::kFloat).gather(1, labels[i]));
  return torch::cat(chosen).squeeze(1).cpu();
}

}  // namespace

std::int64_t longest_forced(const models::ModelOptions& options) {
  return models::longest_sequence(options).value_or(kLongestSource + search::kMostLengthOffset + 1) - 1;
}

std::vector<std::vector<float>> forced_scores(models::EncoderDecoder& model,
                                              std::span<const ForcedPair> pairs, std::int64_t batch_tokens,
                                              const std::function<void(std::size_t done)>& progress) {
  const SearchMode mode(model);
  std::vector<std::vector<float>> scores(pairs.size());
  std::size_t done = 0;
  for (const auto& batch : make_batches(pairs, batch_tokens)) {
    const auto found = log_probabilities(model, to_tensors(pairs, batch));
    const auto* next = found.const_data_ptr<float>();
    for (const auto i : batch) {
      const auto* end = next + pairs[i].target.size() + 1;
      scores[i].assign(std::exchange(next, end), end);
    }
    done += batch.size();
    if (progress) progress(done);
  }
  return scores;
}

}  // namespace transformer::translation
