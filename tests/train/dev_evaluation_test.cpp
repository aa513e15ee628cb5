#include "transformer/train/dev_evaluation.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/train/bigram_task.h"
#include "transformer/runtime/device.h"

namespace transformer::train {
namespace {

using test::BigramTask;
using test::kSymbols;

TEST_CASE("the dev set's loss, and its metric where that is wanted") {
  BigramTask task;
  int asked = 0;
  bool training = true;
  task.before_metric = [&] {
    ++asked;
    training = task.module().is_training();
  };
  task.module().train();
  const auto plain = evaluate_dev(task, false);
  CHECK(plain.loss.nll == Approx(std::log(kSymbols)));  // of a table of zeros
  CHECK_FALSE(plain.metric);
  CHECK(asked == 0);
  CHECK(task.module().is_training());

  const auto with_metric = evaluate_dev(task, true);
  CHECK(with_metric.loss.nll == plain.loss.nll);
  REQUIRE(with_metric.metric);
  CHECK(with_metric.metric->name == "Accuracy");
  CHECK(with_metric.metric->value == task.dev().accuracy());
  CHECK(asked == 1);
  CHECK_FALSE(training);
}

TEST_CASE("the dev set's loss is one of fp32, whatever surrounds it") {
  BigramTask task;
  torch::manual_seed(1);
  {
    const torch::NoGradGuard no_gradients;
    task.module().parameters().front().normal_();
  }
  const auto exact = evaluate_dev(task, false).loss.nll;
  const runtime::PrecisionScope bf16(torch::kBFloat16);
  CHECK(evaluate_dev(task, false).loss.nll == exact);
}

}  // namespace
}  // namespace transformer::train
