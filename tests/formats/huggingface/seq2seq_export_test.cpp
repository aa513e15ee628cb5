#include "transformer/formats/huggingface/seq2seq_export.h"

#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/formats/exported_model.h"
#include "tests/formats/huggingface/seq2seq_folder.h"
#include "tests/nn/checks.h"
#include "transformer/formats/huggingface/huggingface_export.h"
#include "transformer/formats/huggingface/languages.h"
#include "transformer/formats/huggingface/seq2seq_import.h"
#include "transformer/formats/json_file.h"
#include "transformer/formats/proof.h"

using namespace transformer;
using test::json;
using Change = std::function<void(models::ModelOptions&)>;

namespace {

/// With our own ids, of texts that its tokenizer reads.
formats::Proof proof_of(const checkpoints::LoadedModel& loaded, const std::filesystem::path& folder) {
  formats::Sample sample{.origin = "a few", .sentences = {{5, 6, 7}, {8}, {9, 4, 9, 4, 9, 4}}};
  for (const auto* text : {"a b", "b a a", "b"}) {
    sample.texts.emplace_back(text);
    sample.sentences[sample.texts.size() - 1] = loaded.tokenizers.source->encode(text);
  }
  auto options = loaded.experiment.decode;
  options.beam = 2;
  options.length_offset = 3;
  return formats::prove(loaded.model, formats::read_huggingface(folder, torch::kCPU), sample, options,
                        formats::kRounding32);
}

void check_proven(const checkpoints::LoadedModel& loaded, const std::filesystem::path& folder) {
  const auto proof = proof_of(loaded, folder);
  INFO(proof.table());
  CHECK(proof.holds());
  CHECK(proof.logit_difference < 1e-5);
  CHECK(proof.encoded_equal == 3);
}

/// M2M-100 with pieces, all of its languages and one unused token.
class Multilingual : public test::Seq2SeqFolder {
 public:
  Multilingual() : Seq2SeqFolder(test::m2m_100) {
    json vocabulary;
    for (const auto* piece : {"<s>", "<pad>", "</s>", "<unk>", "\u2581", "a", "b", "\u2581a", "\u2581b"})
      vocabulary[piece] = vocabulary.size();
    write("vocab.json", vocabulary.dump());
    use({{"tokenizer_class", "M2M100Tokenizer"}}, std::ssize(vocabulary) + 100 + 1);
  }

  /// Another tokenizer for so many tokens.
  void use(const json& tokenizer, std::int64_t size) {
    write("tokenizer_config.json", tokenizer.dump());
    resize("model.shared.weight", {size, 8});
    change([&](json& config) {
      config["vocab_size"] = size;
      config["eos_token_id"] = config["decoder_start_token_id"] = 2;
    });
  }
};

std::map<std::string, torch::Tensor> weights_in(const std::filesystem::path& folder) {
  const auto all = checkpoints::load_safetensors(folder / "model.safetensors");
  return {all.begin(), all.end()};
}

/// The configuration in the folder of an exported model.
json exported(const checkpoints::LoadedModel& loaded, const std::filesystem::path& folder) {
  formats::write_huggingface(loaded, folder);
  return formats::read_json(folder / "config.json");
}

models::ModelOptions t5_options() {
  auto o = test::small_options();
  o.positions = nn::Positions::bias;
  o.norm = nn::NormPlacement::pre;
  o.norm_type = nn::NormKind::rms;
  return o;
}

models::ModelOptions bart_options() {
  auto o = test::small_options();
  o.positions = nn::Positions::learned;
  o.embedding_norm = true;
  return o;
}

/// T5's layers have no biases, so a model of ours needs zeros there.
checkpoints::LoadedModel without_biases(const models::ModelOptions& options) {
  auto loaded = test::loaded_model(options);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : loaded.model->named_parameters())
    if (parameter.key().ends_with(".bias")) parameter.value().zero_();
  return loaded;
}

