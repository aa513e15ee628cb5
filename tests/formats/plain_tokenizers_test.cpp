#include "transformer/formats/plain_tokenizers.h"

#include <nlohmann/json.hpp>

#include "tests/formats/exported_model.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;

/// As an imported model has them: two SentencePiece models that share a vocabulary in an order of its own.
checkpoints::Tokenizers imported_tokenizers() {
  const auto source = test::trained_tokenizer(test::english_lines(), 70);
  const auto target = test::trained_tokenizer(test::german_lines(), 80);
  auto pieces = source->all_pieces();
  for (const auto& piece : target->all_pieces())
    if (std::ranges::find(pieces, piece) == pieces.end()) pieces.push_back(piece);
  pieces.emplace_back(">>deu<<");
  std::reverse(pieces.begin() + kEos + 1, pieces.end());
  const auto with_vocabulary = [&](const data::Tokenizer& tokenizer) {
    return std::make_shared<const data::Tokenizer>(tokenizer.path(), data::Vocabulary(pieces, "test"));
  };
  return {with_vocabulary(*source), with_vocabulary(*target)};
}

checkpoints::LoadedModel imported_model() {
  checkpoints::LoadedModel loaded;
  loaded.experiment.model = test::small_options();
  loaded.tokenizers = imported_tokenizers();
  loaded.model = test::random_model(loaded.experiment.model, loaded.tokenizers.sizes());
  return loaded;
}

void check_plain(const checkpoints::Tokenizers& original, const data::Tokenizer& source,
                 const data::Tokenizer& target) {
  CHECK_FALSE(source.has_vocabulary());
  CHECK_FALSE(target.has_vocabulary());
  for (const auto& line : test::english_lines()) {
    CHECK(source.encode(line) == original.source->encode(line));
    CHECK(source.encode(">>deu<< " + line) == original.source->encode(">>deu<< " + line));
  }
  for (const auto& line : test::german_lines()) {
    const auto ids = original.target->encode(line);
    CHECK(target.decode(ids) == original.target->decode(ids));
    CHECK(target.decode(ids) == line);
  }
}

TEST_CASE(
    "exports of a model with a vocabulary beside its tokenizers have SentencePiece models with its ids") {
  const auto model = imported_model();
  REQUIRE(model.tokenizers.source->has_vocabulary());
  for (const std::string name : {"safetensors", "ctranslate2", "torchscript"}) {
    INFO(name);
    const test::TemporaryFolder folder;
    const auto& format = *std::ranges::find(formats(), name, &Format::name);
    const auto path = folder.path() / "exported";
    if (format.is_folder) fs::create_directory(path);
    format.write(model, path, "fp32");
    const auto candidate = format.read(path, torch::kCPU);
    for (const auto& line : test::english_lines())
      CHECK(candidate.encode(line) == model.tokenizers.source->encode(line));
    auto native = model.encoder_decoder();
    CHECK(test::logit_difference(native, candidate) < 1e-4);
    if (!format.is_folder) continue;
    const auto tokenizers = checkpoints::load_tokenizers(path);
    check_plain(model.tokenizers, *tokenizers.source, *tokenizers.target);
    CHECK_FALSE(fs::exists(path / "tokenizer.source.vocabulary.json"));
  }
}

TEST_CASE("CTranslate2's vocabularies are the pieces of the SentencePiece models beside them") {
  const auto model = imported_model();
  const test::TemporaryFolder folder;
  std::ranges::find(formats(), "ctranslate2", &Format::name)->write(model, folder.path(), "fp32");
  const auto tokenizers = checkpoints::load_tokenizers(folder.path());
  for (const auto& [name, tokenizer] : {std::pair{"source_vocabulary.json", tokenizers.source},
                                        {"target_vocabulary.json", tokenizers.target}}) {
    const auto pieces = nlohmann::json::parse(test::content_of(folder.path() / name));
    CHECK(pieces == nlohmann::json(tokenizer->all_pieces()));
  }
}

TEST_CASE("tokenizers that number their pieces themselves stay as they are") {
  const auto source = test::trained_tokenizer(test::english_lines(), 70);
  const auto target = test::trained_tokenizer(test::german_lines(), 80);
  using Files = std::map<std::string, std::string>;
  CHECK(plain_tokenizer_files({source, source}) ==
        Files{{"tokenizer.model", test::content_of(source->path())}});
  CHECK(plain_tokenizer_files({source, target}) ==
        Files{{"tokenizer.source.model", test::content_of(source->path())},
              {"tokenizer.target.model", test::content_of(target->path())}});
}

}  // namespace
}  // namespace transformer::formats
