#include "transformer/train/replicas.h"

#include <functional>

#include "tests/distributed/members.h"
#include "tests/train/bigram_task.h"
#include "tests/train/training_parts.h"
#include "transformer/train/conditions.h"

namespace transformer::train {
namespace {

/// A task that says what else it must have alike.
class TaskWithTraits : public test::BigramTask {
 public:
  std::vector<std::pair<std::string, std::string>> traits() const override {
    return {{"tokenizer", tokenizer}};
  }
  std::string tokenizer = "a";
};

/// What a process is begun with.
struct Begun {
  TaskWithTraits task;
  config::Experiment experiment;
  Conditions conditions = current_conditions(task, torch::kFloat, 3);
};

/// The error of three processes that start alike, except for a change in the second.
std::string refusal(const std::function<void(Begun&)>& change) {
  std::vector<Begun> begun(3);
  change(begun[1]);
  try {
    test::run_members(3, [&](distributed::Group& group) {
      auto& own = begun[static_cast<std::size_t>(group.rank())];
      check_alike(group, own.task, own.experiment, own.conditions);
      return 0;
    });
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("processes that are begun alike go on, wherever each has its files") {
  CHECK(refusal([](Begun&) {}) == "nothing");
  CHECK(refusal([](Begun& begun) {
          begun.experiment.data.train = "elsewhere/train";
          begun.experiment.data.dev = "elsewhere/dev";
          begun.experiment.data.prepared = "elsewhere/prepared";
          begun.experiment.data.tokenizer = "elsewhere/tokenizer";
        }) == "nothing");
  CHECK(refusal([](Begun& begun) { ++begun.conditions.threads; }) == "nothing");
}

TEST_CASE("a process that is begun otherwise than rank 0 is refused, with what differs") {
  const auto message = [](const std::string& what, const std::string& expected, const std::string& found) {
    return what + ": expected what rank 0 has, " + expected + ", found " + found +
           ": all processes train the same";
  };
  CHECK(refusal([](Begun& begun) { begun.experiment.model.dropout = 0.25; }) ==
        message("model.dropout", "0.1", "0.25"));
  CHECK(refusal([](Begun& begun) { begun.experiment.train.steps = 7; }) ==
        message("train.steps", "100000", "7"));
  CHECK(refusal([](Begun& begun) { begun.experiment.seed = 2; }) == message("seed", "1", "2"));
  CHECK(refusal([](Begun& begun) { begun.conditions.precision = "bf16"; }) ==
        message("--precision", "\"fp32\"", "\"bf16\""));
  CHECK(refusal([](Begun& begun) { begun.conditions.device = "cuda"; }) ==
        message("--device", "\"cpu\"", "\"cuda\""));
  CHECK_THAT(refusal([](Begun& begun) { begun.conditions.train_data = "7"; }),
             ContainsSubstring("training data (checksum of train.bin): expected what rank 0 has, \"") &&
                 ContainsSubstring("\", found \"7\": all processes train the same"));
  CHECK_THAT(refusal([](Begun& begun) { begun.conditions.dev_data = "7"; }),
             ContainsSubstring("dev data (checksum of dev.bin): expected"));
  CHECK_THAT(refusal([](Begun& begun) { ++begun.conditions.batch_order; }),
             ContainsSubstring("order of batches: expected"));
  CHECK(refusal([](Begun& begun) { begun.task.tokenizer = "b"; }) == message("tokenizer", "\"a\"", "\"b\""));
}

TEST_CASE("all begin with rank 0's weights, moments and state") {
  if (!test::has_collectives()) return;
  const test::TemporaryFolder folder;
  const auto data = test::prepare_reverse_task(folder, 50, 5);
  std::vector<std::unique_ptr<test::Training>> trainings;
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    auto& training = *trainings.emplace_back(std::make_unique<test::Training>(data, rank + 1));
    for (std::int64_t step = 0; step <= rank; ++step) training.step();
    training.state.source_tokens = 10 * rank + 5;
    training.state.best = 0.1 * static_cast<double>(rank) + 0.1;
  }
  CHECK_FALSE(test::equal_weights(trainings[0]->model, trainings[1]->model));
  const auto expected = trainings[0]->state;
  std::vector<std::pair<std::string, torch::Tensor>> moments;
  for (const auto& [name, moment] : trainings[0]->adam.state()) moments.emplace_back(name, moment.clone());
  const bool said_by_first = GENERATE(true, false);
  const auto said = test::run_together(3, [&](distributed::Collectives& others) {
    const auto rank = others.group().rank();
    return static_cast<int>(share_start(others, trainings[static_cast<std::size_t>(rank)]->parts(),
                                        rank == 0 ? said_by_first : !said_by_first));
  });
  CHECK(said == std::vector<int>(3, said_by_first));
  for (const auto& training : trainings) {
    CHECK(test::equal_weights(training->model, trainings[0]->model));
    CHECK(training->state == expected);
    const auto own = training->adam.state();
    REQUIRE(own.size() == moments.size());
    for (std::size_t i = 0; i < own.size(); ++i) CHECK(torch::equal(own[i].second, moments[i].second));
  }
  // And they count the steps alike, which decides of the next one's size.
  for (auto& training : trainings) {
    for (auto& value : training->model->parameters()) value.mutable_grad() = torch::ones_like(value);
    training->adam.step(0.01);
    CHECK(test::equal_weights(training->model, trainings[0]->model));
  }
}

}  // namespace
}  // namespace transformer::train
