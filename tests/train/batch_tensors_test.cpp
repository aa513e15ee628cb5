#include "transformer/train/batch_tensors.h"

#include "tests/train/random_data.h"

namespace transformer::train {
namespace {

TEST_CASE("labels are the real target tokens, and positions say where they stand") {
  const data::Batch batch{{.rows = 2, .source_length = 2, .target_length = 3},
                          {5, kEnd, kEnd, kPad},
                          {kBegin, 7, 8, kBegin, kPad, kPad},
                          {7, 8, kEnd, kEnd, kPad, kPad},
                          {0, 1}};
  const auto tensors = to_device(batch, torch::kCPU);
  CHECK(torch::equal(tensors.source, torch::tensor({{5, 3}, {3, 1}}, torch::kLong)));
  CHECK(torch::equal(tensors.target_input, torch::tensor({{2, 7, 8}, {2, 1, 1}}, torch::kLong)));
  CHECK(torch::equal(tensors.labels, torch::tensor({7, 8, 3, 3}, torch::kLong)));
  CHECK(torch::equal(tensors.positions, torch::tensor({0, 1, 2, 3}, torch::kLong)));
}

TEST_CASE("a batch's loss is the sum of its sentences' losses: padding changes nothing") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 8);
  auto model = test::exact_model();
  const auto loss = [&](const std::vector<std::int64_t>& indices) {
    return batch_loss(model, to_device(data::make_batch(data, indices), torch::kCPU), 0.1);
  };
  const auto together = loss(test::numbers(0, 8));
  double smoothed = 0, nll = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    const auto one = loss({i});
    smoothed += one.smoothed.item<double>();
    nll += one.nll.item<double>();
  }
  CHECK(together.smoothed.item<double>() == Approx(smoothed).epsilon(1e-11));
  CHECK(together.nll.item<double>() == Approx(nll).epsilon(1e-11));
}

TEST_CASE("a batch's loss is that of the model's logits by the definition") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 5);
  auto model = test::exact_model();
  const auto batch = data::make_batch(data, test::numbers(0, 5));
  const auto tensors = to_device(batch, torch::kCPU);
  const auto logits = model->forward(tensors.source, tensors.target_input).flatten(0, 1);
  const auto real = torch::tensor(batch.target_output).ne(kPad).nonzero().squeeze(1);
  const auto expected = label_smoothed_loss(logits.index_select(0, real),
                                            torch::tensor(batch.target_output).index_select(0, real), 0.1);
  CHECK(batch_loss(model, tensors, 0.1).smoothed.item<double>() ==
        Approx(expected.smoothed.item<double>()).epsilon(1e-11));
}

}  // namespace
}  // namespace transformer::train
