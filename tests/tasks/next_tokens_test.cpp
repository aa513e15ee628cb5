#include "transformer/tasks/next_tokens.h"
#include "transformer/models/padded_ids.h"

#include "tests/train/random_data.h"
#include "transformer/data/prepared.h"
#include "transformer/models/size.h"
#include "transformer/ops/label_smoothing.h"

namespace transformer::tasks {
namespace {

TEST_CASE("a batch on the device is what it was on the host, with the places of its tokens") {
  const data::Batch batch{{.rows = 3, .source_length = 2, .target_length = 3},
                          {5, kEos, kEos, 6, kEos},
                          {kBos, 7, 8, kBos, kBos, 9},
                          {7, 8, kEos, kEos, 9, kEos},
                          {0, 2, 3, 5},
                          {0, 3, 4, 6},
                          {0, 1, 2}};
  const auto tensors = to_device(batch, torch::kCPU);
  const auto check = [](const models::Packed& found, const std::vector<std::int64_t>& ids,
                        const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& places) {
    CHECK(torch::equal(found.rows, torch::tensor(ids)));
    CHECK(torch::equal(found.sequences.offsets, torch::tensor(offsets)));
    CHECK(torch::equal(found.sequences.device_offsets, torch::tensor(offsets).to(torch::kInt)));
    CHECK(torch::equal(found.sequences.places, torch::tensor(places)));
  };
  check(tensors.source, batch.source, batch.source_offsets, {0, 1, 0, 0, 1});
  check(tensors.target_input, batch.target_input, batch.target_offsets, {0, 1, 2, 0, 0, 1});
  CHECK(torch::equal(tensors.labels, torch::tensor(batch.target_output)));
  CHECK(tensors.source.sequences.longest == 2);
  CHECK(tensors.target_input.sequences.longest == 3);
}

TEST_CASE("a batch's loss is the sum of its sentences' losses: padding changes nothing") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 8);
  NextTokens objective(test::exact_model(), data, {.label_smoothing = 0.1});
  const auto loss = [&](const std::vector<std::int64_t>& indices) {
    const auto batch = objective.examples().make_batch(indices);
    return objective.loss({objective.outputs(batch)}, batch);
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

TEST_CASE("a batch's loss is that of the logits of padded sentences, by the definition") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 5);
  auto model = test::exact_model();
  const auto batch = data::make_batch(data, test::numbers(0, 5));
  const auto tensors = to_device(batch, torch::kCPU);
  const auto logits =
      model->forward(models::padded_ids(tensors.source), models::padded_ids(tensors.target_input));
  const auto expected = ops::label_smoothed_loss(ops::pack(logits, tensors.target_input.sequences),
                                                 torch::tensor(batch.target_output), 0.1);
  NextTokens objective(model, data, {.label_smoothing = 0.1});
  const auto own = objective.examples().make_batch(test::numbers(0, 5));
  CHECK(objective.loss({objective.outputs(own)}, own).smoothed.item<double>() ==
        Approx(expected.smoothed.item<double>()).epsilon(1e-11));
}

TEST_CASE("sizes and FLOPs are those of the real tokens, however they are cut") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 9);
  const auto model = test::exact_model();
  const NextTokens objective(model, data, {});
  models::TokenCounts counts;
  for (std::int64_t i = 0; i < data.size(); ++i)
    counts.add_pair(std::ssize(data.source(i)) + 1, std::ssize(data.target(i)) + 1);
  const double expected = models::training_flops(model->options(), model->vocabulary(), counts);
  CHECK(objective.examples().flops({test::numbers(0, 9)}) == expected);
  CHECK(objective.examples().flops({test::numbers(4, 9), test::numbers(0, 4)}) == expected);
  const auto size = objective.examples().size_of(test::numbers(0, 9));
  CHECK(size.rows == 9);
  CHECK(size.target_tokens == data.target_tokens() + 9);
  CHECK(objective.size() == 9);
  CHECK(objective.data_checksum() == data.checksum());
}

