// Parts of a training from outside this project: optimisers, schedules of the learning rate, terms of the
// loss.
//
// They become known like parts of a model (nn/variants.h): by a program, or by a shared library that a
// program loads (--load FILE). A configuration names them with their options: `train.variants.optimizer: lion
// beta1=0.9`. The guide is docs/guides/variants.md.
#pragma once

#include <concepts>
#include <functional>
#include <memory>

#include "transformer/nn/variants.h"
#include "transformer/train/optimizer.h"
#include "transformer/variants/registry.h"

namespace transformer::train {

using MakeOptimizer =
    std::function<std::unique_ptr<Optimizer>(OptimizerParts parts, const variants::Values& options)>;

/// Makes an optimiser known, with what it keeps as `kept` of its declaration. The parts are for the
/// constructor of its base; train.weight_decay and train.groups are in them. Throws InputError for a name or
/// an option that cannot be, or a name that is taken; so does add_schedule().
void add_optimizer(variants::Declaration declaration, MakeOptimizer make);

/// The same for a class with the constructor
///     explicit MyOptimizer(train::OptimizerParts parts, const variants::Values& options);
template <std::derived_from<Optimizer> Variant>
void add_optimizer(variants::Declaration declaration) {
  add_optimizer(std::move(declaration), [](OptimizerParts parts, const variants::Values& options) {
    return std::make_unique<Variant>(std::move(parts), options);
  });
}

/// A schedule's inputs: the keys of these names, and the width of the model.
struct ScheduleInputs {
  std::int64_t steps = 0;
  std::int64_t warmup = 0;
  double factor = 1.0;
  double floor = 0.0;
  std::int64_t d_model = 0;
};

/// The learning rate of an update, at least 0. Updates count from 1. It must depend on nothing but these, so
/// that a run that is resumed goes on with the same rates.
using ScheduleRate =
    std::function<double(std::int64_t step, const ScheduleInputs& inputs, const variants::Values& options)>;

/// Makes a schedule known.
void add_schedule(variants::Declaration declaration, ScheduleRate rate);

/// A term that is added to the loss of tokens (5.4). Perplexity, early stopping and the best checkpoint go by
/// the plain cross-entropy, which no term touches.
class LossTerm {
 public:
  virtual ~LossTerm() = default;

  /// logits: (M, V), of the next token at M places. labels: (M), that token. → a differentiable scalar: a sum
  /// over the places, each independent of the others. An update takes the gradient of the mean over its
  /// tokens.
  virtual torch::Tensor forward(const torch::Tensor& logits, const torch::Tensor& labels) const = 0;
};

using MakeLossTerm = std::function<std::unique_ptr<LossTerm>(const variants::Values& options)>;

/// Makes a term of the loss known.
void add_loss_term(variants::Declaration declaration, MakeLossTerm make);

/// The same for a class with the constructor
///     explicit MyTerm(const variants::Values& options);
template <std::derived_from<LossTerm> Term>
void add_loss_term(variants::Declaration declaration) {
  add_loss_term(std::move(declaration),
                [](const variants::Values& options) { return std::make_unique<Term>(options); });
}

/// The term that train.variants.loss names, null where it names none. Throws InputError, naming the key, for
/// one that is not known or whose options are wrong.
std::unique_ptr<LossTerm> make_loss_term(const TrainOptions& options);

}  // namespace transformer::train
