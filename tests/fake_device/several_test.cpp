// Processes whose tensors lie on a device: through the host's memory, and by NCCL, whose place a library of
// the tests takes. That one puts its work off until it is waited for, so that who forgets to wait finds other
// numbers.
#include <cstdlib>

#include "tests/catch.h"
#include "tests/distributed/members.h"
#include "tests/fake_device/fake_device.h"
#include "tests/train/random_data.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/distributed/nccl_exchange.h"
#include "transformer/distributed/staged_exchange.h"
#include "transformer/runtime/device.h"
#include "transformer/tasks/next_tokens.h"
#include "transformer/train/evaluation.h"
#include "transformer/train/optimizers/adam.h"
#include "transformer/train/update.h"

using namespace transformer;
using distributed::Collectives;

namespace {

enum class Way { host, nccl };

/// For the processes of this test, which all have the fake device.
void take(Way way) {
  ::setenv("TRANSFORMER_NCCL", FAKE_NCCL, 1);
  ::setenv("NCCL_MULTI_RANK_GPU_ENABLE", way == Way::nccl ? "1" : "0", 1);
}

const auto kDevice = test::fake_device::device();

/// What a member has on its device, on the CPU.
torch::Tensor here(const torch::Tensor& tensor) {
  return tensor.detach().cpu();
}

}  // namespace

TEST_CASE("each member gets the sum over all of what is on its device, in any type") {
  if (!test::has_collectives()) return;
  take(GENERATE(Way::host, Way::nccl));
  const std::int64_t size = GENERATE(1, 2, 3);
  const auto type = GENERATE(torch::kFloat, torch::kDouble, torch::kBFloat16, torch::kLong);
  const std::int64_t count = GENERATE(3, 100000);
  const auto numbers = (torch::arange(count) % 7 - 3).to(type);
  const auto sums = test::run_together(size, [&](Collectives& together) {
    const auto tensor = ((together.group().rank() + 1) * numbers).to(type).to(kDevice);
    together.sum(tensor);
    return here(tensor);
  });
  for (const auto& sum : sums) CHECK(torch::equal(sum, (size * (size + 1) / 2 * numbers).to(type)));
}

TEST_CASE("sums and copies of a device's tensors are under way at once, and are waited for in any order") {
  if (!test::has_collectives()) return;
  take(GENERATE(Way::host, Way::nccl));
  const auto all = test::run_together(3, [](Collectives& together) {
    const auto rank = static_cast<double>(together.group().rank());
    const auto memory = together.zeros(1000, torch::TensorOptions(kDevice));
    std::vector<torch::Tensor> tensors;
    std::vector<Collectives::Pending> pending;
    for (std::int64_t i = 0; i < 8; ++i) {
      auto tensor = i % 2 == 0 ? memory.narrow(0, 100 * i, 100) : torch::empty({1000 * i + 1}, kDevice);
      tensors.push_back(tensor.fill_(rank + static_cast<double>(i)));
      pending.push_back(i < 6 ? together.begin_sum(tensor) : together.begin_broadcast(tensor, i - 6));
    }
    for (auto one = pending.rbegin(); one != pending.rend(); ++one) one->wait();
    for (auto& tensor : tensors) tensor = here(tensor);
    return tensors;
  });
  for (const auto& tensors : all)
    for (std::size_t i = 0; i < 8; ++i) {
      const auto number = static_cast<double>(i);
      const double expected = i < 6 ? 3 + 3 * number : number + number - 6;
      CHECK(torch::equal(tensors[i], torch::full_like(tensors[i], expected)));
    }
}

TEST_CASE("what NCCL has not done yet is not there") {
  if (!test::has_collectives()) return;
  take(Way::nccl);
  const auto all = test::run_together(2, [](Collectives& together) {
    const auto tensor = torch::ones({5}, kDevice);
    auto pending = together.begin_sum(tensor);
    const auto before = here(tensor);
    pending.wait();
    return std::vector<torch::Tensor>{before, here(tensor)};
  });
  for (const auto& member : all) {
    CHECK(torch::equal(member[0], torch::ones({5})));
    CHECK(torch::equal(member[1], torch::full({5}, 2.0)));
  }
}

TEST_CASE("a tensor of a device goes from one process to another") {
  if (!test::has_collectives()) return;
  const auto got = test::run_together(2, [](Collectives& together) {
    const bool first = together.group().leads();
    const auto tensor = (first ? torch::zeros({3}) : torch::arange(3.0)).to(kDevice);
    if (first)
      together.receive(tensor, 1);
    else
      together.send(tensor, 0);
    return here(tensor);
  });
  CHECK(torch::equal(got[0], torch::arange(3.0)));
}

