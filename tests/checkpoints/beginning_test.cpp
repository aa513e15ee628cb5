#include "transformer/checkpoints/beginning.h"

#include "tests/catch.h"
#include "tests/checkpoints/reverse_task.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/data/prepared.h"
#include "transformer/models/kinds.h"

namespace transformer::checkpoints {
namespace {

namespace fs = std::filesystem;

/// Digits as a text, cut with so many pieces.
data::DataOptions prepared(const test::TemporaryFolder& folder, const std::string& text,
                           std::int64_t vocabulary) {
  data::DataOptions options;
  options.source = "in";
  options.target = "out";
  for (const auto* split : {"train", "dev"})
    for (const auto* side : {"in", "out"}) folder.write(std::string(split) + "." + side, text);
  options.train = (folder.path() / "train").string();
  options.dev = (folder.path() / "dev").string();
  options.vocabulary = vocabulary;
  options.prepared = (folder.path() / "prepared").string();
  data::prepare(options, {.overwrite = true, .threads = 1, .quiet = true});
  return options;
}

const std::string kText = "low lower lowest\nnew newer newest\nwide wider widest\nlow new wide\n";

/// A model directory, and the vocabulary that another one may have.
struct Saved {
  test::TemporaryFolder folder, data_folder;
  config::Experiment experiment;
  Tokenizers tokenizers;
  models::AnyModel model{nullptr};
  fs::path path = folder.path() / "model";