void check_leaves(const checkpoints::LoadedModel& loaded, const char* type, const char* tokenizer) {
  const test::TemporaryFolder folder;
  CHECK(exported(loaded, folder.path())["model_type"] == type);
  CHECK(formats::read_json(folder.path() / "tokenizer_config.json")["tokenizer_class"] == tokenizer);
  CHECK(test::logit_difference(loaded.encoder_decoder(),
                               formats::read_huggingface(folder.path(), torch::kCPU)) < 1e-4);
  const auto again = formats::import_seq2seq(folder.path());
  CHECK(again.experiment.decode == loaded.experiment.decode);
  CHECK(again.tokenizers.source->encode("A house near the lake.") ==
        loaded.tokenizers.source->encode("A house near the lake."));
}

void refused(const checkpoints::LoadedModel& loaded, const std::vector<std::string>& words) {
  const test::TemporaryFolder folder;
  test::check_refused([&] { formats::write_huggingface(loaded, folder.path()); }, words);
}

}  // namespace

TEST_CASE("encoder-decoders of transformers leave as they came") {
  for (const auto* theirs : {&test::t5, &test::t5_gated, &test::m2m_100, &test::bart}) {
    const test::Seq2SeqFolder folder(*theirs);
    auto loaded = formats::import_seq2seq(folder.path());
    const test::TemporaryFolder output;
    const auto config = exported(loaded, output.path());
    INFO(config.dump());
    const auto before = formats::read_json(folder.path() / "config.json");
    for (const auto& key :
         {"model_type", "vocab_size", "d_model", "num_layers", "encoder_layers", "d_kv", "encoder_ffn_dim",
          "feed_forward_proj", "max_position_embeddings", "scale_decoder_outputs", "dropout_rate"})
      if (before.contains(key)) CHECK(config.at(key) == before[key]);
    const auto weights = weights_in(output.path());
    CHECK(weights.size() == theirs->shapes.size());
    for (const auto& [name, shape] : theirs->shapes) {
      INFO(name);
      REQUIRE(weights.contains(name));
      CHECK(weights.at(name).sizes() == shape);
      // Tokens have other ids, and the first two positions are nobody's.
      const auto is = [&](const char* part) { return name.find(part) != std::string::npos; };
      if (!is("shared") && !is("lm_head") && !is("final_logits_bias") && !is("embed_positions"))
        CHECK(test::difference(weights.at(name), test::pattern_weight(shape, name)) < 1e-6);
    }
    check_proven(loaded, output.path());
  }
}

TEST_CASE("the classes of M2M-100 and NLLB get their own numbering back") {
  Multilingual folder;
  SECTION("M2M-100, and the languages that texts begin with") {
    auto loaded = formats::import_seq2seq(folder.path());
    for (const bool chosen : {false, true}) {
      if (chosen) loaded.tokenizers = checkpoints::with_languages(loaded.tokenizers, "en", "de");
      const test::TemporaryFolder output;
      CHECK(exported(loaded, output.path())["decoder_start_token_id"] == 2);
      const auto about = formats::read_json(output.path() / "tokenizer_config.json");
      CHECK(about["tokenizer_class"] == "M2M100Tokenizer");
      CHECK(about.value("src_lang", "none") == (chosen ? "en" : "none"));
      CHECK(formats::read_json(output.path() / "vocab.json") ==
            formats::read_json(folder.path() / "vocab.json"));
      const auto shape = weights_in(output.path()).at("model.shared.weight").sizes().vec();
      CHECK(test::difference(weights_in(output.path()).at("model.shared.weight"),
                             test::pattern_weight(shape, "model.shared.weight")) < 1e-7);
      check_proven(loaded, output.path());
      const auto again = formats::import_seq2seq(output.path());
      CHECK(again.tokenizers.target->begin() == loaded.tokenizers.target->begin());
      CHECK(again.experiment.model == loaded.experiment.model);
    }
  }
  SECTION("NLLB") {
    std::filesystem::remove(folder.path() / "vocab.json");
    folder.write(
        "sentencepiece.bpe.model",
        test::model_of({"<unk>", "<s>", "</s>", "\u2581", "a", "b", "\u2581a", "\u2581b"}, data::kBytePairs));
    folder.use({{"extra_special_tokens", {"deu_Latn", "eng_Latn", "<mask>"}}}, 4 + 5 + 3 + 2);
    auto loaded = formats::import_seq2seq(folder.path());
    loaded.tokenizers = checkpoints::with_languages(loaded.tokenizers, "eng_Latn", "deu_Latn");
    const test::TemporaryFolder output;
    exported(loaded, output.path());
    const auto about = formats::read_json(output.path() / "tokenizer_config.json");
    CHECK(about["tokenizer_class"] == "NllbTokenizer");
    CHECK(about["src_lang"] == "eng_Latn");
    CHECK(about["added_tokens_decoder"]["10"]["content"] == "eng_Latn");
    CHECK(formats::read_json(output.path() / "generation_config.json")["forced_bos_token_id"] == 9);
    check_proven(loaded, output.path());
  }
}

