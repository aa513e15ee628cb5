// The files in configs/ by themselves. Table 3 is in tests/experiments/table3_test.cpp.
#include <filesystem>
#include <set>

#include "tests/catch.h"
#include "transformer/config/departures.h"
#include "transformer/config/yaml.h"
#include "transformer/models/size.h"

using namespace transformer;
using namespace transformer::config;

namespace {

const std::filesystem::path configs = std::filesystem::path(SOURCE_DIR) / "configs";

/// Whether a file is an experiment, not a list of experiments or the mapping of an import.
bool is_experiment(const std::filesystem::path& file) {
  return file.extension() == ".yaml" && file.filename() != "table.yaml" &&
         file.filename() != "relative.yaml" && file.parent_path().filename() != "import";
}

}  // namespace

TEST_CASE("every configuration file loads and reads back") {
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(configs)) {
    if (!is_experiment(entry.path())) continue;
    CAPTURE(entry.path());
    ++found;
    const auto experiment = load_experiment(entry.path());
    CHECK(parse_experiment(to_yaml(experiment), "copy.yaml") == experiment);
    CHECK_FALSE(experiment.data.train.empty());
    CHECK_FALSE(experiment.data.prepared.empty());
  }
  CHECK(found >= 26);
}

TEST_CASE("the base configuration writes out the defaults and departs from nothing") {
  const auto base = load_experiment(configs / "base.yaml");
  for (const auto& difference : differences({}, base)) {
    CAPTURE(difference.key);
    CHECK(
        std::set<std::string>{"data.train", "data.dev", "data.test", "data.prepared"}.count(difference.key));
  }
  CHECK(departures(base).empty());
  CHECK(departures(load_experiment(configs / "big.yaml")).size() == 1);
}

TEST_CASE("English to French is the big model with the paper's own dropout and vocabulary for it") {
  const auto french = load_experiment(configs / "wmt14-en-fr.yaml");
  std::set<std::string> changed;
  for (const auto& difference : differences(load_experiment(configs / "big.yaml"), french))
    changed.insert(difference.key);
  CHECK(changed == std::set<std::string>{"data.target", "data.train", "data.dev", "data.test",
                                         "data.prepared", "data.vocabulary", "model.dropout"});
  CHECK(departures(french).size() == 2);  // its size, and byte pairs
}

TEST_CASE("the chapter's model has 58 274 parameters once its decoder has the target's vocabulary") {
  const auto chapter = load_experiment(configs / "chapter" / "chapter.yaml");
  const auto parameters = [&](std::int64_t source, std::int64_t target) {
    return models::count_parameters(chapter.model, {source, target}).total();
  };
  CHECK(parameters(180, 162) == 58274);
  CHECK(parameters(180, 180) == 59444);  // as the chapter builds it
  CHECK((chapter.train.epochs == 100 && chapter.train.sentences == 64 && chapter.data.pairs == 1001));
}

TEST_CASE("GPT-2's four sizes and GPT-3 have the parameters that their authors published") {
  const std::pair<const char*, std::int64_t> sizes[] = {{"gpt2", 124439808},
                                                        {"gpt2-medium", 354823168},
                                                        {"gpt2-large", 774030080},
                                                        {"gpt2-xl", 1557611200},
                                                        {"gpt3", 174604259328}};
  for (const auto& [name, parameters] : sizes) {
    CAPTURE(name);
    const auto model = load_experiment(configs / "language" / (name + std::string(".yaml"))).model;
    CHECK(models::count_parameters(model, {.source = 50257, .target = 50257}).total() == parameters);
  }
}

TEST_CASE("BERT's two sizes have the parameters that transformers counts of BertForMaskedLM") {
  for (const auto& [name, parameters] :
       {std::pair<const char*, std::int64_t>{"bert-base", 109514298}, {"bert-large", 335174458}}) {
    CAPTURE(name);
    const auto model = load_experiment(configs / "encoder" / (name + std::string(".yaml"))).model;
    CHECK(models::count_parameters(model, {.source = 30522, .target = 30522}).total() == parameters);
  }
}

TEST_CASE("heads divide the model's width among themselves, but in Table 3 and its miniature") {
  for (const auto* name :
       {"base.yaml", "big.yaml", "demo.yaml", "iwslt14.yaml", "multi30k.yaml", "wmt14-en-fr.yaml"}) {
    CAPTURE(name);
    const auto model = load_experiment(configs / name).model;
    CHECK(model.heads * model.d_k == model.d_model);
    CHECK(model.heads * model.d_v == model.d_model);
  }
}

TEST_CASE(
    "IWSLT 2014's model is fairseq's transformer_iwslt_de_en but for the shared matrix and the biases") {
  const auto model = load_experiment(configs / "iwslt14.yaml").model;
  // A layer's attention 4 * 512 * 512, feed-forward 2 * 512 * 1024 + 1024 + 512, a norm 2 * 512.
  const std::int64_t attention = 1048576, feed_forward = 1050112, norm = 1024;
  CHECK(models::count_parameters(model, {.source = 10000, .target = 10000}).total() ==
        10000 * 512 + 6 * (attention + feed_forward + 2 * norm) +
            6 * (2 * attention + feed_forward + 3 * norm));
}

TEST_CASE("checkpoints are ten minutes apart, as the paper's, and enough to average are kept") {
  const auto base = load_experiment(configs / "base.yaml").train,
             big = load_experiment(configs / "big.yaml").train;
  CHECK(static_cast<double>(base.save_every) * 0.4 == 600);
  CHECK(static_cast<double>(big.save_every) * 1.0 == 600);
  CHECK(base.keep >= 5);
  CHECK(big.keep >= 20);
}

TEST_CASE("the small experiments drop the pairs that they dropped when they were measured") {
  for (const auto* name : {"multi30k.yaml", "demo.yaml", "table3-mini/base.yaml"})
    CHECK(load_experiment(configs / name).data.max_ratio == 3);
}
