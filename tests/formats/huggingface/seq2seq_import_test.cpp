#include "transformer/formats/huggingface/seq2seq_import.h"

#include "tests/catch.h"
#include "tests/formats/huggingface/seq2seq_folder.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/translation/scoring.h"

using namespace transformer;
using test::json;
using Folder = test::Seq2SeqFolder;

namespace {

/// Ours of an id of theirs: our begin doubles their padding or their end, and their <s> is one more token.
std::int64_t ours(std::int64_t theirs) {
  return theirs < kBos || theirs == kEos ? theirs : theirs == kBos ? kEos + 1 : theirs + 1;
}

std::vector<std::int64_t> ours(std::vector<std::int64_t> theirs) {
  for (auto& id : theirs) id = ours(id);
  return theirs;
}

torch::Tensor row(const std::vector<std::int64_t>& ids) {
  return torch::tensor(ids).unsqueeze(0);
}

void refused(const test::TemporaryFolder& folder, const std::string& message) {
  CHECK_THROWS_AS(formats::import_seq2seq(folder.path()), InputError);
  CHECK_THROWS_WITH(formats::import_seq2seq(folder.path()), ContainsSubstring(message));
}

}  // namespace

TEST_CASE("encoder-decoders of transformers have their logits here") {
  for (const auto* theirs : {&test::t5, &test::t5_gated, &test::m2m_100, &test::bart}) {
    const Folder folder(*theirs);
    auto loaded = formats::import_seq2seq(folder.path());
    INFO(theirs->config);
    const translation::SearchMode mode(loaded.model);
    auto& model = models::sequence_to_sequence(*loaded.model);
    auto target = ours({6, 8, 8, 10, 4});
    target.insert(target.begin(), kBos);
    const auto logits = model.logits(model.states(row(ours({7, 4, 9, 10, 5, 3})), row(target)))[0];
    CHECK(logits.select(1, kBos).max().item<float>() < -9000);
    const auto expected = torch::tensor(theirs->logits).view({6, 12});
    const auto all = torch::tensor(ours({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    const auto difference = logits.index_select(1, all) - expected;
    CHECK(difference.abs().max().item<double>() < 1e-5);
  }
}

TEST_CASE("T5's sentinels are tokens of texts") {
  const Folder folder(test::t5);
  const auto loaded = formats::import_seq2seq(folder.path());
  CHECK(loaded.tokenizers.source->encode("a <extra_id_0> b") == std::vector<std::int32_t>{8, 12, 9});
  CHECK(loaded.experiment.model.positions == nn::Positions::bias);
  CHECK_FALSE(loaded.experiment.model.attention_scale);
}

TEST_CASE("texts of a model for several languages begin with their tokens") {
  const Folder folder(test::m2m_100);
  const auto loaded = formats::import_seq2seq(folder.path());
  CHECK(loaded.tokenizers.source->encode("a b") == std::vector<std::int32_t>{8, 9});
  const auto both = checkpoints::with_languages(loaded.tokenizers, "en", "de");
  CHECK(both.source->encode("a b") == std::vector<std::int32_t>{11, 8, 9});
  CHECK(both.target->encode("a b") == std::vector<std::int32_t>{10, 8, 9});
  CHECK(both.source->encode(" ").empty());
  CHECK(both.target->decode(std::vector<std::int32_t>{10, 8, 9}) == "a b");
  // They are the model's from then on.
  checkpoints::copy_tokenizers(both, folder.path());
  const auto again = checkpoints::load_tokenizers(folder.path());
  CHECK(again.source->encode("a b") == std::vector<std::int32_t>{11, 8, 9});
  CHECK(again.target->begin() == 10);
  CHECK_THROWS_WITH(checkpoints::with_languages(loaded.tokenizers, "", "fr"),
                    ContainsSubstring("--target-language fr: expected a language whose token"));
}

TEST_CASE("sources begin with the language that their tokenizer was saved with") {
  Folder folder(test::m2m_100);
  folder.write("tokenizer_config.json",
               json{{"additional_special_tokens", test::kTheirLanguages}, {"src_lang", "en"}}.dump());
  const auto loaded = formats::import_seq2seq(folder.path());
  CHECK(loaded.tokenizers.source->encode("a b") == std::vector<std::int32_t>{11, 8, 9});
  CHECK(loaded.tokenizers.target->begin() == kUnknown);
}

TEST_CASE("a forced first token begins each output") {
  Folder folder(test::m2m_100);
  folder.write("generation_config.json", R"({"forced_bos_token_id": 9, "num_beams": 5})");
  const auto loaded = formats::import_seq2seq(folder.path());
  CHECK(loaded.tokenizers.source->begin() == kUnknown);
  CHECK(loaded.tokenizers.target->begin() == 10);
  CHECK(loaded.experiment.decode.beam == 5);
}

TEST_CASE("what an encoder-decoder of theirs has and ours has not is refused by name") {
  const auto setting = [](const test::TheirModel& theirs, const char* key, const json& value,
                          const std::string& expected) {
    Folder folder(theirs);
    folder.change([&](json& config) { config[key] = value; });
    refused(folder, std::string("key '") + key + "': expected " + expected);
  };
  setting(test::t5, "relative_attention_num_buckets", 16, "32, found 16");
  setting(test::t5, "feed_forward_proj", "gated-relu", "relu, gelu");
  setting(test::t5, "vocab_size", 0, "a whole number from 1");
  setting(test::t5, "pad_token_id", 3, "another id than eos_token_id");
  setting(test::m2m_100, "decoder_ffn_dim", 16, "12, as encoder_ffn_dim, found 16");
  setting(test::m2m_100, "decoder_attention_heads", 3, "2, as encoder_attention_heads, found 3");
  setting(test::m2m_100, "activation_function", "mish", "relu, gelu");
  setting(test::m2m_100, "tie_word_embeddings", false, "true, found false");
}

TEST_CASE("damaged folders of encoder-decoders are refused") {
  SECTION("no model of pieces") {
    const Folder folder(test::t5);
    std::filesystem::remove(folder.path() / "spiece.model");
    refused(folder, "expected spiece.model, a SentencePiece model");
  }
  SECTION("another model of pieces") {
    Folder folder(test::t5);
    folder.write("spiece.model", "nothing of the kind");
    refused(folder, "spiece.model: expected a SentencePiece model");
  }
  SECTION("an id twice") {
    Folder folder(test::m2m_100);
    folder.write("vocab.json", R"({"<unk>": 0, "<pad>": 1, "<s>": 2, "</s>": 2})");
    refused(folder, "vocab.json: key '<s>': expected an id for one piece");
  }
  SECTION("tokens beyond the embedding") {
    Folder folder(test::m2m_100);
    folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {"12": {"content": "__de__"}}})");
    refused(folder, "expected texts for ids below 12");
  }
  SECTION("another token for an id of a piece") {
    Folder folder(test::m2m_100);
    folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {"4": {"content": "__de__"}}})");
    refused(folder, "vocab.json: expected '__de__' for id 4");
  }
  SECTION("a matrix of another shape") {
    Folder folder(test::t5);
    folder.resize("encoder.block.0.layer.1.DenseReluDense.wi.weight", {12, 7});
    refused(folder, "encoder.block.0.layer.1.DenseReluDense.wi.weight");
  }
  SECTION("a tensor that no model reads") {
    Folder folder(test::t5);
    folder.resize("encoder.block.7.layer.0.SelfAttention.q.weight", {12, 8});
    refused(folder, "encoder.block.7.layer.0.SelfAttention.q.weight");
  }
  SECTION("positions that no memory holds") {
    Folder folder(test::m2m_100);
    folder.change([](json& config) { config["max_position_embeddings"] = 1'000'000'000; });
    refused(folder, "key 'max_position_embeddings': expected");
  }
}