TEST_CASE("a begin that a further training made another leaves as a token of its own") {
  for (const auto* theirs : {&test::t5, &test::bart, &test::m2m_100}) {
    INFO(theirs->config);
    const auto large = theirs == &test::m2m_100;
    auto loaded = large ? formats::import_seq2seq(Multilingual().path())
                        : formats::import_seq2seq(test::Seq2SeqFolder(*theirs).path());
    const torch::NoGradGuard no_gradients;
    auto model = loaded.encoder_decoder();
    model->target_embedding->weight[kBos].add_(0.3);
    // It takes a part of the probability then, which a bias would have to forbid.
    if (theirs != &test::bart) refused(loaded, {"model.output_bias: expected false for", "found true"});
    model->output_bias.zero_();
    const test::TemporaryFolder output;
    const auto config = exported(loaded, output.path());
    CHECK(config["vocab_size"] == loaded.tokenizers.source->size());
    CHECK(config["decoder_start_token_id"] != config["eos_token_id"]);
    CHECK(config["decoder_start_token_id"] != config["pad_token_id"]);
    check_proven(loaded, output.path());
  }
}

TEST_CASE("models that were trained here leave as T5") {
  const std::vector<Change> changes{[](auto&) {},
                                    [](auto& o) { o.attention_scale = o.scale_embedding = false; },
                                    [](auto& o) { o.d_k = 3, o.d_v = 11; },
                                    [](auto& o) { o.d_k = 11, o.attention_scale = false; },
                                    [](auto& o) { o.feed_forward = nn::FeedForwardKind::swiglu; },
                                    [](auto& o) { o.activation = nn::Activation::gelu_tanh; },
                                    [](auto& o) { o.attention_bias = true; },
                                    [](auto& o) { o.norm_epsilon = 1e-3; }};
  for (const auto& change : changes) {
    auto options = t5_options();
    change(options);
    check_leaves(without_biases(options), "t5", "MarianTokenizer");
  }
  auto untied = t5_options();
  untied.tie = nn::Tie::none;
  auto loaded = without_biases(untied);
  const torch::NoGradGuard no_gradients;
  auto model = loaded.encoder_decoder();
  model->source_embedding->weight.copy_(model->target_embedding->weight);
  check_leaves(loaded, "t5", "MarianTokenizer");
}

TEST_CASE("models that were trained here leave as BART") {
  const std::vector<Change> changes{[](auto&) {},
                                    [](auto& o) { o.positions = nn::Positions::interleaved; },
                                    [](auto& o) { o.positions = nn::Positions::tensor2tensor; },
                                    [](auto& o) { o.scale_embedding = false; },
                                    [](auto& o) { o.attention_scale = false, o.d_k = 5; },
                                    [](auto& o) { o.d_v = 5; },
                                    [](auto& o) { o.activation = nn::Activation::gelu; },
                                    [](auto& o) { o.attention_bias = o.output_bias = true; }};
  for (const auto& change : changes) {
    auto options = bart_options();
    change(options);
    check_leaves(test::loaded_model(options), "bart", "MarianTokenizer");
  }
}

