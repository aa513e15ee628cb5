#include "transformer/models/kind_check.h"

#include <torch/utils.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "transformer/base/special_tokens.h"
#include "transformer/models/kinds.h"
#include "transformer/models/padded_ids.h"
#include "transformer/nn/check_list.h"
#include "transformer/ops/sequences_of.h"
#include "transformer/runtime/cuda.h"

namespace transformer::models {
namespace {

using torch::Tensor;

constexpr VocabularySizes kVocabulary{.source = 17, .target = 19};
constexpr double kTolerance = 1e-4;  // relative; of what is computed in fp32 on the way, too

Packed random_ids(const std::vector<std::int64_t>& lengths, std::int64_t vocabulary) {
  const auto sequences = ops::sequences_of(lengths);
  return {torch::randint(kEos + 1, vocabulary, {sequences.rows()}), sequences};
}

/// What is asked of an ability, of whichever kind.
class Checked {
 public:
  virtual ~Checked() = default;
  virtual Tensor states(const Packed& source, const Packed& target) = 0;
  virtual Tensor states(const Tensor& source, const Tensor& target) = 0;
  virtual OutputProjection projection() = 0;
  virtual Tensor logits(const Tensor& states) = 0;
  virtual std::unique_ptr<DecoderState> start(const Tensor& source) = 0;
  virtual Tensor step(const Tensor& ids, DecoderState& state) = 0;
  virtual Tensor for_output(const Tensor& states) { return states; }
};

class CheckedSequenceToSequence : public Checked {
 public:
  explicit CheckedSequenceToSequence(SequenceToSequence& model) : model_(model) {}
  Tensor states(const Packed& source, const Packed& target) override { return model_.states(source, target); }
  Tensor states(const Tensor& source, const Tensor& target) override { return model_.states(source, target); }
  OutputProjection projection() override { return model_.projection(); }
  Tensor logits(const Tensor& states) override { return model_.logits(states); }
  std::unique_ptr<DecoderState> start(const Tensor& source) override { return model_.start(source); }
  Tensor step(const Tensor& ids, DecoderState& state) override { return model_.step(ids, state); }

 private:
  SequenceToSequence& model_;
};

/// Of a source only the number of sentences counts.
class CheckedLanguageModel : public Checked {
 public:
  explicit CheckedLanguageModel(LanguageModel& model) : model_(model) {}
  Tensor states(const Packed&, const Packed& target) override { return model_.states(target); }
  Tensor states(const Tensor&, const Tensor& target) override { return model_.states(target); }
  OutputProjection projection() override { return model_.projection(); }
  Tensor logits(const Tensor& states) override { return model_.logits(states); }
  std::unique_ptr<DecoderState> start(const Tensor& source) override {
    return model_.start(source.slice(1, 0, 0));
  }
  Tensor step(const Tensor& ids, DecoderState& state) override { return model_.step(ids, state); }

 private:
  LanguageModel& model_;
};

/// Its texts are the targets, in the source's tokens. It has no steps.
class CheckedTextEncoder : public Checked {
 public:
  explicit CheckedTextEncoder(TextEncoder& model) : model_(model) {}
  Tensor states(const Packed&, const Packed& target) override {
    return model_.states({known(target.rows), target.sequences});
  }
  Tensor states(const Tensor&, const Tensor& target) override { return model_.states(known(target)); }
  OutputProjection projection() override { return model_.projection(); }
  Tensor logits(const Tensor& states) override { return model_.logits(states); }
  Tensor for_output(const Tensor& states) override { return model_.for_output(states); }
  std::unique_ptr<DecoderState> start(const Tensor&) override {
    throw std::logic_error("an encoder's start");
  }
  Tensor step(const Tensor&, DecoderState&) override { throw std::logic_error("an encoder's step"); }

 private:
  static Tensor known(const Tensor& ids) { return ids.clamp_max(kVocabulary.source - 1); }

  TextEncoder& model_;
};

class KindCheck {
 public:
  explicit KindCheck(const variants::Choice& kind)
      : model_(make({.kind = kind, .d_model = 12, .tie = nn::Tie::none}, kVocabulary)) {
    if (language_)
      checked_ = std::make_unique<CheckedLanguageModel>(*language_);
    else if (encoder_)
      checked_ = std::make_unique<CheckedTextEncoder>(*encoder_);
    else
      checked_ = std::make_unique<CheckedSequenceToSequence>(sequence_to_sequence(*model_));
    model_->to(torch::kDouble);
    model_->eval();
    const torch::NoGradGuard none;
    for (auto& parameter : model_->parameters()) parameter.add_(0.1 * torch::randn_like(parameter));
    source_.rows.index_put_({source_.sequences.offsets.slice(0, 1) - 1}, kEos);
    target_.rows.index_put_({target_.sequences.offsets.slice(0, 0, -1)}, kBos);
  }

  std::vector<nn::VariantCheck> run() {
    const auto whole = padded_states();
    checks_.add("a result once more", [&] { return difference(whole, padded_states()); });
    checks_.add("packed texts as padded ones", [&] {
      return difference(ops::pack(whole, target_.sequences), decoder().states(source_, target_));
    });
    checks_.add("a text alone as beside others", [&] { return alone(whole); });
    checks_.add("logits are the states' projection", [&] {
      const auto [weight, bias] = decoder().projection();
      const auto product = torch::matmul(decoder().for_output(whole), weight.t());
      return difference(decoder().logits(whole), bias.defined() ? product + bias : product);
    });
    if (!encoder_) {
      checks_.add("step by step as at once", [&] { return steps(whole); });
      if (language_) checks_.add("a beginning at once as step by step", [&] { return beginnings(whole); });
      checks_.add("hypotheses that change places", [&] { return hypotheses(); });
      checks_.add("sentences that leave", [&] { return sentences(whole); });
    }
    checks_.add("parameters without a gradient", [&] { return without_gradient(); });
    return checks_.take();
  }