TEST_CASE("who lives but does not come makes an exchange by NCCL fail after its time") {
  if (!test::has_collectives()) return;
  take(Way::nccl);
  const test::MeetingPlace place;
  std::vector<std::string> causes(2);
  test::run_ranks(2, [&](std::int64_t rank) {
    distributed::Group group(place.placement(rank, 2), test::watchful());
    try {
      Collectives together(group, std::chrono::seconds(1));
      together.sum(torch::ones({2}, kDevice));
      if (rank == 0) together.begin_sum(torch::ones({2}, kDevice));
      while (true) {
        group.check();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    } catch (const distributed::RunEnded& error) {
      causes[static_cast<std::size_t>(rank)] = error.fault.cause;
    }
  });
  CHECK(causes[0] == "rank 0: waited for the numbers of another process for longer than distributed.timeout");
  CHECK(causes[1] == causes[0]);
}

namespace {

struct Member {
  std::vector<train::UpdateResult> results = {};
  std::vector<torch::Tensor> weights = {}, moments = {};
  train::DataLoss dev = {};
};

models::EncoderDecoder model_without_dropout() {
  auto options = test::tiny_model();
  options.dropout = 0;
  torch::manual_seed(1);
  return models::EncoderDecoder(options, models::VocabularySizes{test::kVocabulary, test::kVocabulary});
}

/// Some of several micro-batches, one of fewer examples than there are processes.
std::vector<data::BatchPlan::Update> some_updates() {
  return {{test::numbers(0, 7), test::numbers(7, 9), test::numbers(9, 16), {16}, test::numbers(17, 20)},
          {{3}},
          {test::numbers(20, 30)}};
}

Member make_updates(const models::EncoderDecoder& model, const data::Dataset& data,
                    distributed::Collectives* others, bool sharded) {
  train::Adam adam(checkpoints::named_parameters(model), train::TrainOptions{});
  tasks::NextTokens objective(model, data, {.label_smoothing = 0.1});
  std::unique_ptr<train::ShardedMoments> shards;
  if (sharded) shards = std::make_unique<train::ShardedMoments>(*others, adam);
  train::Updater updater(objective, adam, {.clip = 0.1, .seed = 3, .others = others, .shards = shards.get()});
  Member member;
  const auto updates = some_updates();
  for (std::size_t i = 0; i < updates.size(); ++i)
    member.results.push_back(updater.run(objective.examples(), updates[i], 0.003,
                                         static_cast<std::int64_t>(i) + 1,
                                         i + 1 < updates.size() ? &updates[i + 1] : nullptr));
  for (const auto& value : model->parameters()) member.weights.push_back(here(value).clone());
  const auto moments = shards ? shards->gather() : adam.state();
  if (!others || others->group().leads())
    for (const auto& [name, moment] : moments) member.moments.push_back(here(moment).clone());
  tasks::NextTokens dev(model, data, {});
  member.dev = train::evaluate_loss(dev, torch::kFloat, nullptr, others);
  return member;
}

std::vector<Member> together(std::int64_t size, const data::Dataset& data, bool sharded) {
  std::vector<models::EncoderDecoder> models;
  for (std::int64_t rank = 0; rank < size; ++rank) {
    models.push_back(model_without_dropout());
    runtime::move_to(*models.back(), kDevice);
  }
  return test::run_together(size, [&](Collectives& others) {
    return make_updates(models[static_cast<std::size_t>(others.group().rank())], data, &others, sharded);
  });
}

bool same(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b, double tolerance) {
  bool all = a.size() == b.size();
  for (std::size_t i = 0; all && i < a.size(); ++i) all = torch::allclose(a[i], b[i], 0, tolerance);
  return all;
}

}  // namespace

TEST_CASE("processes with a device each follow the trajectory of one, also with divided moments") {
  if (!test::has_collectives()) return;
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 40);
  auto model = model_without_dropout();
  runtime::move_to(*model, kDevice);
  const auto alone = make_updates(model, data, nullptr, false);
  const auto way = GENERATE(Way::host, Way::nccl);
  const bool sharded = GENERATE(false, true);
  take(way);
  for (const std::int64_t size : {2, 3}) {
    CAPTURE(size, sharded);
    const auto all = together(size, data, sharded);
    for (const auto& member : all) {
      CHECK(same(member.weights, all[0].weights, 0));
      CHECK(same(member.weights, alone.weights, 1e-5));
      CHECK(member.dev.nll == Approx(alone.dev.nll).epsilon(1e-6));
      for (std::size_t i = 0; i < alone.results.size(); ++i) {
        CHECK(member.results[i].loss == Approx(alone.results[i].loss).epsilon(1e-6));
        CHECK(member.results[i].gradient_norm == Approx(alone.results[i].gradient_norm).epsilon(1e-4));
        CHECK_FALSE(member.results[i].interrupted);
      }
    }
    CHECK(same(all[0].moments, alone.moments, 1e-5));
  }
}
