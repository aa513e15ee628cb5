// The trainer's state of a checkpoint.
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"
#include "transformer/train/train_state.h"

namespace transformer::fuzz {

using train::TrainState;

std::vector<std::string> seeds() {
  return {to_json(TrainState{}), to_json(TrainState{.step = 12345678901,
                                                    .epoch = 3,
                                                    .epoch_update = 17,
                                                    .source_tokens = INT64_MAX,
                                                    .target_tokens = 2,
                                                    .flops = 1e20,
                                                    .best = -1.0 / 7.0,
                                                    .best_step = 5,
                                                    .unimproved = 2,
                                                    .open_loss = 1e-300,
                                                    .open_nll = 0.1 + 0.2,
                                                    .open_tokens = 99,
                                                    .finished = true})};
}

std::vector<std::string> words() {
  return {"null",     "true",      "[[[[",      "1.5",       "1e300",     "1e999",    "-1",
          "-0.0",     "\"step\":", "\"best\":", "\"flops\"", "{}",        "\"\\n\"",  "\"\\ud800\"",
          "-1e-9999", "2.5e9",     "1E2",       "NaN",       "\"epoch\"", "Infinity", "18446744073709551615"};
}

}  // namespace transformer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace transformer::fuzz;
  const auto read = [](const std::string& text) {
    return accepted([&] { return transformer::train::train_state_from_json(text, "trainer.json"); });
  };
  if (const auto state = read(std::string(text_of(data, size)))) {
    for (const auto count : {state->step, state->epoch, state->epoch_update, state->source_tokens,
                             state->target_tokens, state->best_step, state->unimproved, state->open_tokens}) {
      require(count >= 0, "counts are from 0 up");
    }
    require(read(to_json(*state)) == state, "a state reads back as it was written");
  }
  return 0;
}
