// Parts of a training from outside the project: Lion, a schedule of warm-up, stable, decay, and a penalty for
// certainty (docs/guides/variants.md).
#include <torch/utils.h>
#include <transformer/train/variants.h>

using namespace transformer;
using torch::Tensor;
namespace {

/// Lion (Chen and others 2023): w ← w − rate · (sign(β1 m + (1 − β1) g) + λ w), then m ← β2 m + (1 − β2) g.
class Lion : public train::Optimizer {
 public:
  Lion(train::OptimizerParts parts, const variants::Values& options)
      : Optimizer(std::move(parts)), beta1_(options.real("beta1")), beta2_(options.real("beta2")) {}

 protected:
  void step_group(const Group& group, const std::vector<Tensor>& gradients, double learning_rate,
                  const train::GradientUse& use) override {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      auto weight = group.values[i], momentum = group.kept[0][i];
      auto gradient = use.divisor.defined() ? gradients[i] / use.divisor : gradients[i];
      const auto useful = use.useless.defined() ? 1 - use.useless : torch::ones({}, weight.options());
      gradient = torch::where(useful > 0, gradient, 0);  // which may be NaN
      const auto direction = torch::sign(beta1_ * momentum + (1 - beta1_) * gradient);
      weight.sub_((direction + group.weight_decay * weight) * (learning_rate * useful));
      momentum.add_((gradient - momentum) * ((1 - beta2_) * useful));
    }
  }

 private:
  double beta1_, beta2_;
};

/// Up to `factor` in `warmup` updates, constant, and straight down to `floor` in the last ones.
double warmup_stable_decay(std::int64_t step, const train::ScheduleInputs& inputs,
                           const variants::Values& options) {
  const auto at = static_cast<double>(step), steps = static_cast<double>(inputs.steps);
  if (step < inputs.warmup) return inputs.factor * at / static_cast<double>(inputs.warmup);
  const double decay = options.real("decay") * steps, begin = steps - decay;
  if (at <= begin) return inputs.factor;
  return inputs.factor + (inputs.floor - inputs.factor) * std::min(1.0, (at - begin) / decay);
}

/// A penalty on distributions that are too certain (Pereyra and others 2017): − weight · entropy.
class Confidence : public train::LossTerm {
 public:
  explicit Confidence(const variants::Values& options) : weight_(options.real("weight")) {}

  Tensor forward(const Tensor& logits, const Tensor&) const override {
    const auto logarithms = torch::log_softmax(logits, -1);
    return weight_ * (logarithms.exp() * logarithms).sum();
  }

 private:
  double weight_;
};

}  // namespace

TRANSFORMER_PLUGIN() {
  train::add_optimizer<Lion>(
      {.name = "lion",
       .about = "signs of the momentum",
       .options = {{.name = "beta1", .standard = 0.9, .help = "of the direction", .least = 0, .most = 1},
                   {.name = "beta2", .standard = 0.99, .help = "of what is kept", .least = 0, .most = 1}},
       .kept = {"m"}});
  train::add_schedule(
      {.name = "wsd",
       .about = "warm-up, stable, decay",
       .options =
           {{.name = "decay", .standard = 0.2, .help = "share of the updates", .least = 0, .most = 1}}},
      warmup_stable_decay);
  train::add_loss_term<Confidence>(
      {.name = "confidence",
       .about = "a penalty for certainty",
       .options = {{.name = "weight", .standard = 0.1, .help = "of the entropy", .least = 0, .most = 10}}});
}
