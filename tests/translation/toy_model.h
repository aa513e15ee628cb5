// Small random models, and searches that are too simple to be wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "transformer/base/special_tokens.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/search/hypothesis.h"
#include "transformer/translation/scoring.h"

namespace transformer::test {

using Ids = std::vector<std::int32_t>;

/// Weights are scaled up, so that some continuations are much better than others.
inline models::EncoderDecoder toy_model(std::uint64_t seed, std::int64_t vocabulary,
                                        nn::Positions positions = nn::Positions::interleaved,
                                        std::int64_t max_positions = 346) {
  torch::manual_seed(seed);
  models::ModelOptions options{.encoder_layers = 1,
                               .decoder_layers = 2,
                               .d_model = 16,
                               .d_ff = 32,
                               .heads = 2,
                               .d_k = 8,
                               .d_v = 8,
                               .positions = positions,
                               .tie = nn::Tie::none,
                               .max_positions = max_positions};
  models::EncoderDecoder model(options, models::VocabularySizes{vocabulary, vocabulary});
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model->parameters())
    if (parameter.dim() > 1) parameter.mul_(1.5);
  model->output->weight.mul_(2.0);
  model->eval();
  return model;
}

/// Sources of the given numbers of tokens, without special ones, padded: (B, S).
inline torch::Tensor random_sources(std::uint64_t seed, const std::vector<std::int64_t>& lengths,
                                    std::int64_t vocabulary) {
  torch::manual_seed(seed);
  const auto width = *std::max_element(lengths.begin(), lengths.end()) + 1;
  auto ids = torch::full({static_cast<std::int64_t>(lengths.size()), width}, kPad, torch::kLong);
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    auto target = ids[static_cast<std::int64_t>(row)];
    target.slice(0, 0, lengths[row]) = torch::randint(kEos + 1, vocabulary, {lengths[row]}, torch::kLong);
    target[lengths[row]] = kEos;
  }
  return ids;
}

/// Row `row` alone, without its padding: (1, S).
inline torch::Tensor alone(const torch::Tensor& sources, std::int64_t row) {
  const auto length = sources[row].ne(kPad).sum().item<std::int64_t>();
  return sources.slice(0, row, row + 1).slice(1, 0, length);
}

/// Each row's ids, without padding.
inline std::vector<Ids> ids_of(const torch::Tensor& sources) {
  std::vector<Ids> ids;
  for (std::int64_t row = 0; row < sources.size(0); ++row) {
    const auto real = alone(sources, row)[0].to(torch::kInt).contiguous();
    ids.emplace_back(real.data_ptr<std::int32_t>(), real.data_ptr<std::int32_t>() + real.numel());
  }
  return ids;
}

/// log P(ids, end | source) by the whole decoder, without a cache. source: (1, S)
inline double log_probability(models::EncoderDecoder model, const torch::Tensor& source, const Ids& ids) {
  const torch::NoGradGuard no_grad;
  std::vector<std::int64_t> input{kBos}, output(ids.begin(), ids.end());
  input.insert(input.end(), ids.begin(), ids.end());
  output.push_back(kEos);
  const auto logits = model->forward(source, torch::tensor(input).unsqueeze(0))[0];
  const auto chosen =
      torch::log_softmax(logits, -1, torch::kDouble).gather(1, torch::tensor(output).unsqueeze(1));
  return chosen.sum().item<double>();
}

/// The log-probabilities of what may follow `ids`: (V), -inf for padding and begin.
inline torch::Tensor continuations(models::EncoderDecoder model, const torch::Tensor& source,
                                   const Ids& ids) {
  const torch::NoGradGuard no_grad;
  std::vector<std::int64_t> input{kBos};
  input.insert(input.end(), ids.begin(), ids.end());
  const auto logits = model->forward(source, torch::tensor(input).unsqueeze(0))[0][-1];
  auto next = torch::log_softmax(logits, -1, torch::kDouble);
  next[kPad] = next[kBos] = -std::numeric_limits<double>::infinity();
  return next;
}

/// ((5 + |Y|) / 6)^alpha or |Y|^alpha, the end token counted.
inline search::Hypothesis scored(const Ids& ids, double log_probability,
                                 const search::DecodeOptions& options) {
  const double length = static_cast<double>(ids.size()) + 1;
  const double base = options.length_penalty == search::LengthPenalty::gnmt ? (5 + length) / 6 : length;
  return {ids, log_probability / std::pow(base, options.alpha), log_probability, true};
}

inline void sort_by_score(std::vector<search::Hypothesis>& hypotheses) {
  std::stable_sort(hypotheses.begin(), hypotheses.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
}

/// Every output of at most `limit` tokens, best first.
inline std::vector<search::Hypothesis> all_outputs(models::EncoderDecoder model, const torch::Tensor& source,
                                                   std::int64_t limit, const search::DecodeOptions& options) {
  std::vector<Ids> outputs{{}};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (static_cast<std::int64_t>(outputs[i].size()) == limit) continue;
    for (std::int32_t token = 0; token < model->vocabulary().target; ++token) {
      if (token == kPad || token == kBos || token == kEos) continue;
      outputs.push_back(outputs[i]);
      outputs.back().push_back(token);
    }
  }
  std::vector<search::Hypothesis> results;
  for (const auto& ids : outputs)
    results.push_back(scored(ids, log_probability(model, source, ids), options));
  sort_by_score(results);
  return results;
}

/// Beam search as beam_search.h describes it, for one sentence, without a cache, always to the length limit.
inline std::vector<search::Hypothesis> plain_beam_search(models::EncoderDecoder model,
                                                         const torch::Tensor& source,
                                                         const search::DecodeOptions& options) {
  struct Item {
    Ids ids;
    double log_probability;
  };
  const auto limit = source.size(1) - 1 + options.length_offset;
  std::vector<Item> open{{{}, 0.0}};
  std::vector<search::Hypothesis> finished;
  for (std::int64_t length = 0; length <= limit; ++length) {
    std::vector<Item> candidates;  // all that there are
    for (const auto& item : open) {
      const auto next = continuations(model, source, item.ids);
      for (std::int32_t token = 0; token < next.size(0); ++token) {
        if (token == kPad || token == kBos || (length == limit && token != kEos)) continue;
        candidates.push_back({item.ids, item.log_probability + next[token].item<double>()});
        candidates.back().ids.push_back(token);
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Item& a, const Item& b) { return a.log_probability > b.log_probability; });
    const bool twice = options.candidates == search::Candidates::twice && options.beam > 1;
    const auto beam = static_cast<std::size_t>(options.beam);
    candidates.resize(std::min(candidates.size(), twice ? 2 * beam : beam));
    open.clear();
    for (auto& item : candidates) {
      if (item.ids.back() != kEos) {
        open.push_back(item);
      } else {
        item.ids.pop_back();
        finished.push_back(scored(item.ids, item.log_probability, options));
      }
    }
    open.resize(std::min(open.size(), beam));
  }
  sort_by_score(finished);
  finished.resize(std::min(finished.size(), static_cast<std::size_t>(options.nbest)));
  return finished;
}

}  // namespace transformer::test
