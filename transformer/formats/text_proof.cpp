#include "transformer/formats/text_proof.h"

#include <algorithm>
#include <utility>

#include "transformer/base/special_tokens.h"
#include "transformer/translation/scoring.h"

namespace transformer::formats {
namespace {

constexpr double kUsualLogit = 10.0;

/// text: (1, T) → (T, V), in double, without what is never produced
torch::Tensor text_logits(models::AnyModel& model, const torch::Tensor& text) {
  auto& language = models::language_model(*model);
  return language.logits(language.states(text));
}

torch::Tensor without_special(const torch::Tensor& logits) {
  auto all = logits[0].to(torch::kCPU, torch::kDouble).clone();
  for (const auto id : {kPad, kBos}) all.select(1, id).fill_(-1e4);
  return all.clamp_min(-1e4);
}

/// How much less than the most probable token the native model gives to the other's: 0 where they are equal.
double apart(const torch::Tensor& native, const torch::Tensor& other) {
  const auto theirs = native.gather(1, other.argmax(1, /*keepdim=*/true)).squeeze(1);
  return (native.amax(1) - theirs).max().item<double>();
}

}  // namespace

Candidate text_candidate_of(models::AnyModel model, std::shared_ptr<const data::Tokenizer> tokenizer) {
  return {.logits = [model](const torch::Tensor&,
                            const torch::Tensor& text) mutable { return text_logits(model, text); },
          .search = {},
          .encode = [tokenizer =
                         std::move(tokenizer)](const std::string& text) { return tokenizer->encode(text); }};
}

Proof prove_texts(const checkpoints::LoadedModel& loaded, const Candidate& candidate, const Sample& sample,
                  Tolerance tolerance) {
  auto native = loaded.model;
  const translation::SearchMode mode(native);
  const auto longest =
      static_cast<std::size_t>(models::longest_sequence(native->options()).value_or(INT64_MAX));
  Proof proof;
  proof.origin = sample.origin;
  proof.sentences = sample.sentences.size();
  std::vector<double> all_apart;
  for (const auto& ids : sample.sentences) {
    std::vector<std::int64_t> text{loaded.experiment.data.block > 0 ? kEos : kBos};
    text.insert(text.end(), ids.begin(), ids.end());
    text.resize(std::min(text.size(), longest));
    const auto rows = torch::tensor(text).unsqueeze(0).to(native->device());
    const auto expected = text_logits(native, rows);
    if (!expected.isfinite().all().item<bool>()) {
      proof.diverged = true;
      return proof;
    }
    const auto ours = without_special(expected), theirs = without_special(candidate.logits({}, rows));
    all_apart.push_back(apart(ours, theirs));
    const auto counted = ours.masked_select(ours > -1e4);
    proof.largest_logit = std::max(proof.largest_logit, counted.abs().max().item<double>());
    const auto difference = (ours - theirs).abs().max().item<double>();
    // NaN is as far off as can be.
    proof.logit_difference = difference <= proof.logit_difference ? proof.logit_difference : difference;
  }
  const double scale = std::max(proof.largest_logit, tolerance.smallest) / kUsualLogit;
  tolerance.close *= scale;
  tolerance.most *= scale;
  proof.tolerance = tolerance;
  proof.searches.push_back({.name = "most probable tokens"});
  for (const auto apart : all_apart) {
    if (apart == 0)
      ++proof.searches[0].equal;
    else if (apart <= 2 * tolerance.close)
      ++proof.searches[0].ties;
  }
  for (std::size_t i = 0; i < sample.texts.size() && candidate.encode; ++i) {
    if (sample.texts[i].empty()) continue;
    ++proof.texts;
    if (candidate.encode(sample.texts[i]) == sample.sentences[i]) ++proof.encoded_equal;
  }
  return proof;
}

}  // namespace transformer::formats
