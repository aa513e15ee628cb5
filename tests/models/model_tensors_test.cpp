// What tensors.h says of a model is what the model has.
#include <torch/autograd.h>

#include <algorithm>

#include "tests/catch.h"
#include "tests/models/tiny.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/models/tensors.h"

using namespace transformer;
using models::ModelOptions;

TEST_CASE("a model registers the tensors in the order told, and completes their gradients step by step") {
  using Change = void (*)(ModelOptions&);
  const std::pair<const char*, Change> changes[] = {
      {"tied", [](ModelOptions&) {}},
      {"the output tied", [](ModelOptions& o) { o.tie = nn::Tie::target; }},
      {"untied", [](ModelOptions& o) { o.tie = nn::Tie::none; }},
      {"an output bias", [](ModelOptions& o) { o.output_bias = true; }},
      {"no attention biases, head sizes",
       [](ModelOptions& o) { o.attention_bias = false, o.d_k = 3, o.d_v = 5; }},
      {"learned positions, unequal depths",
       [](ModelOptions& o) {
         o.positions = nn::Positions::learned, o.encoder_layers = 1, o.decoder_layers = 3;
       }},
  };
  for (const auto& [name, change] : changes) {
    INFO(name);
    auto options = test::tiny();
    change(options);
    const models::VocabularySizes words{11, options.tie == nn::Tie::all ? 11 : 13};
    const auto told = models::tensors_of(options, words);
    models::EncoderDecoder model(options, words);
    const auto parameters = model->parameters();
    REQUIRE(told.size() == parameters.size());
    std::vector<std::int64_t> completed;
    for (std::size_t i = 0; i < told.size(); ++i) {
      CHECK(told[i].numbers() == parameters[i].numel());
      parameters[i].register_hook(
          [&, step = told[i].step](const torch::Tensor&) { completed.push_back(step); });
    }
    model->forward(torch::tensor({{4, 5, 3}}), torch::tensor({{2, 10, 4}})).sum().backward();
    REQUIRE(completed.size() == told.size());
    CHECK(std::is_sorted(completed.rbegin(), completed.rend()));
  }
}
