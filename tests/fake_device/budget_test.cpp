// How much an update asks of a device: operations, copies, and how often the host waits for it. The numbers
// follow from the number of layers, not from their sizes.
#include "tests/catch.h"
#include "tests/fake_device/update.h"
#include "transformer/runtime/device_choices.h"
#include "transformer/train/evaluation.h"

using namespace transformer;

TEST_CASE("an update at base's depth keeps to its budget") {
  const auto precision = GENERATE(torch::kBFloat16, torch::kHalf, torch::kFloat);
  const test::TemporaryFolder folder;
  const auto data = test::few_sentences(folder);
  const test::UpdateOnDevice update(test::base_depth(), data, precision);
  const auto one = update.counts(1), two = update.counts(2);
  INFO("an update of one micro-batch\n" << one.table() << "\none of two\n" << two.table());
  CHECK(one.launches <= 504);
  CHECK(two.launches - one.launches <= 664);  // its gradients are added to the first one's
  // A copy to the device for the update's numbers and one for each micro-batch, and nothing back. The host
  // waits once, for the losses, behind the update's last operation.
  CHECK(one.to_device == 2);
  CHECK(two.to_device == 3);
  for (const auto& counts : {one, two}) {
    CHECK(counts.to_host == 1);
    CHECK(counts.reads == 0);
    CHECK(counts.waits == 1);
  }
}

TEST_CASE(
    "long sentences go through FlashAttention in bf16, and short ones through an own kernel or another") {
  const auto precision = GENERATE(torch::kBFloat16, torch::kHalf, torch::kFloat);
  const bool is_long = GENERATE(false, true), own = GENERATE(true, false);
  const test::TemporaryFolder folder;
  const auto data = is_long ? test::few_sentences(folder, 250) : test::few_sentences(folder);
  runtime::device_choices().own_kernels = own;
  const auto counts = test::UpdateOnDevice(test::base_depth(), data, precision).counts(1);
  runtime::device_choices().own_kernels = true;
  INFO(counts.table());
  const bool flash = is_long && precision == torch::kBFloat16;  // fp16 is for cards older than that kernel
  const bool short_kernel = own && !is_long && precision != torch::kFloat;
  CHECK(counts.operations.contains(precision == torch::kHalf ? "short_attention_32_fp16"
                                                             : "short_attention_32_bf16") == short_kernel);
  CHECK(counts.operations.contains("aten::_flash_attention_forward") == flash);
  CHECK(counts.operations.contains("aten::_efficient_attention_forward") == !(flash || short_kernel));
}

TEST_CASE("an evaluation at base's depth waits once for all its batches") {
  const test::TemporaryFolder folder;
  const auto data = test::few_sentences(folder);
  models::EncoderDecoder model(test::base_depth(), test::kFewWords);
  runtime::move_to(*model, test::fake_device::device());
  tasks::NextTokens objective(model, data, {.micro_tokens = 30, .label_smoothing = 0.1});
  train::evaluate_loss(objective, torch::kBFloat16);  // makes the table of positions
  test::fake_device::reset();
  train::evaluate_loss(objective, torch::kBFloat16);
  const auto counts = test::fake_device::counts();
  INFO(counts.table());
  CHECK(counts.to_device == objective.evaluation().plan.size());
  CHECK(counts.to_device > 2);
  CHECK(counts.waits == 1);
}
