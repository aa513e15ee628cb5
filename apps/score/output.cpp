#include "apps/score/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "apps/common/six_decimals.h"
#include "transformer/translation/scoring.h"

namespace transformer::apps {
namespace {

/// A piece may spell a tab, a line break or a blank, which part fields, lines, and a piece from its number.
std::string without_separators(std::string piece) {
  std::ranges::replace_if(
      piece, [](char c) { return static_cast<unsigned char>(c) <= ' '; }, '_');
  return piece;
}

std::string format_json(const ScoredTokens& tokens, double total, double score, const ScoreFormat& format) {
  nlohmann::ordered_json json = {{"log_probability", six_decimals(total)}, {"tokens", tokens.size()}};
  if (format.normalize) json["score"] = six_decimals(score);
  if (format.tokens) {
    auto& list = json["token_log_probabilities"] = nlohmann::ordered_json::array();
    for (const auto& [piece, log_probability] : tokens)
      list.push_back({piece, six_decimals(log_probability)});
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

ScoredTokens name_tokens(const translation::ForcedPair& text, const std::vector<float>& scores,
                         const data::Tokenizer& tokenizer) {
  ScoredTokens tokens;
  tokens.reserve(scores.size());
  for (std::size_t i = 0; i < text.target.size(); ++i)
    tokens.emplace_back(tokenizer.piece_of(text.target[i]), scores[i]);
  tokens.emplace_back(tokenizer.piece_of(text.last), scores.back());
  return tokens;
}

double total_log_probability(const ScoredTokens& tokens) {
  double total = 0;
  for (const auto& [piece, log_probability] : tokens) total += log_probability;
  return total;
}

std::string format_score(const ScoredTokens& tokens, const search::DecodeOptions& options,
                         const ScoreFormat& format) {
  const double total = total_log_probability(tokens);
  const double score = total / search::length_penalty(options, static_cast<std::int64_t>(tokens.size()));
  if (format.json) return format_json(tokens, total, score, format);
  auto line = fmt::format("{:.6f}\t{}", format.normalize ? score : total, tokens.size());
  if (!format.tokens) return line;
  for (const auto& [piece, log_probability] : tokens)
    line += fmt::format("\t{} {:.6f}", without_separators(piece), log_probability);
  return line;
}

}  // namespace transformer::apps
