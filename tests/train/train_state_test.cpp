#include "transformer/train/train_state.h"

#include <cmath>

#include "tests/catch.h"
#include "transformer/base/error.h"

namespace transformer::train {
namespace {

TEST_CASE("an evaluation is the best where none was better, and patience ends") {
  TrainState state{.step = 10};
  CHECK_FALSE(state.judge(std::nan(""), 3));
  CHECK(state.judge(-2.0, 3));
  state.step = 20;
  CHECK_FALSE(state.judge(-2.0, 3));
  CHECK_FALSE(state.judge(-2.5, 3));
  CHECK_FALSE(state.finished);
  CHECK(state.best_step == 10);
  CHECK(state.judge(-1.0, 3));
  CHECK(state.best == -1.0);
  CHECK(state.best_step == 20);
  for (int i = 0; i < 2; ++i) CHECK_FALSE(state.judge(-3.0, 3));
  CHECK_FALSE(state.finished);
  CHECK_FALSE(state.judge(-3.0, 3));
  CHECK(state.finished);

  TrainState endless;
  for (int i = 0; i < 100; ++i) endless.judge(-static_cast<double>(i), 0);
  CHECK_FALSE(endless.finished);
}

TEST_CASE("a state reads back as it was written") {
  TrainState state{.step = 12345678901,
                   .epoch = 3,
                   .epoch_update = 17,
                   .skipped = 4,
                   .skipped_in_row = 2,
                   .evaluated = 12345678900,
                   .source_tokens = 1,
                   .target_tokens = 2,
                   .flops = 0.1 + 0.2,  // no short decimal
                   .best = std::nullopt,
                   .best_step = 5,
                   .unimproved = 2,
                   .open_loss = 1.0 / 3.0,
                   .open_nll = 1e-300,
                   .open_tokens = 99,
                   .finished = true,
                   .interim = true,
                   .conditions = {"bf16", "cuda", 8, 4, "0123456789abcdef", "fedcba9876543210", 3}};
  CHECK(train_state_from_json(to_json(state), "test") == state);
  state.best = -1.0 / 7.0;
  CHECK(train_state_from_json(to_json(state), "test") == state);
  CHECK(train_state_from_json(to_json(TrainState{}), "test") == TrainState{});
}

TEST_CASE("a training in fp16 has a loss scale, and no other has") {
  TrainState state{.step = 20, .skipped = 4};
  CHECK(to_json(state).find("loss_scale") == std::string::npos);
  CHECK(state.steps_made() == 16);
  state.loss_scale = {.value = 1024, .good_updates = 3, .overflows = 6};
  CHECK(train_state_from_json(to_json(state), "test") == state);
  CHECK(state.steps_made() == 10);
  for (const double wrong : {0.5, 0.0, -2.0, 1e300}) {
    state.loss_scale->value = wrong;
    CHECK_THROWS_WITH(train_state_from_json(to_json(state), "dir/trainer.json"),
                      ContainsSubstring("dir/trainer.json") && ContainsSubstring("loss_scale: expected"));
  }
  state.loss_scale = {.good_updates = -1};
  CHECK_THROWS_AS(train_state_from_json(to_json(state), "test"), InputError);
  auto text = to_json(TrainState{.loss_scale = LossScale{}});
  text.replace(text.find("\"value\""), 7, "\"volume\"");
  CHECK_THROWS_AS(train_state_from_json(text, "test"), InputError);
}

TEST_CASE("a state from before batches had an order's number has the first order") {
  auto old = to_json(TrainState{});
  const std::string last = ",\n  \"batch_order\": 1";
  REQUIRE(old.find(last) != std::string::npos);
  old.erase(old.find(last), last.size());
  CHECK(train_state_from_json(old, "test").conditions.batch_order == 1);
}

TEST_CASE("anything else is refused by its file's name") {
  const auto read = [](const std::string& text) { return train_state_from_json(text, "dir/trainer.json"); };
  auto missing = to_json(TrainState{}), negative = to_json(TrainState{.step = -1}),
       negative_tokens = to_json(TrainState{.open_tokens = -1}), text = to_json(TrainState{}), part = text,
       large = text, larger = text;
  missing.replace(missing.find("\"epoch\""), 7, "\"epoca\"");
  text.replace(text.find("\"step\": 0"), 9, "\"step\": \"\"");
  part.replace(part.find("\"step\": 0"), 9, "\"step\": 0.5");
  large.replace(large.find("\"step\": 0"), 9, "\"step\": 1e300");
  larger.replace(larger.find("\"step\": 0"), 9, "\"step\": 18446744073709551615");
  for (const auto& wrong : {std::string(), std::string("[1]"), std::string("{"), missing, negative,
                            negative_tokens, text, part, large, larger}) {
    CHECK_THROWS_AS(read(wrong), InputError);
    CHECK_THROWS_WITH(read(wrong), ContainsSubstring("dir/trainer.json"));
  }
}

}  // namespace
}  // namespace transformer::train
