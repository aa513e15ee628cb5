#include "transformer/checkpoints/model_directory.h"

#include <limits>

#include "tests/catch.h"
#include "tests/checkpoints/reverse_task.h"
#include "tests/damage.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/config/yaml.h"

namespace transformer::checkpoints {
namespace {

namespace fs = std::filesystem;

/// A run directory with one checkpoint, which is its best.
struct Stored {
  test::TemporaryFolder folder;
  RunDirectory run{folder.path() / "run"};
  fs::path directory = run.checkpoint(1);
  config::Experiment experiment = test::tiny_experiment(test::prepare_reverse_task(folder, 40, 4));
  Tokenizers tokenizers = load_tokenizers(experiment.data.prepared);
  models::EncoderDecoder model{experiment.model, tokenizers.sizes()};

  Stored() {
    fs::create_directories(directory);
    write_model_files(directory, named_parameters(model), experiment, tokenizers);
    write_checksums(directory);
    run.link("best", 1);
  }

  fs::path weights() const { return directory / kWeightsFile; }

  /// Changes the weights file and its checksum.
  void change_weights(const std::function<void(std::map<std::string, torch::Tensor>&)>& change) const {
    auto tensors = checkpoints::load_safetensors(weights());
    change(tensors);
    checkpoints::save_safetensors(weights(), {tensors.begin(), tensors.end()});
    write_checksums(directory);
  }