 private:
  Checked& decoder() { return *checked_; }

  Tensor padded_states() {
    const torch::NoGradGuard none;
    const auto states = decoder().states(padded_ids(source_), padded_ids(target_));
    // What stands at padding is nobody's.
    return ops::pad(ops::pack(states, target_.sequences), target_.sequences);
  }

  static double difference(const Tensor& a, const Tensor& b) {
    TORCH_CHECK(a.sizes() == b.sizes(), "expected the shape ", a.sizes(), ", found ", b.sizes());
    return nn::difference(a, b);
  }

  double alone(const Tensor& whole) {
    const torch::NoGradGuard none;
    double worst = 0;
    for (std::int64_t b = 0; b < source_.sequences.size(); ++b) {
      const auto row = [&](const Packed& side) {
        const auto* offsets = side.sequences.host_offsets();
        return side.rows.slice(0, offsets[b], offsets[b + 1]).unsqueeze(0);
      };
      const auto states = decoder().states(row(source_), row(target_));
      worst = std::max(worst, difference(whole[b].slice(0, 0, states.size(1)).unsqueeze(0), states));
    }
    return worst;
  }

  double steps(const Tensor& whole) {
    const torch::NoGradGuard none;
    const auto ids = padded_ids(target_);
    const auto logits = decoder().logits(whole);
    const auto state = decoder().start(padded_ids(source_));
    double worst = 0;
    for (std::int64_t t = 0; t < kShortest; ++t)
      worst =
          std::max(worst, difference(logits.narrow(1, t, 1), decoder().step(ids.narrow(1, t, 1), *state)));
    return worst;
  }

  double beginnings(const Tensor& whole) {
    const torch::NoGradGuard none;
    const auto ids = padded_ids(target_);
    double worst = 0;
    for (std::int64_t read = 1; read < kShortest; ++read) {
      const auto state = language_->start(ids.slice(1, 0, read));
      TORCH_CHECK(state->length() == read, "expected a state of length ", read, ", found ", state->length());
      const auto logits = decoder().step(ids.narrow(1, read, 1), *state);
      worst = std::max(worst, difference(decoder().logits(whole).narrow(1, read, 1), logits));
    }
    return worst;
  }

  /// Two hypotheses a sentence: after a step they change places, and the next gives what it would have given.
  double hypotheses() {
    const torch::NoGradGuard none;
    const auto sentences = source_.sequences.size();
    const auto first = torch::full({sentences, 1}, kBos, torch::kLong);
    const auto second = torch::randint(kEos + 1, kVocabulary.target, {sentences, 2});
    const auto third = torch::randint(kEos + 1, kVocabulary.target, {sentences, 2});
    const auto twice = torch::arange(sentences).repeat_interleave(2);
    const auto exchanged = torch::arange(2 * sentences).view({sentences, 2}).flip({1}).flatten();
    const auto after = [&](bool exchange) {
      const auto state = decoder().start(padded_ids(source_));
      decoder().step(first, *state);
      state->select_hypotheses(twice);
      decoder().step(second, *state);
      if (exchange) state->select_hypotheses(exchanged);
      const auto logits = decoder().step(exchange ? third.flip({1}) : third, *state);
      return exchange ? logits.flip({1}) : logits;
    };
    return difference(after(false), after(true));
  }

  double sentences(const Tensor& whole) {
    const torch::NoGradGuard none;
    const auto ids = padded_ids(target_);
    const auto left = torch::tensor({std::int64_t{0}, std::int64_t{2}});
    const auto state = decoder().start(padded_ids(source_));
    decoder().step(ids.narrow(1, 0, 1), *state);
    state->select_hypotheses(left);  // one each
    state->select_sentences(left);
    TORCH_CHECK(state->sentences() == 2, "expected 2 sentences left, found ", state->sentences());
    const auto logits = decoder().step(ids.index_select(0, left).narrow(1, 1, 1), *state);
    return difference(decoder().logits(whole.index_select(0, left).narrow(1, 1, 1)), logits);
  }

  double without_gradient() {
    auto states = decoder().states(source_, target_);
    const auto [weight, bias] = decoder().projection();
    const auto product = torch::matmul(decoder().for_output(states), weight.t());
    torch::log_softmax(bias.defined() ? product + bias : product, -1).select(1, kEos).sum().backward();
    double count = 0;
    for (const auto& parameter : model_->parameters())
      if (parameter.requires_grad() && !parameter.grad().defined()) ++count;
    return count;
  }

  static constexpr std::int64_t kShortest = 3;  // of the targets

  AnyModel model_;
  LanguageModel* language_ = model_->as_language_model();  // or null
  TextEncoder* encoder_ = model_->as_text_encoder();       // or null
  std::unique_ptr<Checked> checked_;
  Packed source_ = random_ids({4, 2, 5}, kVocabulary.source),
         target_ = random_ids({kShortest, 5, 4}, kVocabulary.target);
  nn::CheckList checks_{"model", kTolerance, ""};
};

}  // namespace

std::vector<nn::VariantCheck> check_kind(const variants::Choice& kind) {
  runtime::seed_generators(1);
  return KindCheck(kind).run();
}

}  // namespace transformer::models