TEST_CASE("an export of another encoder-decoder is not the model") {
  const test::Seq2SeqFolder folder(test::t5);
  auto loaded = formats::import_seq2seq(folder.path());
  const test::TemporaryFolder output;
  exported(loaded, output.path());
  const torch::NoGradGuard no_gradients;
  loaded.model->named_parameters()["decoder.norm.weight"].mul_(1.1);
  CHECK_FALSE(proof_of(loaded, output.path()).holds());
}

TEST_CASE("options that no family has are refused by the nearest, with what the others need") {
  const auto other = [](models::ModelOptions options, const Change& change) {
    change(options);
    return without_biases(options);
  };
  refused(test::loaded_model(test::small_options()),
          {"model.embedding_norm: expected true for a BART model, found false (an M2M-100 model needs "
           "model.positions: learned, a T5 model needs model.positions: bias)"});
  refused(other(bart_options(), [](auto& o) { o.norm_epsilon = 1e-2; }),
          {"model.norm_epsilon: expected 1.0e-05 for a BART model, found 0.01"});
  refused(other(bart_options(), [](auto& o) { o.d_k = 11; }),
          {"model.d_k: expected 8 for a BART model, found 11"});
  refused(other(bart_options(), [](auto& o) { o.positions = nn::Positions::rotary; }),
          {"model.positions: expected learned for a BART model, found rotary"});
  refused(other(t5_options(), [](auto& o) { o.qk_norm = true; }),
          {"model.qk_norm: expected false for a T5 model, found true"});
  refused(other(t5_options(), [](auto& o) { o.feed_forward = nn::FeedForwardKind::glu; }),
          {"model.feed_forward: expected geglu for a T5 model, found glu"});
}

TEST_CASE("numbers that a family cannot have are refused") {
  refused(test::loaded_model(t5_options()),
          {"model.feed_forward: expected layers whose biases are zeros for a T5 model, found 'decoder."});
  auto biased = t5_options();
  biased.output_bias = true;
  refused(without_biases(biased), {"model.output_bias: expected false for a T5 model, found true"});
  auto attention = bart_options();
  attention.tie = nn::Tie::target;
  refused(test::loaded_model(attention),
          {"model.tie: expected one embedding of source and target for a BART model, found two"});
  auto free = bart_options();
  free.norm = nn::NormPlacement::pre;
  free.embedding_norm = false;
  refused(test::loaded_model(free), {"model.positions: expected the sinusoids of an imported M2M-100 model"});
}

TEST_CASE("tokens that no class of theirs makes are refused") {
  auto options = bart_options();
  options.tie = nn::Tie::target;
  refused(test::loaded_model(options, /*shared=*/false),
          {"data.shared_vocabulary: expected one vocabulary for a BART model, found another of each side"});
  auto front = test::loaded_model(bart_options());
  const auto piece = front.tokenizers.source->piece_of(10);
  front.tokenizers.source = front.tokenizers.target =
      std::make_shared<const data::Tokenizer>(front.tokenizers.source->with_begin(piece));
  refused(front, {"expected sources of their own tokens alone", "found '" + piece + "' in front of each"});
  auto pairs = formats::import_seq2seq(test::Seq2SeqFolder(test::bart).path());
  auto plain = pairs;
  plain.tokenizers.source = plain.tokenizers.target =
      std::make_shared<const data::Tokenizer>(data::Tokenizer::of_content(
          data::ByteLevelPairs::content_of(pairs.tokenizers.source->all_pieces(),
                                           pairs.tokenizers.source->pairs()->merges()),
          "tokenizer.model"));
  refused(plain,
          {"tokenizer.model: expected texts that begin with a token, as BartTokenizer's do, found none"});
  auto t5 = formats::import_seq2seq(test::Seq2SeqFolder(test::t5).path());
  t5.tokenizers = plain.tokenizers;
  refused(t5,
          {"tokenizer.model: expected a SentencePiece model for a T5 model, found GPT-2's pairs of bytes"});
}
