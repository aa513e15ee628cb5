#include "transformer/translation/module_steps.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/translation/toy_model.h"

using namespace transformer;

TEST_CASE("steps by the modules follow hypotheses that branch, change places and end") {
  auto model = test::toy_model(1, 20);
  const torch::NoGradGuard no_grad;
  const auto sources = test::random_sources(2, {4, 0, 7}, 20);
  translation::ModuleSteps steps(model, sources);
  search::Continuations best;
  steps({{kBos, kBos, kBos}, {0, 1, 2}, {0, 1, 2}, {-1, -1, -1}}, 3, best);
  steps({{10, 11, 12, 13}, {0, 0, 1, 2}, {0, 0, 1, 2}, {-1, -1, -1, -1}}, 3, best);
  steps({{14, 15, 16}, {1, 0, 3}, {0, 0, 2}, {-1, -1, kEos}}, 3, best);  // sentence 1 is done
  REQUIRE(best.width == 3);
  const std::vector<test::Ids> targets{{11, 14}, {10, 15}, {13, 16}};
  const std::vector<std::int64_t> sentences{0, 0, 2};
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const auto expected = test::continuations(model, test::alone(sources, sentences[row]), targets[row]);
    if (row == 2) {  // it must end
      CHECK(best.tokens[6] == kEos);
      CHECK(best.log_probabilities[6] == Approx(expected[kEos].item<double>()).margin(1e-4));
      continue;
    }
    const auto [values, tokens] = expected.topk(3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(best.tokens[row * 3 + i] == tokens[static_cast<std::int64_t>(i)].item<std::int64_t>());
      CHECK(best.log_probabilities[row * 3 + i] ==
            Approx(values[static_cast<std::int64_t>(i)].item<double>()).margin(1e-4));
    }
  }
}
