#include "transformer/search/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "transformer/base/error.h"
#include "transformer/base/random.h"
#include "transformer/base/special_tokens.h"
#include "transformer/kernels/next_tokens.h"

namespace transformer::search {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();
constexpr double kHidden = -std::numeric_limits<double>::infinity();

void expect(bool good, const char* option, const char* expected, double found) {
  if (!good) throw InputError(fmt::format("{}: expected {}, found '{}'", option, expected, found));
}

}  // namespace

double uniform_of(std::uint64_t seed, std::int64_t text, std::int64_t sample, std::int64_t place) {
  constexpr double kStep = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(mix(mix(mix(seed, text), sample), place) >> 11U) * kStep;
}

LogitsAtOnce::LogitsAtOnce(std::span<const float> logits) : logits_(logits) {
  const auto whole = std::ssize(logits) / 16 * 16;  // which the kernel reads at once
  float maximum = kNothing, total = 0, highest = kNothing;
  if (whole > 0)
    kernels::next_tokens().scan({.rows = 1,
                                 .columns = whole,
                                 .logits = logits.data(),
                                 .stride = whole,
                                 .maximum = &maximum,
                                 .total = &total,
                                 .never = {kPad, kBos},
                                 .best = 1,
                                 .values = &highest,
                                 .tokens = &best_});
  const auto rest = logits.subspan(static_cast<std::size_t>(whole));
  float most = maximum;
  for (const auto logit : rest) most = std::max(most, logit);
  double sum = total == 0 ? 0 : static_cast<double>(total) * std::exp(static_cast<double>(maximum - most));
  for (const auto logit : rest) sum += std::exp(static_cast<double>(logit) - most);
  log_sum_ = most + std::log(sum);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto token = static_cast<std::int32_t>(whole) + static_cast<std::int32_t>(i);
    if (token == kPad || token == kBos || !(rest[i] > highest)) continue;
    highest = rest[i];
    best_ = token;
  }
}

double LogitsAtOnce::log_probability(std::int32_t token) const {
  const double found = static_cast<double>(logits_[static_cast<std::size_t>(token)]) - log_sum_;
  return std::isnan(found) ? static_cast<double>(std::numeric_limits<float>::lowest()) : found;
}

Sampler::Sampler(const SamplingOptions& options) : options_(options) {
  const auto& o = options_;
  expect(o.repetition_penalty > 0, "repetition penalty", "a number above 0", o.repetition_penalty);
  expect(o.temperature >= 0, "temperature", "a number from 0", o.temperature);
  expect(o.top_k >= 0, "top-k", "a whole number from 0", static_cast<double>(o.top_k));
  expect(o.top_p > 0 && o.top_p <= 1, "top-p", "a number above 0, at most 1", o.top_p);
  expect(o.min_p >= 0 && o.min_p <= 1, "min-p", "a number from 0 to 1", o.min_p);
}

void Sampler::penalise(std::span<const std::int32_t> text) {
  if (options_.repetition_penalty == 1) return;
  std::vector<std::int32_t> tokens(text.begin(), text.end());
  std::ranges::sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  for (const auto token : tokens) {
    auto& logit = logits_[static_cast<std::size_t>(token)];
    logit = logit > 0 ? logit / options_.repetition_penalty : logit * options_.repetition_penalty;
  }
}

/// Leaves the candidates that top_k, top_p and min_p leave.
void Sampler::keep_likely() {
  const auto more = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
  };
  const auto k = static_cast<std::size_t>(options_.top_k);
  if (k > 0 && k < candidates_.size()) {
    std::ranges::nth_element(candidates_, candidates_.begin() + static_cast<std::ptrdiff_t>(k) - 1, more);
    candidates_.resize(k);
  }
  if (options_.top_p < 1) {
    std::ranges::sort(candidates_, more);
    const double most = candidates_.front().logit;
    double total = 0, sum = 0;
    for (const auto& candidate : candidates_) total += std::exp(candidate.logit - most);
    std::size_t kept = 0;
    while (kept < candidates_.size() && sum < options_.top_p * total)
      sum += std::exp(candidates_[kept++].logit - most);
    candidates_.resize(kept);
  }
  if (options_.min_p > 0) {
    const double least =
        std::ranges::max(candidates_, {}, &Candidate::logit).logit + std::log(options_.min_p);
    std::erase_if(candidates_, [&](const Candidate& candidate) { return candidate.logit < least; });
  }
}

Drawn Sampler::draw(std::span<const float> logits, std::span<const std::int32_t> text, double uniform) {
  const LogitsAtOnce all(logits);
  const auto drawn = [&](std::int32_t token) { return Drawn{token, all.log_probability(token)}; };
  if (options_.temperature == 0 && options_.repetition_penalty == 1) return drawn(all.best());
  logits_.assign(logits.begin(), logits.end());
  logits_[kPad] = logits_[kBos] = kHidden;
  penalise(text);
  const auto best = std::ranges::max_element(logits_);
  if (!(*best > kHidden)) return drawn(kEos);
  if (options_.temperature == 0) return drawn(static_cast<std::int32_t>(best - logits_.begin()));
  candidates_.clear();
  for (std::size_t i = 0; i < logits_.size(); ++i)
    if (logits_[i] > kHidden)
      candidates_.push_back({static_cast<std::int32_t>(i), logits_[i] / options_.temperature});
  const double most = *best / options_.temperature;
  keep_likely();
  std::ranges::sort(candidates_, {},
                    &Candidate::token);  // so that a draw does not depend on how they were found
  double total = 0;
  for (auto& candidate : candidates_) total += std::exp(candidate.logit - most);
  double left = uniform * total;
  auto chosen = candidates_.back().token;
  for (const auto& candidate : candidates_) {
    left -= std::exp(candidate.logit - most);
    if (left >= 0) continue;
    chosen = candidate.token;
    break;
  }
  return drawn(chosen);
}

}  // namespace transformer::search
