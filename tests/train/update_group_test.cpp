// Updates that several processes make together.
#include <algorithm>
#include <cmath>

#include "tests/distributed/members.h"
#include "tests/train/random_data.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/tasks/next_tokens.h"
#include "transformer/train/optimizers/adam.h"
#include "transformer/train/update.h"

namespace transformer::train {
namespace {

using Updates = std::vector<data::BatchPlan::Update>;

models::EncoderDecoder model_with_dropout() {
  auto options = test::tiny_model();
  options.dropout = options.attention_dropout = options.activation_dropout = 0.2;
  torch::manual_seed(1);
  return models::EncoderDecoder(options, models::VocabularySizes{test::kVocabulary, test::kVocabulary});
}

/// What one member has after some updates.
struct Member {
  std::vector<UpdateResult> results = {};
  std::vector<torch::Tensor> weights = {};
  std::vector<torch::Tensor> moments = {};
};

struct Variation {
  distributed::Wire wire = distributed::Wire::fp32;
  bool sharded = false;
  double clip = 0;
  double r_drop = 0;
};

Member make_updates(const models::EncoderDecoder& model, const data::Dataset& data, const Updates& updates,
                    const Variation& variation, distributed::Collectives* others) {
  Adam adam(checkpoints::named_parameters(model), TrainOptions{});
  tasks::NextTokens objective(model, data, {.label_smoothing = 0.1, .r_drop = variation.r_drop});
  std::unique_ptr<ShardedMoments> shards;
  if (variation.sharded) shards = std::make_unique<ShardedMoments>(*others, adam);
  Updater updater(
      objective, adam,
      {.clip = variation.clip, .seed = 3, .others = others, .wire = variation.wire, .shards = shards.get()});
  Member member;
  for (std::size_t i = 0; i < updates.size(); ++i)
    member.results.push_back(updater.run(objective.examples(), updates[i], 0.003,
                                         static_cast<std::int64_t>(i) + 1,
                                         i + 1 < updates.size() ? &updates[i + 1] : nullptr));
  for (const auto& value : model->parameters()) member.weights.push_back(value.detach().clone());
  for (const auto& [name, moment] : adam.state())
    if (moment.defined()) member.moments.push_back(moment.clone());
  return member;
}

/// Of so many members. Their models are made before, one after another: the generator is the process's.
template <typename Make>
std::vector<Member> together(std::int64_t members, const Make& make, const data::Dataset& data,
                             const Updates& updates, const Variation& variation = {}) {
  std::vector<models::EncoderDecoder> models;
  for (std::int64_t rank = 0; rank < members; ++rank) models.push_back(make());
  return test::run_together(members, [&](distributed::Collectives& others) {
    return make_updates(models[static_cast<std::size_t>(others.group().rank())], data, updates, variation,
                        &others);
  });
}

void check_same_in_all(const std::vector<Member>& members) {
  for (const auto& member : members) {
    for (std::size_t i = 0; i < member.weights.size(); ++i)
      CHECK(torch::equal(member.weights[i], members[0].weights[i]));
    for (std::size_t i = 0; i < member.results.size(); ++i) {
      const auto &own = member.results[i], &first = members[0].results[i];
      CHECK(own.loss == first.loss);
      CHECK(own.gradient_norm == first.gradient_norm);
      CHECK(own.suspects == first.suspects);
    }
  }
}

/// The length of the way from one set of weights to another.
double distance(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    square += (a[i] - b[i]).to(torch::kDouble).square().sum().item<double>();
  return std::sqrt(square);
}

std::vector<torch::Tensor> weights_of(const models::EncoderDecoder& model) {
  std::vector<torch::Tensor> weights;
  for (const auto& value : model->parameters()) weights.push_back(value.detach().clone());
  return weights;
}

/// Some of many micro-batches, some of fewer examples than there are processes.
Updates some_updates() {
  return {{test::numbers(0, 7), test::numbers(7, 9), test::numbers(9, 16), {16}, test::numbers(17, 20)},
          {{3}},
          {{1, 2}},
          {test::numbers(20, 30)},
          {{30, 4}, {31, 5}, {32, 6}}};
}

void check_same_numbers(const Member& found, const Member& alone, double epsilon) {
  REQUIRE(found.results.size() == alone.results.size());
  for (std::size_t i = 0; i < alone.results.size(); ++i) {
    const auto &own = found.results[i], &expected = alone.results[i];
    CHECK(own.loss == Approx(expected.loss).epsilon(epsilon));
    CHECK(own.nll == Approx(expected.nll).epsilon(epsilon));
    CHECK(own.gradient_norm == Approx(expected.gradient_norm).epsilon(10 * epsilon));
    CHECK(own.source_tokens == expected.source_tokens);
    CHECK(own.target_tokens == expected.target_tokens);
    CHECK(own.flops == Approx(expected.flops).epsilon(1e-12));
    CHECK(own.stepped());
  }
}

TEST_CASE("several processes follow the trajectory of one, to 1e-10 in double precision") {
  if (!test::has_collectives()) return;
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 40);
  const Variation variation{.clip = GENERATE(0.0, 0.1)};
  const auto alone = make_updates(test::exact_model(), data, some_updates(), variation, nullptr);
  for (const std::int64_t members : {1, 2, 3}) {
    CAPTURE(members);
    const auto all = together(members, test::exact_model, data, some_updates(), variation);
    check_same_in_all(all);
    check_same_numbers(all[0], alone, 1e-10);
  }
}

TEST_CASE("several processes follow the trajectory of one with dropout, whose masks are the same") {
  if (!test::has_collectives()) return;
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 40);
  const auto start = weights_of(model_with_dropout());
  const Variation variation{.r_drop = GENERATE(0.0, 5.0)};
  const auto alone = make_updates(model_with_dropout(), data, some_updates(), variation, nullptr);
  const auto way = distance(alone.weights, start);
  for (const std::int64_t members : {2, 3}) {
    CAPTURE(members);
    const auto all = together(members, model_with_dropout, data, some_updates(), variation);
    check_same_in_all(all);
    check_same_numbers(all[0], alone, 1e-5);
    CHECK(distance(all[0].weights, alone.weights) < 1e-3 * way);
  }
}

