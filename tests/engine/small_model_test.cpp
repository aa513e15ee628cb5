// The constants of the test without LibTorch are what the modules compute.
#include <iomanip>
#include <sstream>

#include "tests/catch.h"
#include "tests/engine/small_model.h"
#include "tests/engine/small_model_constants.h"
#include "transformer/translation/model_search.h"

using namespace transformer;

TEST_CASE("the modules find the hypotheses that the test without LibTorch expects") {
  models::EncoderDecoder model(test::kSmallModel, test::kSmallVocabulary);
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model->named_parameters())
    for (std::int64_t i = 0; i < parameter.value().numel(); ++i)
      parameter.value().view(-1)[i] = test::small_weight(parameter.key(), i);
  REQUIRE(test::kSmallFound.size() == test::kSmallSources.size());
  for (std::size_t i = 0; i < test::kSmallSources.size(); ++i) {
    const auto& ids = test::kSmallSources[i];
    const auto source = torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).unsqueeze(0);
    const auto found =
        translation::beam_search(model, source, {.beam = 4, .length_offset = 5, .nbest = 2})[0][0];
    for (std::size_t n = 0; n < 2; ++n) {
      std::ostringstream text;
      for (const auto id : found[n].ids) text << id << ", ";
      INFO(text.str() << std::setprecision(9) << found[n].log_probability);
      CHECK(found[n].ids == test::kSmallFound[i][n].ids);
      CHECK(found[n].log_probability == Approx(test::kSmallFound[i][n].log_probability).margin(1e-4));
    }
  }
}
