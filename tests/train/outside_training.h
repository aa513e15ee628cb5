// Parts of a training, as somebody outside the project would write them.
#pragma once

#include <torch/utils.h>

#include <cmath>

#include "transformer/train/variants.h"

namespace transformer::test {

/// w ← w − rate · sign(g + pull · b), b ← g.
class Signs : public train::Optimizer {
 public:
  Signs(train::OptimizerParts parts, const variants::Values& options)
      : Optimizer(std::move(parts)), pull_(options.real("pull")) {}

 protected:
  void step_group(const Group& group, const std::vector<torch::Tensor>& gradients, double learning_rate,
                  const train::GradientUse& use) override {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      auto weight = group.values[i], before = group.kept[0][i];
      auto gradient = use.divisor.defined() ? gradients[i] / use.divisor : gradients[i];
      const auto useless = use.useless.defined() ? use.useless > 0 : torch::zeros({}, torch::kBool);
      weight.sub_(torch::where(useless, 0, torch::sign(gradient + pull_ * before) * learning_rate));
      before.copy_(torch::where(useless, before, gradient));
    }
  }

 private:
  double pull_;
};

/// Another optimiser that breaks rules: it hears of no useless gradients and of no rate.
class Deaf : public train::Optimizer {
 public:
  Deaf(train::OptimizerParts parts, const variants::Values&) : Optimizer(std::move(parts)) {}

 protected:
  void step_group(const Group& group, const std::vector<torch::Tensor>& gradients, double,
                  const train::GradientUse&) override {
    for (std::size_t i = 0; i < gradients.size(); ++i) group.values[i].detach().sub_(0.01 * gradients[i]);
  }
};

/// weight · Σ logits².
class Squares : public train::LossTerm {
 public:
  explicit Squares(const variants::Values& options) : weight_(options.real("weight")) {}

  torch::Tensor forward(const torch::Tensor& logits, const torch::Tensor&) const override {
    return weight_ * logits.square().sum();
  }

 private:
  double weight_;
};

/// A term that breaks rules: it is a mean.
class Mean : public train::LossTerm {
 public:
  explicit Mean(const variants::Values&) {}

  torch::Tensor forward(const torch::Tensor& logits, const torch::Tensor&) const override {
    return logits.square().mean();
  }
};

/// Makes them known, once.
inline void add_outside_training() {
  static const bool added = [] {
    train::add_optimizer<Signs>(
        {.name = "signs",
         .about = "signs of gradients",
         .options = {{.name = "pull", .standard = 0.5, .help = "of the gradient before"}},
         .kept = {"before"}});
    train::add_optimizer<Deaf>({.name = "deaf", .about = "no rule is kept"});
    train::add_schedule(
        {.name = "waves",
         .about = "up and down",
         .options = {{.name = "length", .standard = 4, .help = "in updates", .least = 1}},
         .depends_on_steps = false},
        [](std::int64_t step, const train::ScheduleInputs& inputs, const variants::Values& options) {
          const auto at = static_cast<double>(step) / static_cast<double>(options.integer("length"));
          return inputs.factor * (1.5 + std::sin(at));
        });
    train::add_loss_term<Squares>(
        {.name = "squares",
         .about = "small logits",
         .options = {{.name = "weight", .standard = 0.1, .help = "of the squares", .least = 0}}});
    train::add_loss_term<Mean>({.name = "mean", .about = "no sum"});
    train::add_schedule({.name = "sunk", .about = "below zero"},
                        [](std::int64_t step, const train::ScheduleInputs& inputs, const variants::Values&) {
                          return static_cast<double>(inputs.steps - 2 * step);
                        });
    return true;
  }();
  static_cast<void>(added);
}

}  // namespace transformer::test
