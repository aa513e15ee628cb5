// Translating in fp16, whose largest number is 65504.
#include "tests/catch.h"
#include "tests/checkpoints/reverse_task.h"
#include "tests/fake_device/tested_device.h"
#include "transformer/base/log.h"
#include "transformer/translation/translator.h"

using namespace transformer;

namespace {

/// A random model; its feed-forward networks have inner activations that are so many times as large.
translation::Translator translator(const data::DataOptions& data, double factor, const char* precision) {
  torch::manual_seed(1);
  checkpoints::LoadedModel loaded{.directory = {},
                                  .experiment = test::tiny_experiment(data),
                                  .tokenizers = checkpoints::load_tokenizers(data.prepared),
                                  .model = nullptr};
  loaded.model = models::EncoderDecoder(loaded.experiment.model, loaded.tokenizers.sizes());
  loaded.model->eval();
  const torch::NoGradGuard no_gradients;
  for (const auto& weight : loaded.model->named_parameters())
    if (weight.key().find("feed_forward.inner") != std::string::npos) weight.value().mul_(factor);
  return translation::Translator(
      std::move(loaded),
      {.device = test::tested_device().is_cuda() ? "cuda" : "fake", .precision = precision});
}

}  // namespace

TEST_CASE("a translator in fp16 says when a model needs larger numbers than there are", "[device]") {
  const test::TemporaryFolder folder;
  const auto data = test::prepare_reverse_task(folder, 50, 5);
  const std::vector<std::string> lines{"1 2 3", "7 4"};
  const std::string warning = "--precision fp16: in 2 of 2 lines the model's activations exceed 65504";
  start_logging("off");
  const auto log_of = [&](const char* name, double factor, const char* precision) {
    add_log_file(folder.path() / name);
    const auto translations = translator(data, factor, precision).translate(lines);
    CHECK(translations.size() == 2);
    return test::content_of(folder.path() / name);
  };
  CHECK(log_of("small", 1, "fp16").find("fp16") == std::string::npos);
  CHECK(log_of("wide", 1e7, "bf16").find("fp16") == std::string::npos);
  CHECK(log_of("large", 1e7, "fp16").find(warning) != std::string::npos);
}