  explicit Saved(std::int64_t vocabulary = 24, const models::ModelOptions& options = test::tiny_model())
      : experiment(test::tiny_experiment(prepared(data_folder, kText, vocabulary))) {
    experiment.model = options;
    tokenizers = load_tokenizers(experiment.data.prepared);
    torch::manual_seed(1);
    model = models::make(options, tokenizers.sizes());
    fs::create_directory(path);
    write_model_files(path, named_parameters(model), experiment, tokenizers);
    write_checksums(path);
  }
};

/// A model of the same vocabulary, with weights of its own.
models::AnyModel another(const Tokenizers& tokenizers,
                         const models::ModelOptions& options = test::tiny_model()) {
  torch::manual_seed(2);
  return models::make(options, tokenizers.sizes());
}

TEST_CASE("an equal model takes everything") {
  const Saved saved;
  auto model = another(saved.tokenizers);
  const auto beginning = begin_from(saved.path, *model, saved.tokenizers, train::NewPieces::drawn);
  const auto parameters = model->named_parameters();
  CHECK(beginning.taken == static_cast<std::int64_t>(parameters.size()));
  CHECK(beginning.fresh.empty());
  CHECK(beginning.left.empty());
  CHECK(beginning.by_row.empty());
  CHECK(beginning.checksum == sha256_file(saved.path / kWeightsFile));
  for (const auto& [name, weight] : named_parameters(saved.model))
    CHECK(torch::equal(parameters[name], weight));
}

TEST_CASE("embeddings of another vocabulary are taken by piece") {
  const Saved saved(24);
  const test::TemporaryFolder folder;
  const auto tokenizers = load_tokenizers(prepared(folder, kText + "low oldest\n", 28).prepared);
  const auto here = tokenizers.source->all_pieces(), there = saved.tokenizers.source->all_pieces();
  REQUIRE(here != there);
  const auto new_pieces = GENERATE(train::NewPieces::drawn, train::NewPieces::parts);
  auto model = another(tokenizers);
  const auto drawn = another(tokenizers)->named_parameters()["embedding.weight"];
  const auto beginning = begin_from(saved.path, *model, tokenizers, new_pieces);
  const auto table = model->named_parameters()["embedding.weight"];
  const auto saved_table = saved.model->named_parameters()["embedding.weight"];
  REQUIRE(beginning.by_row.size() == 1);
  const auto& rows = beginning.by_row.front();
  CHECK(rows.name == "embedding.weight");
  std::int64_t copied = 0, fresh = 0;
  for (std::size_t id = 0; id < here.size(); ++id) {
    INFO(here[id]);
    const auto row = table[static_cast<std::int64_t>(id)];
    const auto found = std::ranges::find(there, here[id]);
    if (found != there.end()) {
      CHECK(torch::equal(row, saved_table[found - there.begin()]));
      ++copied;
    } else if (new_pieces == train::NewPieces::drawn) {
      CHECK(torch::equal(row, drawn[static_cast<std::int64_t>(id)]));
      ++fresh;
    } else {
      const bool begins = here[id].starts_with("▁");
      const auto text = begins ? here[id].substr(std::string("▁").size()) : here[id];
      auto ids = saved.tokenizers.source->encode(text);
      if (!begins && saved.tokenizers.source->piece_of(ids.front()) == "▁") ids.erase(ids.begin());
      std::erase(ids, kUnknown);
      auto sum = torch::zeros({32});
      for (const auto part : ids) sum += saved_table[part];
      if (ids.empty())
        CHECK(torch::equal(row, drawn[static_cast<std::int64_t>(id)]));
      else
        CHECK(torch::allclose(row, sum / static_cast<double>(ids.size())));
      ++fresh;
    }
  }
  CHECK(copied > 4);
  CHECK(fresh > 0);
  CHECK(rows.copied == copied);
  CHECK(rows.from_parts + rows.drawn == fresh);
  CHECK((rows.from_parts > 0) == (new_pieces == train::NewPieces::parts));
}

TEST_CASE("a language model begins from a translator's decoder, and learned positions from the first rows") {
  auto options = test::tiny_model();
  options.positions = nn::Positions::learned;
  options.max_positions = 8;
  const Saved saved(24, options);
  options.kind = variants::Choice{models::kDecoder, {}};
  options.max_positions = 12;
  auto model = another(saved.tokenizers, options);
  const auto fresh = another(saved.tokenizers, options)->named_parameters();
  const auto beginning = begin_from(saved.path, *model, saved.tokenizers, train::NewPieces::drawn);
  CHECK(beginning.fresh.empty() == (beginning.taken == static_cast<std::int64_t>(fresh.size())));
  const auto taken = model->named_parameters();
  const auto there = saved.model->named_parameters();
  const std::string query = "decoder.layers.0.self_attention.query.weight";
  CHECK(torch::equal(taken[query], there[query]));
  CHECK(torch::equal(taken["embedding.weight"], there["embedding.weight"]));
  bool has_positions = false;
  for (const auto& rows : beginning.by_row)
    if (rows.name.starts_with("positions")) {
      has_positions = true;
      CHECK(rows.copied == 8);
      CHECK(rows.drawn == 4);
      CHECK(torch::equal(taken[rows.name].slice(0, 8), fresh[rows.name].slice(0, 8)));
    }
  CHECK(has_positions == std::ranges::none_of(beginning.fresh, [](const std::string& name) {
          return name.starts_with("positions");
        }));
  const auto is_left = [&](const std::string& part) {
    return std::ranges::any_of(beginning.left,
                               [&](const std::string& name) { return name.find(part) != std::string::npos; });
  };
  CHECK(is_left("encoder.layers.0"));
  CHECK(is_left("source_attention"));
}

TEST_CASE("an encoder begins from a translator's encoder, whose sources it reads") {
  auto options = test::tiny_model();
  options.tie = nn::Tie::none;
  const Saved saved(24, options);
  options.kind = variants::Choice{models::kEncoder, {}};
  options.tie = nn::Tie::all;
  auto model = another(saved.tokenizers, options);
  const auto beginning = begin_from(saved.path, *model, saved.tokenizers, train::NewPieces::drawn);
  const auto taken = model->named_parameters(), there = saved.model->named_parameters();
  for (const auto* name :
       {"encoder.layers.0.self_attention.query.weight", "encoder.layers.0.feed_forward.inner.bias"})
    CHECK(torch::equal(taken[name], there[name]));
  CHECK(torch::equal(taken["embedding.weight"], there["source_embedding.weight"]));
  CHECK(beginning.fresh.empty());
}

TEST_CASE("where nothing fits, and what is no model, is refused") {
  const Saved saved;
  auto options = test::tiny_model();
  options.d_model = 40;
  auto model = another(saved.tokenizers, options);
  const auto refusal = [&](const fs::path& path) {
    try {
      begin_from(path, *model, saved.tokenizers, train::NewPieces::drawn);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto found = refusal(saved.path);
  CHECK(found.find(
            "expected weights that fit this model (model.kind encoder-decoder, d_model 40), found none") !=
        std::string::npos);
  CHECK(found.find(saved.path.string()) == 0);
  CHECK(refusal(saved.folder.path()).find("expected a model directory") != std::string::npos);
  fs::resize_file(saved.path / kWeightsFile, 100);
  CHECK_FALSE(refusal(saved.path).empty());
}

}  // namespace
}  // namespace transformer::checkpoints