TEST_CASE("with gradients in bf16 between them, processes stay alike, near the trajectory of one") {
  if (!test::has_collectives()) return;
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 40);
  const auto start = weights_of(model_with_dropout());
  const auto alone = make_updates(model_with_dropout(), data, some_updates(), {}, nullptr);
  const auto all = together(2, model_with_dropout, data, some_updates(), {.wire = distributed::Wire::bf16});
  check_same_in_all(all);
  const auto share = distance(all[0].weights, alone.weights) / distance(alone.weights, start);
  CHECK(share > 1e-4);
  CHECK(share < 0.1);
}

TEST_CASE("processes that divide the moments among them make the same steps, bit by bit") {
  if (!test::has_collectives()) return;
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 40);
  const Variation whole{.clip = 0.1}, divided{.sharded = true, .clip = 0.1};
  for (const std::int64_t members : {1, 2, 3}) {
    const auto expected = together(members, model_with_dropout, data, some_updates(), whole);
    const auto found = together(members, model_with_dropout, data, some_updates(), divided);
    check_same_in_all(found);
    for (std::size_t i = 0; i < found[0].weights.size(); ++i)
      CHECK(torch::equal(found[0].weights[i], expected[0].weights[i]));
    std::int64_t all_numbers = 0, most = 0;
    for (const auto& moment : expected[0].moments) all_numbers += moment.numel();
    for (const auto& member : found) {
      std::int64_t own = 0;
      for (const auto& moment : member.moments) own += moment.numel();
      most = std::max(most, own);
    }
    CHECK(most < 1.1 * static_cast<double>(all_numbers) / static_cast<double>(members));
  }
}

TEST_CASE("an update with NaN in one process's part changes nothing in any, and all name its sentences") {
  if (!test::has_collectives()) return;
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 12);
  const std::int32_t poison = data.source(3)[0];
  std::vector<std::int64_t> poisoned;
  for (std::int64_t i = 0; i < data.size(); ++i)
    if (std::ranges::count(data.source(i), poison) > 0) poisoned.push_back(i);
  REQUIRE(poisoned.size() < 12);
  const auto make = [&] {
    auto options = test::tiny_model();
    options.tie = nn::Tie::none;  // so that only sentences with this very source token are touched
    options.dropout = 0;
    torch::manual_seed(1);
    models::EncoderDecoder model(options, models::VocabularySizes{test::kVocabulary, test::kVocabulary});
    const torch::NoGradGuard no_gradients;
    model->named_parameters()["source_embedding.weight"][poison].fill_(NAN);
    return model;
  };
  Updates singles(1);
  for (std::int64_t i = 0; i < 12; ++i) singles[0].push_back({i});
  const auto before = weights_of(make());
  for (const auto& member : together(3, make, data, singles)) {
    CHECK(member.results[0].skipped());
    auto suspects = member.results[0].suspects;
    std::ranges::sort(suspects);
    // A sentence of the micro-batch that was cut may stand in one piece with a poisoned one.
    CHECK(suspects == poisoned);
    for (std::size_t i = 0; i < before.size(); ++i)
      CHECK(torch::allclose(member.weights[i], before[i], 0, 0, /*equal_nan=*/true));
    for (const auto& moment : member.moments) CHECK(moment.eq(0).all().item<bool>());
  }
}

TEST_CASE("an interruption of one process shows in all, after an update that is whole") {
  if (!test::has_collectives()) return;
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 40);
  const auto updates = some_updates();
  const auto alone = make_updates(test::exact_model(), data, {updates[0]}, {}, nullptr);
  std::vector<models::EncoderDecoder> models{test::exact_model(), test::exact_model()};
  const auto results = test::run_together(2, [&](distributed::Collectives& others) {
    const auto& model = models[static_cast<std::size_t>(others.group().rank())];
    const std::atomic<bool> interrupted = others.group().rank() == 1;
    Adam adam(checkpoints::named_parameters(model), TrainOptions{});
    tasks::NextTokens objective(model, data, {.label_smoothing = 0.1});
    Updater updater(objective, adam, {.interrupted = &interrupted, .others = &others});
    return updater.run(objective.examples(), updates[0], 0.003, 1);
  });
  for (const auto& result : results) {
    CHECK(result.interrupted);
    CHECK(result.stepped());
    CHECK(result.loss == Approx(alone.results[0].loss).epsilon(1e-10));
  }
  CHECK_FALSE(alone.results[0].interrupted);
}

}  // namespace
}  // namespace transformer::train