  /// Loading fails with one line that names the file and says `expected`.
  void check_refused(const fs::path& file, const std::string& expected) const {
    try {
      load_model(directory, torch::kCPU);
      FAIL("was loaded");
    } catch (const InputError& error) {
      const std::string message = error.what();
      CHECK_THAT(message, ContainsSubstring(file.string()));
      CHECK_THAT(message, ContainsSubstring(expected));
      CHECK(message.find('\n') == std::string::npos);
    }
  }
};

TEST_CASE("a stored model is loaded from its directory or its run's") {
  Stored stored;
  const bool from_run = GENERATE(true, false);
  const auto loaded = load_model(from_run ? stored.run.path : stored.directory, torch::kCPU);
  CHECK(fs::equivalent(loaded.directory, stored.directory));
  CHECK(loaded.experiment == stored.experiment);
  CHECK(loaded.tokenizers.sizes() == models::VocabularySizes{25, 25});
  CHECK(loaded.tokenizers.source == loaded.tokenizers.target);
  CHECK_FALSE(loaded.model->is_training());
  REQUIRE(loaded.model->named_parameters().size() == stored.model->named_parameters().size());
  for (const auto& parameter : stored.model->named_parameters())
    CHECK(torch::equal(parameter.value(), loaded.model->named_parameters()[parameter.key()]));
}

TEST_CASE("weights are saved as Python's loaders expect them") {
  const Stored stored;
  std::map<std::string, std::string> metadata;
  checkpoints::load_safetensors(stored.weights(), &metadata);
  CHECK(metadata["format"] == "pt");
}

TEST_CASE("weights that do not fit the configuration are refused by name") {
  const Stored stored;
  const std::string norm = "encoder.layers.0.feed_forward_residual.norm.bias";
  REQUIRE(stored.model->named_parameters().contains(norm));
  SECTION("missing") {
    stored.change_weights([&](auto& tensors) { tensors.erase(norm); });
    stored.check_refused(stored.weights(), "'" + norm + "' is missing");
  }
  SECTION("too many") {
    stored.change_weights([&](auto& tensors) { tensors["left.over"] = torch::zeros({1}); });
    stored.check_refused(stored.weights(), "'left.over'");
  }
  SECTION("too many, with a name that no message survives") {
    stored.change_weights([&](auto& tensors) { tensors[std::string("le\0ft\x1b", 6)] = torch::zeros({1}); });
    stored.check_refused(stored.weights(), "holds 'le\\x00ft\\x1b', which");
  }
  SECTION("not a number") {
    stored.change_weights([&](auto& tensors) { tensors[norm][7] = std::numeric_limits<float>::quiet_NaN(); });
    stored.check_refused(stored.weights(), "tensor \"" + norm + "\": expected finite numbers, found nan");
  }
  SECTION("infinity") {
    stored.change_weights([&](auto& tensors) { tensors[norm][7] = -std::numeric_limits<float>::infinity(); });
    stored.check_refused(stored.weights(), "tensor \"" + norm + "\": expected finite numbers, found -inf");
  }
  SECTION("another shape") {
    stored.change_weights([&](auto& tensors) { tensors[norm] = torch::zeros({31}); });
    stored.check_refused(stored.weights(), "should have the shape [32], found [31]");
  }
}

TEST_CASE("damaged and missing files are refused by name") {
  const Stored stored;
  SECTION("a changed byte") {
    std::fstream file(stored.weights(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('#');
    file.close();
    stored.check_refused(stored.weights(), "damaged");
  }
  SECTION("cut short, with a checksum that agrees") {
    fs::resize_file(stored.weights(), fs::file_size(stored.weights()) - 4);
    write_checksums(stored.directory);
    stored.check_refused(stored.weights(), "");
  }
  SECTION("no configuration") {
    fs::remove(stored.directory / kConfigFile);
    stored.check_refused(stored.directory / kConfigFile, "missing");
  }
  SECTION("no tokenizer") {
    fs::remove(stored.directory / "tokenizer.model");
    write_checksums(stored.directory);
    stored.check_refused(stored.directory, "tokenizer.model");
  }
  SECTION("no checksums") {
    fs::remove(stored.directory / "checksums.sha256");
    stored.check_refused(stored.directory / "checksums.sha256", "");
  }
  SECTION("no weights") {
    fs::remove(stored.weights());
    stored.check_refused(stored.directory, "model.safetensors");
  }
}

TEST_CASE("what is no model says what it is") {
  const test::TemporaryFolder folder;
  fs::create_directories(folder.path() / "run" / "checkpoints");
  const auto refused = [&](const fs::path& path, const char* expected) {
    CHECK_THROWS_AS(resolve_model_directory(path), InputError);
    CHECK_THROWS_WITH(resolve_model_directory(path),
                      ContainsSubstring(path.string()) && ContainsSubstring(expected));
  };
  refused(folder.path() / "absent", "nothing of that name");
  refused(folder.write("file", "x"), "a file");
  refused(folder.path() / "run", "a run without a checkpoint");
  refused(folder.path(), "a folder with neither");
  fs::create_directories(folder.path() / "run" / "checkpoints" / "step-00000012");
  refused(folder.path() / "run",
          "checkpoints/best: expected a link to one of the run's 1 checkpoints, found none: name a "
          "checkpoint, such as");
}

TEST_CASE("a configuration that promises far more weights than the file holds takes no memory") {
  const Stored stored;
  auto huge = stored.experiment;
  huge.model.d_model = 1000000;
  huge.model.encoder_layers = 1000;
  write_file_atomically(stored.directory / kConfigFile, config::to_yaml(huge));
  write_checksums(stored.directory);
  stored.check_refused(stored.weights(), "of config.yaml");
}

TEST_CASE("an empty list of checksums is not taken for a proof") {
  const Stored stored;
  std::ofstream(stored.directory / "checksums.sha256", std::ios::trunc);
  stored.check_refused(stored.directory / "checksums.sha256", "not listed");
}

TEST_CASE("damage to any file of a model directory is noticed, or does no harm") {
  const Stored stored;
  const auto use = [&] {
    const auto loaded = load_model(stored.directory, torch::kCPU);
    for (const auto& [name, weight] : named_parameters(loaded.model))
      if (!torch::equal(weight, stored.model->named_parameters()[name])) return false;
    return loaded.experiment == stored.experiment &&
           loaded.tokenizers.source->pieces("1 2") == stored.tokenizers.source->pieces("1 2");
  };
  for (const auto* name : {"model.safetensors", "config.yaml", "tokenizer.model"})
    CHECK(test::damage_noticed(stored.directory / name, use) == 200);
  CHECK(test::damage_noticed(stored.directory / "checksums.sha256", use) > 100);
  CHECK(use());
}

}  // namespace
}  // namespace transformer::checkpoints
