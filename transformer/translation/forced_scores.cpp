#include "transformer/translation/forced_scores.h"

#include <functional>
#include <iterator>

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
    const auto& [source, target, first, last] = pairs[batch[row]];
    ids.insert(ids.end(), target.begin(), target.end());
    ids.push_back(last);
    for (std::size_t i = 0; i <= target.size(); ++i)
      positions.push_back(static_cast<std::int64_t>(row) * target_width + static_cast<std::int64_t>(i));
  }
  return {torch::tensor(ids), torch::tensor(positions)};
}

/// What is found of each label, on the CPU.
struct Found {
  torch::Tensor log_probabilities;  // (N), fp32
  torch::Tensor best;               // (N), ids of the most probable tokens; undefined where nobody asks
};

Found look_up(models::Model& model, const ForcedTensors& batch, const Labels& looked_up, bool with_best) {
  const auto device = model.device();
  const auto input = batch.input.to(device);
  auto* mapping = model.as_sequence_to_sequence();
  auto* text = mapping ? nullptr : &models::language_model(model);
  const auto decoded = mapping ? mapping->states(batch.source.to(device), input) : text->states(input);
  const auto states =
      decoded.flatten(0, 1).index_select(0, looked_up.positions.to(device)).split(kRowsAtOnce);
  const auto labels = looked_up.ids.to(device).unsqueeze(1).split(kRowsAtOnce);
  std::vector<torch::Tensor> chosen, best;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto all =
        torch::log_softmax(mapping ? mapping->logits(states[i]) : text->logits(states[i]), -1, torch::kFloat);
    chosen.push_back(all.gather(1, labels[i]));
    if (with_best) best.push_back(all.argmax(-1));
  }
  return {torch::cat(chosen).squeeze(1).cpu(), with_best ? torch::cat(best).cpu() : torch::Tensor()};
}

using Take = std::function<void(std::size_t pair, std::int64_t begin, const Found& found)>;

/// Calls `take` for each pair, whose labels begin at `begin` of what is found.
void for_each_pair(const models::AnyModel& model, std::span<const ForcedPair> pairs,
                   std::int64_t batch_tokens, bool with_best,
                   const std::function<void(std::size_t done)>& progress, const Take& take) {
  const SearchMode mode(model);
  models::AnyModel held = model;
  std::size_t done = 0;
  for (const auto& batch : forced_batches(pairs, batch_tokens)) {
    const auto tensors = forced_tensors(pairs, batch);
    const auto found = look_up(*held, tensors, labels_of(pairs, batch, tensors.input.size(1)), with_best);
    std::int64_t begin = 0;
    for (const auto i : batch) {
      take(i, begin, found);
      begin += std::ssize(pairs[i].target) + 1;
    }
    done += batch.size();
    if (progress) progress(done);
  }
}

}  // namespace

std::int64_t longest_forced(const models::ModelOptions& options) {
  return models::longest_sequence(options).value_or(kLongestSource + search::kMostLengthOffset + 1) - 1;
}

std::vector<std::vector<float>> forced_scores(const models::AnyModel& model,
                                              std::span<const ForcedPair> pairs, std::int64_t batch_tokens,
                                              const std::function<void(std::size_t done)>& progress) {
  std::vector<std::vector<float>> scores(pairs.size());
  for_each_pair(model, pairs, batch_tokens, false, progress,
                [&](std::size_t pair, std::int64_t begin, const Found& found) {
                  const auto* first = found.log_probabilities.const_data_ptr<float>() + begin;
                  scores[pair].assign(first, first + pairs[pair].target.size() + 1);
                });
  return scores;
}

std::vector<std::vector<eval::Prediction>> forced_predictions(
    const models::AnyModel& model, std::span<const ForcedPair> pairs, std::int64_t batch_tokens,
    const std::function<void(std::size_t done)>& progress) {
  std::vector<std::vector<eval::Prediction>> all(pairs.size());
  for_each_pair(model, pairs, batch_tokens, true, progress,
                [&](std::size_t pair, std::int64_t begin, const Found& found) {
                  const auto* logarithms = found.log_probabilities.const_data_ptr<float>() + begin;
                  const auto* best = found.best.const_data_ptr<std::int64_t>() + begin;
                  const auto& [source, target, before, last] = pairs[pair];
                  for (std::size_t i = 0; i <= target.size(); ++i)
                    all[pair].push_back({.token = i < target.size() ? target[i] : last,
                                         .best = static_cast<std::int32_t>(best[i]),
                                         .log_probability = logarithms[i]});
                });
  return all;
}

}  // namespace transformer::translation
