#include "transformer/translation/forced_scores.h"

#include <utility>

#include "transformer/base/special_tokens.h"
#include "transformer/search/options.h"
#include "transformer/translation/scoring.h"
#include "transformer/translation/text_translation.h"

namespace transformer::translation {
namespace {

/// Rows of logits at a time: those of a whole batch, a vocabulary wide each, may not fit into the memory.
constexpr std::int64_t kRowsAtOnce = 512;

/// What is looked up of a batch.
struct Labels {
  torch::Tensor ids;        // (N), the targets with their ends, one behind the other
  torch::Tensor positions;  // (N), where they stand in (B · T)
};

Labels labels_of(std::span<const ForcedPair> pairs, std::span<const std::size_t> batch,
                 std::int64_t target_width) {
  std::vector<std::int64_t> ids, positions;
  for (std::size_t row = 0; row < batch.size(); ++row) {
    const auto& target = pairs[batch[row]].target;
    ids.insert(ids.end(), target.begin(), target.end());
    ids.push_back(kEos);
    for (std::size_t i = 0; i <= target.size(); ++i)
      positions.push_back(static_cast<std::int64_t>(row) * target_width + static_cast<std::int64_t>(i));
  }
  return {torch::tensor(ids), torch::tensor(positions)};
}

/// log P of each label, fp32, on the CPU: (N)
torch::Tensor log_probabilities(models::EncoderDecoder& model, const ForcedTensors& batch,
                                const Labels& looked_up) {
  const auto device = model->device();
  const auto decoded = model->decode(batch.input.to(device), model->encode(batch.source.to(device)));
  const auto states =
      decoded.flatten(0, 1).index_select(0, looked_up.positions.to(device)).split(kRowsAtOnce);
  const auto labels = looked_up.ids.to(device).unsqueeze(1).split(kRowsAtOnce);
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
  for (const auto& batch : forced_batches(pairs, batch_tokens)) {
    const auto tensors = forced_tensors(pairs, batch);
    const auto found = log_probabilities(model, tensors, labels_of(pairs, batch, tensors.input.size(1)));
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
