// Optimisers and schedules from outside.
#include "transformer/train/variants.h"

#include "tests/nn/checks.h"
#include "tests/train/outside_training.h"
#include "tests/train/reverse_run.h"
#include "transformer/base/error.h"
#include "transformer/config/keys.h"
#include "transformer/config/validate.h"
#include "transformer/train/cost.h"
#include "transformer/train/optimizer_table.h"
#include "transformer/train/schedule.h"
#include "transformer/train/variant_check.h"

namespace transformer::train {
namespace {

variants::Choice choice(const std::string& text) {
  test::add_outside_training();
  return *variants::parse(text);
}

TEST_CASE("an optimiser from outside is made with its options, and keeps what it declares") {
  const TrainOptions options{.weight_decay = 0.1, .variants = {.optimizer = choice("signs pull=2")}};
  auto weight = torch::tensor({1.0, 2.0}, torch::kDouble).requires_grad_();
  const auto optimizer = make_optimizer({{"weight", weight}}, options);
  for (const auto& gradient : {torch::tensor({1.0, -1.0}), torch::tensor({-1.0, -3.0})}) {
    weight.mutable_grad() = gradient.to(torch::kDouble);
    optimizer->step(0.25);
  }
  CHECK(torch::equal(weight, torch::tensor({0.5, 2.5}, torch::kDouble)));  // signs of 1, -1; of 1, -5
  REQUIRE(optimizer->state().size() == 1);
  CHECK(optimizer->state()[0].first == "before.weight");
  CHECK(kept_numbers(options) == 1);
  CHECK(kept_numbers({}) == 2);
}

TEST_CASE("a schedule from outside gives the rates") {
  const TrainOptions options{.factor = 0.1, .variants = {.schedule = choice("waves length=2")}};
  CHECK(learning_rate(options, 512, 3) == 0.1 * (1.5 + std::sin(1.5)));
  const TrainOptions sunk{.steps = 6, .variants = {.schedule = choice("sunk")}};
  CHECK(learning_rate(sunk, 512, 3) == 0);
  CHECK_THROWS_AS(learning_rate(sunk, 512, 4), InputError);
  CHECK_THROWS_WITH(learning_rate(sunk, 512, 4),
                    "train.variants.schedule: expected a learning rate from 0, found -2 of sunk at update 4");
}

TEST_CASE("a schedule that does not look at the end may be lengthened") {
  config::Experiment experiment;
  for (const auto& [text, decides] : {std::pair("waves", false), {"sunk", true}, {"stranger", true}}) {
    experiment.train.variants.schedule = choice(text);
    CHECK(config::decides_weights("train.steps", experiment) == decides);
  }
}

TEST_CASE("what is not known is named before anything is done") {
  for (const auto& [options, key] :
       {std::pair(TrainOptions{.variants = {.optimizer = choice("stranger a=b")}},
                  "train.variants.optimizer"),
        {TrainOptions{.variants = {.schedule = choice("stranger a=b")}}, "train.variants.schedule"}}) {
    CHECK_THROWS_AS(check_steps({}, options), InputError);
    CHECK_THROWS_WITH(check_steps({}, options),
                      std::string(key) +
                          ": expected a variant that this program knows, found 'stranger a=b': "
                          "--load names the shared library that has it");
  }
}

TEST_CASE("keys that a part from outside does not read are refused") {
  config::Experiment experiment;
  const auto problem = [&] { return config::find_problem(experiment).value_or(config::Problem{}); };
  experiment.train.variants.optimizer = choice("signs");
  CHECK(problem().message.empty());
  experiment.train.beta1 = 0.5;
  CHECK(problem().keys.front() == "train.beta1");
  CHECK(problem().message == "expected nothing where train.variants.optimizer is set, found '0.5'");
  experiment.train.beta1 = 0.9;
  experiment.train.optimizer = OptimizerKind::sgd;
  CHECK(problem().keys.front() == "train.optimizer");
  experiment.train = {};
  experiment.train.variants.schedule = choice("waves");
  experiment.train.warmup = 0;
  experiment.train.floor = 0.1;
  CHECK(problem().message.empty());  // they are the schedule's affair
  experiment.train.schedule = Schedule::cosine;
  CHECK(problem().message == "expected nothing where train.variants.schedule is set, found 'cosine'");
  experiment.train.schedule = Schedule::noam;
  experiment.train.variants.schedule = choice("waves lenth=3");
  CHECK(problem().message == "expected the option length of waves, found 'lenth'");
}

TEST_CASE("a part that keeps to the rules passes all checks, and another one fails those of its rules") {
  const auto failed = [](const char* text, variants::Kind kind) {
    std::string all;
    for (const auto& check : check_variant(choice(text), kind))
      if (!check.passed) all += check.what + "; ";
    return all;
  };
  using variants::Kind;
  CHECK(failed("signs", Kind::optimizer).empty());
  CHECK(failed("waves length=3", Kind::schedule).empty());
  CHECK(failed("deaf", Kind::optimizer) ==
        "optimizer: a divisor divides the gradients; optimizer: useless gradients change nothing; optimizer: "
        "nothing moves at a rate of 0; ");
  CHECK(failed("sunk", Kind::schedule) == "schedule: finite, not negative, and the same again; ");
  CHECK(failed("squares weight=2", Kind::loss).empty());
  CHECK(failed("mean", Kind::loss) == "loss: the sum of its places; ");
  CHECK_THROWS_AS(check_variant(choice("nobody"), Kind::loss), InputError);
  CHECK_THROWS_AS(check_variant(choice("nobody"), Kind::optimizer), InputError);
  CHECK_THROWS_AS(check_variant(choice("nobody"), Kind::schedule), InputError);
}

TEST_CASE("names that cannot be, or are taken, are refused") {
  test::add_outside_training();
  const auto add = [](const variants::Declaration& declaration) { add_optimizer<test::Deaf>(declaration); };
  CHECK_THROWS_WITH(add({.name = "signs", .about = ""}),
                    "train.variants.optimizer: expected a variant of another name, found a second 'signs'");
  CHECK_THROWS_WITH(add({.name = "other", .about = "", .kept = {"a.b"}}),
                    ContainsSubstring("expected names of their own for what is kept"));
  CHECK_THROWS_WITH(add({.name = "other", .about = "", .kept = {"a", "a"}}), ContainsSubstring("found 'a'"));
}

}  // namespace
}  // namespace transformer::train
