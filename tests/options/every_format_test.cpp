// Each format writes a translator with any option, proven, or names the option that it does not know.
#include "tests/catch.h"
#include "tests/formats/exported_model.h"
#include "tests/options/model_variants.h"
#include "transformer/base/error.h"
#include "transformer/config/keys.h"
#include "transformer/formats/formats.h"

using namespace transformer;

TEST_CASE("each format writes a model that is proven, or names the option, for every value of every option") {
  for (const auto& [name, options] : test::single_variants()) {
    auto loaded = test::loaded_model(options);
    loaded.experiment.data.source = "en";
    loaded.experiment.data.target = "de";
    loaded.experiment.decode = {.beam = 2, .length_offset = 4};
    const formats::Sample sample{.origin = "a few", .sentences = {{10, 11, 12, 13}, {20, 21}, {30}}};
    for (const auto& format : formats::formats()) {
      INFO(name << format.name);
      const test::TemporaryFolder folder;
      const auto path = folder.path() / "exported";
      if (format.is_folder) std::filesystem::create_directory(path);
      try {
        format.write(loaded, path, "fp32");
      } catch (const InputError& refused) {
        CHECK_THAT(refused.what(), ContainsSubstring("model."));
        CHECK(format.name != "torchscript");
        if (format.name == "gguf") {  // for language models alone
          CHECK_THAT(refused.what(), ContainsSubstring("model.kind"));
          continue;
        }
        if (options.variants == variants::Choices{})
          CHECK(format.name != "safetensors");
        else
          CHECK_THAT(refused.what(), ContainsSubstring("model.variants."));
        continue;
      }
      const auto proof = formats::prove(loaded.encoder_decoder(), format.read(path, torch::kCPU), sample,
                                        loaded.experiment.decode, formats::kRounding32);
      INFO(proof.table());
      CHECK(proof.holds());
      CHECK((format.name == "torchscript" || options.variants == variants::Choices{}));
    }
  }
}
