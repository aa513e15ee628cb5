#include "transformer/decode/greedy.h"

#include <numeric>

#include "transformer/base/special_tokens.h"
#include "transformer/decode/scoring.h"

namespace transformer::decode {
namespace {

/// The sentences that are still being translated, in the order of the batch's rows.
struct Batch {
  std::vector<std::size_t> sentences;
  std::vector<std::int64_t> tokens;  // the last of each

  std::vector<bool> must_end(const std::vector<std::int64_t>& limits, std::int64_t length) const {
    std::vector<bool> rows;
    for (const auto sentence : sentences) rows.push_back(limits[sentence] == length);
    return rows;
  }
};

void end(Hypothesis& hypothesis, std::int64_t limit, const DecodeOptions& options) {
  const auto length = static_cast<std::int64_t>(hypothesis.ids.size());
  hypothesis.finished = length < limit;
  hypothesis.score = hypothesis.log_probability / length_penalty(options, length + 1);
}

}  // namespace

std::vector<Hypothesis> greedy_search(models::EncoderDecoder& model, const torch::Tensor& source,
                                      const DecodeOptions& options, const BeforeStep& before_step) {
  const SearchMode mode(model);
  const auto device = model->device();
  const auto limits = length_limits(model, source.cpu(), options);
  std::vector<Hypothesis> results(limits.size());
  if (results.empty()) return results;

  Batch batch{std::vector<std::size_t>(limits.size()), std::vector<std::int64_t>(limits.size(), kBegin)};
  std::iota(batch.sentences.begin(), batch.sentences.end(), 0);
  auto cache = model->start(model->encode(source.to(device)));
  while (true) {
    if (before_step) before_step();
    const auto must_end = batch.must_end(limits, cache.length);
    const auto logits = model->step(torch::tensor(batch.tokens, device), cache);
    const auto [values, tokens] = next_log_probabilities(logits, must_end).max(1);
    const auto best = torch::stack({values.to(torch::kDouble), tokens.to(torch::kDouble)}).cpu();  // (2, R)
    const auto choice = best.accessor<double, 2>();

    Batch rest;
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < batch.sentences.size(); ++i) {
      const auto sentence = batch.sentences[i];
      const auto row = static_cast<std::int64_t>(i);
      const auto token = static_cast<std::int32_t>(choice[1][row]);
      auto& hypothesis = results[sentence];
      hypothesis.log_probability += choice[0][row];
      if (token == kEnd) {
        end(hypothesis, limits[sentence], options);
        continue;
      }
      hypothesis.ids.push_back(token);
      rest.sentences.push_back(sentence);
      rest.tokens.push_back(token);
      rows.push_back(row);
    }
    if (rows.empty()) return results;
    if (rows.size() < batch.sentences.size()) {
      const auto kept = torch::tensor(rows, device);
      cache.select_hypotheses(kept);
      cache.select_sentences(kept);
    }
    batch = std::move(rest);
  }
}

}  // namespace transformer::decode
