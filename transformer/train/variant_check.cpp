#include "transformer/train/variant_check.h"

#include <fmt/format.h>
#include <torch/utils.h>

#include <functional>
#include <limits>

#include "transformer/nn/check_list.h"
#include "transformer/train/optimizer_table.h"
#include "transformer/train/schedule.h"

namespace transformer::train {
namespace {

using nn::difference;
using torch::Tensor;
using variants::Kind;

constexpr double kTolerance = 1e-6;  // relative; an optimiser may round to fp32 on the way
constexpr double kRate = 0.01;

/// A matrix and a vector that begin alike each time, with an optimiser of their own.
class Subject {
 public:
  explicit Subject(const TrainOptions& options)
      : optimizer_(make_optimizer({{"matrix", values_[0]}, {"vector", values_[1]}}, options)) {}

  void set_gradients(int number, double scale = 1.0) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i].mutable_grad() = pattern(values_[i].sizes(), number + static_cast<int>(i)) * scale;
  }

  void step(int number, double scale = 1.0, const GradientUse& use = {}) {
    set_gradients(number, scale);
    optimizer_->step(kRate, use);
  }

  /// The parameters behind each other, and what is kept for them.
  Tensor values() const { return torch::cat({values_[0].detach().flatten(), values_[1].detach()}).clone(); }
  Tensor kept() const {
    std::vector<Tensor> all{torch::zeros({1}, torch::kDouble)};
    for (const auto& [name, tensor] : optimizer_->state()) all.push_back(tensor.flatten().clone());
    return torch::cat(all);
  }

  void go_on_from(const Subject& other, std::int64_t updates) {
    const torch::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i].copy_(other.values_[i]);
    std::map<std::string, Tensor> state;
    for (const auto& [name, tensor] : other.optimizer_->state()) state.emplace(name, tensor.clone());
    optimizer_->restore(state, updates, "what is kept");
  }

  Optimizer& optimizer() { return *optimizer_; }

 private:
  static Tensor pattern(at::IntArrayRef shape, int number) {
    return torch::sin(torch::arange(1, 13, torch::kDouble) * (number + 2))
        .slice(0, 0, c10::multiply_integers(shape))
        .view(shape);
  }

  std::vector<Tensor> values_{pattern({3, 4}, 20).requires_grad_(), pattern({5}, 30).requires_grad_()};
  std::unique_ptr<Optimizer> optimizer_;
};

std::vector<nn::VariantCheck> check_optimizer(const TrainOptions& options) {
  nn::CheckList checks(variants::name_of(Kind::optimizer), kTolerance);
  const auto after = [&](int steps) {
    Subject subject(options);
    for (int number = 1; number <= steps; ++number) subject.step(number);
    return subject.values();
  };
  const Subject made(options);  // one that cannot be made is no failed check
  checks.add("a step moves each parameter, and the same way again", [&] {
    const auto before = after(0), values = after(1);
    const bool moved = (values - before).abs().gt(0).all().item<bool>();
    return moved ? difference(after(3), after(3)) : std::numeric_limits<double>::infinity();
  });
  checks.add("a divisor divides the gradients", [&] {
    Subject divided(options), halved(options);
    for (int number = 1; number <= 2; ++number) {
      divided.step(number, 2.0, {.divisor = torch::full({}, 2.0F)});
      halved.step(number);
    }
    return difference(divided.values(), halved.values());
  });
  checks.add("useless gradients change nothing", [&] {
    Subject subject(options);
    subject.step(1);
    const auto values = subject.values(), kept = subject.kept();
    subject.step(2, std::numeric_limits<double>::quiet_NaN(), {.useless = torch::ones({})});
    const auto changed = std::max(difference(subject.values(), values), difference(subject.kept(), kept));
    subject.step(2, 1.0, {.useless = torch::zeros({})});
    return std::max(changed, difference(subject.values(), after(2)));
  });
  checks.add("goes on from what it keeps", [&] {
    Subject whole(options), resumed(options);
    for (int number = 1; number <= 2; ++number) whole.step(number);
    resumed.go_on_from(whole, 2);
    for (auto* subject : {&whole, &resumed}) subject->step(3);
    return difference(whole.values(), resumed.values());
  });
  checks.add("each parameter alone as beside others", [&] {
    Subject first(options), second(options);
    first.optimizer().keep_share({true, false});
    second.optimizer().keep_share({false, true});
    for (int number = 1; number <= 2; ++number) {
      first.step(number);
      second.step(number);
    }
    const auto expected = after(2);
    return std::max(difference(first.values().slice(0, 0, 12), expected.slice(0, 0, 12)),
                    difference(second.values().slice(0, 12), expected.slice(0, 12)));
  });
  checks.add("nothing moves at a rate of 0", [&] {
    auto still = options;
    still.groups = {{.pattern = "*", .rate = 0.0}};
    Subject subject(still);
    for (int number = 1; number <= 2; ++number) subject.step(number);
    return difference(subject.values(), after(0));
  });
  return checks.take();
}

std::vector<nn::VariantCheck> check_schedule(const TrainOptions& options) {
  nn::CheckList checks(variants::name_of(Kind::schedule), kTolerance);
  variants::values_of(options.variants.schedule, Kind::schedule);
  checks.add("finite, not negative, and the same again", [&] {
    double worst = 0;
    for (std::int64_t step = 1; step <= options.steps; ++step)
      worst =
          std::max(worst, std::abs(learning_rate(options, 512, step) - learning_rate(options, 512, step)));
    return worst;
  });
  return checks.take();
}

std::vector<nn::VariantCheck> check_loss(const TrainOptions& options) {
  nn::CheckList checks(variants::name_of(Kind::loss), 10 * kTolerance);
  const auto term = make_loss_term(options);
  const auto logits = torch::sin(torch::arange(1, 36, torch::kDouble) * 2).view({5, 7});
  const auto labels = torch::tensor({3, 0, 6, 2, 2});
  const auto of = [&](std::int64_t begin, std::int64_t end) {
    return term->forward(logits.slice(0, begin, end), labels.slice(0, begin, end));
  };
  checks.add("a finite scalar, the same again", [&] {
    const auto once = of(0, 5);
    if (once.dim() != 0) return std::numeric_limits<double>::infinity();
    return difference(once, of(0, 5));
  });
  checks.add("the sum of its places", [&] { return difference(of(0, 5), of(0, 2) + of(2, 5)); });
  checks.add("gradients by finite differences", [&] {
    return nn::worst_gradient(
        [&](const std::vector<Tensor>& given) { return term->forward(given[0], labels); }, {logits});
  });
  return checks.take();
}

}  // namespace

std::vector<nn::VariantCheck> check_variant(const variants::Choice& choice, Kind kind) {
  switch (kind) {
    case Kind::optimizer:
      return check_optimizer({.weight_decay = 0.1,
                              .groups = {{.pattern = "vector", .rate = 0.5}},
                              .variants = {.optimizer = choice}});
    case Kind::schedule:
      return check_schedule({.steps = 1000, .warmup = 100, .variants = {.schedule = choice}});
    case Kind::loss:
      return check_loss({.variants = {.loss = choice}});
    case Kind::attention:
    case Kind::feed_forward:
    case Kind::norm:
    case Kind::positions:
    case Kind::model:
      throw std::invalid_argument("check_variant: expected a part of a training");
  }
  no_such_choice();
}

}  // namespace transformer::train
