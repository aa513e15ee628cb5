#include "transformer/train/conditions.h"

#include "tests/catch.h"
#include "tests/train/training_parts.h"
#include "transformer/base/error.h"
#include "transformer/data/batching.h"
#include "transformer/runtime/device.h"

namespace transformer::train {
namespace {

TEST_CASE("the conditions of a process are its data, device, precision and threads") {
  const test::TemporaryFolder folder;
  test::Training training(test::prepare_reverse_task(folder, 40, 4));
  const auto conditions = current_conditions(training.task, torch::kBFloat16);
  CHECK(conditions.precision == "bf16");
  CHECK(conditions.device == "cpu");
  CHECK(conditions.threads == torch::get_num_threads());
  CHECK(conditions.batch_order == data::kBatchOrder);
  // TF32 is not plain fp32.
  runtime::choose_precision("tf32", torch::Device(torch::kCUDA, 0));
  CHECK(current_conditions(training.task, torch::kFloat).precision == "tf32");
  runtime::choose_precision("fp32", torch::kCPU);
  CHECK(current_conditions(training.task, torch::kFloat).precision == "fp32");
  const test::TemporaryFolder elsewhere;
  test::Training other(test::prepare_reverse_task(elsewhere, 40, 4));  // other rows
  const auto others = current_conditions(other.task, torch::kBFloat16);
  CHECK(others.train_data != conditions.train_data);
  CHECK(others.dev_data != conditions.dev_data);
}

TEST_CASE("a run does not go on with other data, another precision or other batches") {
  const Conditions before{"fp32", "cpu", 2, 1, "a", "b"};
  const auto refused = [&](const Conditions& now, const std::string& part) {
    CHECK_THROWS_AS(check_conditions(before, now, "my/run"), InputError);
    CHECK_THROWS_WITH(check_conditions(before, now, "my/run"),
                      ContainsSubstring("my/run") && ContainsSubstring(part));
  };
  refused({"bf16", "cpu", 2, 1, "a", "b"}, "--precision only: expected fp32, found bf16");
  refused({"tf32", "cuda", 2, 1, "a", "b"}, "--precision only: expected fp32, found tf32");
  refused({"fp32", "cpu", 2, 1, "x", "b"}, "train.bin");
  refused({"fp32", "cpu", 2, 1, "a", "x"}, "dev.bin");
  refused({"fp32", "cpu", 2, 1, "a", "b", 2}, "expected order 2, found 1; go on with that version");
  CHECK_NOTHROW(check_conditions(before, before, "my/run"));
  CHECK_NOTHROW(check_conditions(before, {"fp32", "cuda", 2, 1, "a", "b"}, "my/run"));
  CHECK_NOTHROW(check_conditions(before, {"fp32", "cpu", 4, 1, "a", "b"}, "my/run"));
}

}  // namespace
}  // namespace transformer::train
