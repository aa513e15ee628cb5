#include "transformer/formats/encoder_proof.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace transformer::formats {

torch::Tensor encoder_logits(models::Model& model, const torch::Tensor& text) {
  auto& encoder = models::text_encoder(model);
  const auto& options = model.options().encoder;
  const auto states = encoder.states(text);
  if (!models::is_of_texts(options.head)) return encoder.logits(states);
  return encoder.logits(options.pooling == models::Pooling::cls ? states.slice(1, 0, 1)
                                                                : states.mean(1, /*keepdim=*/true));
}

void compare_encoders(models::Model& native, const Candidate& candidate, const Sample& sample,
                      const Tolerance& tolerance, Proof& proof) {
  constexpr double kUsualLargest = 10.0;
  const auto longest =
      models::longest_sequence(native.options()).value_or(std::numeric_limits<std::int64_t>::max());
  for (const auto& sentence : sample.sentences) {
    std::vector<std::int64_t> ids{kBos};
    const auto count = std::min<std::int64_t>(std::ssize(sentence), longest - 2);
    ids.insert(ids.end(), sentence.begin(), sentence.begin() + count);
    ids.push_back(kEos);
    const auto text = torch::tensor(ids).unsqueeze(0).to(native.device());
    const auto expected = encoder_logits(native, text).to(torch::kDouble);
    if (!expected.isfinite().all().item<bool>()) {
      proof.diverged = true;
      return;
    }
    const auto found = candidate.logits(text, {}).to(expected.device(), torch::kDouble);
    const auto difference = found.sizes() == expected.sizes() ? (found - expected).abs().max().item<double>()
                                                              : std::numeric_limits<double>::infinity();
    // What is not a number is as large as can be.
    proof.logit_difference =
        std::max(proof.logit_difference,
                 std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference);
    proof.largest_logit = std::max(proof.largest_logit, expected.abs().max().item<double>());
  }
  proof.tolerance = tolerance;
  const double scale = std::max(proof.largest_logit, tolerance.smallest) / kUsualLargest;
  proof.tolerance.close *= scale;
  proof.tolerance.most *= scale;
}

}  // namespace transformer::formats