TEST_CASE("an epoch's updates are those of the data's plan, within the options' limits") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 60);
  NextTokens objective(test::exact_model(), data,
                       {.source_tokens = 90, .target_tokens = 80, .bucket_tokens = 30, .micro_tokens = 30});
  for (const std::int64_t number : {0, 1}) {
    const data::BatchPlan expected(data::lengths_of(data), {90, 80, 30}, 7, number);
    const auto [plan, examples] = objective.epoch(7, number);
    CHECK(examples->size_of({0, 1}).rows == 2);
    REQUIRE(plan.size() == expected.size());
    REQUIRE(plan.size() > 2);
    for (std::int64_t i = 0; i < plan.size(); ++i) CHECK(plan.update(i) == expected.update(i));
    CHECK(plan.padding_share() == expected.padding_share());
  }
  const auto [plan, examples] = objective.evaluation();
  CHECK(plan.micro_batches() == data::BatchPlan::sequential(data::lengths_of(data), 30).micro_batches());
  CHECK(examples->size_of({2}).rows == 1);
}

TEST_CASE(
    "with BPE-dropout each epoch has pairs of its own, counted as they are then; evaluations have not") {
  const test::TemporaryFolder folder;
  const auto options = test::prepare_reverse_task(folder, 60, 10);
  const data::Prepared prepared(options);
  const auto dropout = std::make_shared<data::PairDropout>(data::PairDropout{
      data::BpeDropout(prepared.source_tokenizer, 0.3), data::BpeDropout(prepared.target_tokenizer, 0.3)});
  const models::EncoderDecoder model(test::tiny_model(), models::VocabularySizes{25, 25});
  const NextTokens objective(
      model, prepared.train,
      {.source_tokens = 90, .target_tokens = 80, .bucket_tokens = 30, .micro_tokens = 30},
      {.dropout = dropout});
  std::vector<std::int64_t> tokens;
  for (const std::int64_t number : {0, 1, 0}) {
    const auto [plan, examples] = objective.epoch(7, number);
    std::vector<std::int64_t> seen;
    std::int64_t all = 0;
    models::TokenCounts counts;
    double flops = 0;
    for (std::int64_t i = 0; i < plan.size(); ++i) {
      flops += examples->flops(plan.update(i));
      for (const auto& micro_batch : plan.update(i)) {
        seen.insert(seen.end(), micro_batch.begin(), micro_batch.end());
        const auto size = examples->size_of(micro_batch);
        if (size.rows > 1) CHECK(size.rows * std::max(size.source_length, size.target_length) <= 30);
        const auto batch = std::any_cast<BatchTensors>(examples->make_batch(micro_batch));
        CHECK(batch.source.rows.size(0) == size.source_tokens);
        CHECK(batch.labels.size(0) == size.target_tokens);
        all += size.source_tokens;
        for (std::int64_t row = 0; row < size.rows; ++row) {
          const auto length = [row](const models::Packed& packed) {
            return packed.sequences.offsets[row + 1].item<std::int64_t>() -
                   packed.sequences.offsets[row].item<std::int64_t>();
          };
          counts.add_pair(length(batch.source), length(batch.target_input));
        }
      }
    }
    std::ranges::sort(seen);
    CHECK(seen == test::numbers(0, 60));
    CHECK(all > prepared.train.source_tokens() + 60 + 20);
    CHECK(flops == Approx(models::training_flops(model->options(), model->vocabulary(), counts)));
    tokens.push_back(all);
  }
  CHECK(tokens[0] != tokens[1]);
  CHECK(tokens[0] == tokens[2]);
  const auto [plan, examples] = objective.evaluation();
  CHECK(examples->size_of(test::numbers(0, 60)).source_tokens == prepared.train.source_tokens() + 60);
}

}  // namespace
}  // namespace transformer::tasks
