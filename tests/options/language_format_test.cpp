// The same for language models.
#include <map>

#include "tests/catch.h"
#include "tests/formats/exported_model.h"
#include "tests/options/model_variants.h"
#include "transformer/base/error.h"
#include "transformer/config/keys.h"
#include "transformer/config/validate.h"
#include "transformer/formats/formats.h"

using namespace transformer;

// One option at a time differs from the paper's layers, then from Llama's, which GGUF takes.
TEST_CASE("each format writes a language model that is proven, or names the option, for every value") {
  const formats::Sample sample{.origin = "a few", .sentences = {{10, 11, 12, 13}, {20, 21}, {30}}};
  const auto singles = test::single_variants();
  config::Experiment first;
  first.model = singles.front().options;
  std::map<std::string, int> written;
  for (const bool llama : {false, true}) {
    for (const auto& [name, options] : singles) {
      auto experiment = first;
      if (llama) {
        experiment.model.positions = nn::Positions::rotary;
        experiment.model.norm = nn::NormPlacement::pre;
        experiment.model.norm_type = nn::NormKind::rms;
        experiment.model.feed_forward = nn::FeedForwardKind::swiglu;
      }
      auto variant = first;
      variant.model = options;
      for (const auto& key : config::keys())
        if (key.name.starts_with("model.") && config::is_written(key.kind) &&
            key.get(variant) != key.get(first))
          REQUIRE(key.set(experiment, {.text = key.get(variant)}));
      if (config::find_problem(experiment)) continue;  // what Llama's layers exclude
      experiment.model.kind = {models::kDecoder, {}};
      auto loaded = test::loaded_language_model(experiment.model);
      for (const auto& format : formats::formats()) {
        INFO((llama ? "Llama, " : "") << name << format.name);
        const test::TemporaryFolder folder;
        const auto path = folder.path() / "exported";
        if (format.is_folder) std::filesystem::create_directory(path);
        try {
          format.check(loaded);
          format.write(loaded, path, "fp32");
        } catch (const InputError& refused) {
          CHECK_THAT(refused.what(), ContainsSubstring("model."));
          CHECK(format.name != "torchscript");
          // A d_k that is too small for the values is told as a d_v that is too large.
          if (format.name == "gguf" && llama && !name.starts_with("model.d_k "))
            CHECK_THAT(refused.what(), ContainsSubstring(name.substr(0, name.find(' ')) + ": "));
          continue;
        }
        ++written[format.name];
        const auto proof =
            formats::prove(loaded.model, format.read(path, torch::kCPU), sample, {}, formats::kRounding32);
        INFO(proof.table());
        CHECK(proof.holds());
      }
    }
  }
  CHECK(written["gguf"] > 10);
  CHECK(written["ctranslate2"] > 40);
  CHECK(written["torchscript"] > 80);
  CHECK_FALSE(written.contains("marian"));
}
