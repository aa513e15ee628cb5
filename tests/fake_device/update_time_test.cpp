// The operations that are predicted for an update against those that it runs, counted on the fake device.
#include "transformer/models/update_time.h"

#include "tests/catch.h"
#include "tests/fake_device/update.h"
#include "transformer/models/size.h"

using namespace transformer;

TEST_CASE("an update launches as many operations as are predicted") {
  using Change = void (*)(models::ModelOptions&);
  const std::pair<const char*, Change> changes[] = {
      {"base's depth", [](models::ModelOptions&) {}},
      {"one layer", [](models::ModelOptions& o) { o.encoder_layers = o.decoder_layers = 1; }},
      {"no dropout", [](models::ModelOptions& o) { o.dropout = 0; }},
      {"attention biases", [](models::ModelOptions& o) { o.attention_bias = true; }},
      {"untied", [](models::ModelOptions& o) { o.tie = nn::Tie::none; }},
      {"the output tied", [](models::ModelOptions& o) { o.tie = nn::Tie::target; }},
      {"learned positions", [](models::ModelOptions& o) { o.positions = nn::Positions::learned; }},
  };
  const test::TemporaryFolder folder;
  const auto data = test::few_sentences(folder);
  for (const auto& [name, change] : changes) {
    auto options = test::base_depth();
    change(options);
    for (const auto precision : {torch::kFloat, torch::kBFloat16, torch::kHalf}) {
      const test::UpdateOnDevice update(options, data, precision);
      for (const std::int64_t micro_batches : {1, 2}) {
        INFO(name << ", " << micro_batches << " micro-batches in " << precision);
        const auto counts = update.counts(micro_batches);
        const auto predicted = models::predict_update(options, test::kFewWords,
                                                      {.micro_batches = static_cast<double>(micro_batches),
                                                       .element = precision == torch::kFloat ? 4.0 : 2.0},
                                                      {1, 1, 1});
        INFO(counts.table());
        CHECK(predicted.launches == static_cast<double>(counts.launches));
      }
    }
  }
}

TEST_CASE("the operations predicted have the model's FLOPs, and their times add up") {
  const models::ModelOptions base;
  const models::VocabularySizes words{37000, 37000};
  const models::UpdateShape shape{.tokens = 25000, .length = 25, .micro_batches = 2};
  const models::Device device{.flops_per_second = 4e14, .bytes_per_second = 2e12, .launch_seconds = 5e-6};
  const auto time = models::predict_update(base, words, shape, device);
  CHECK(time.flops == Approx(models::training_flops(base, words, models::even_pairs(25000, 25))));
  double seconds = 0, launches = 0;
  for (const auto& operation : time.operations) {
    INFO(operation.name);
    // No kind is faster than either limit of the device.
    CHECK(operation.seconds >= operation.flops / device.flops_per_second * (1 - 1e-12));
    CHECK(operation.seconds >= operation.bytes / device.bytes_per_second * (1 - 1e-12));
    seconds += operation.seconds;
    launches += operation.launches;
  }
  CHECK(time.device_seconds == Approx(seconds));
  CHECK(time.host_seconds == Approx(launches * 5e-6));
  CHECK(time.seconds() == std::max(time.device_seconds, time.host_seconds));
}

TEST_CASE("what is not known is not predicted, by name") {
  models::ModelOptions options;
  CHECK_FALSE(models::unpredicted(options));
  options.positions = nn::Positions::rotary;
  CHECK(models::unpredicted(options) == "model.positions: rotary");
  options = {};
  options.norm = nn::NormPlacement::pre;
  CHECK(models::unpredicted(options) == "model.norm: pre");
  options = {};
  options.activation_dropout = 0.1;
  CHECK(models::unpredicted(options) == "model.activation_dropout: 0.1");
}
