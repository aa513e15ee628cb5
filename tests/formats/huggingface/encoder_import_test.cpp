#include "transformer/formats/huggingface/encoder_import.h"

#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/formats/huggingface/constants_encoders.h"
#include "tests/formats/huggingface/their_folder.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/scored_pieces.h"
#include "transformer/data/unigram_model.h"
#include "transformer/formats/huggingface/huggingface_import.h"

using namespace transformer;
using models::Head;
using test::json;

namespace {

const std::string kEncoderPieces =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n##s\nsat\non\na\nmat\n.\n!\n";
/// Our ids of theirs: 0 … 13, where 0, 1, 2 and 3 are padding, unknown, begin and end.
const std::vector<std::int64_t> kEncoderIds{1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};

/// With the pieces of vocab.txt.
class EncoderFolder : public test::TheirFolder {
 public:
  explicit EncoderFolder(const test::TheirModel& theirs) : test::TheirFolder(theirs) {
    write("vocab.txt", kEncoderPieces);
  }
};

/// What a model computes of the constants' text, in their order of ids.
torch::Tensor encoder_output(checkpoints::LoadedModel& loaded) {
  const torch::NoGradGuard no_gradients;
  auto& encoder = models::text_encoder(*loaded.model);
  const auto& options = loaded.model->options();
  std::vector<std::int64_t> text{kBos};
  for (const auto* part : {"The cats", "sat on"}) {
    for (const auto id : loaded.tokenizers.source->encode(part)) text.push_back(id);
    text.push_back(kEos);
  }
  const auto states = encoder.states(torch::tensor(text).unsqueeze(0))[0];
  const auto head = options.encoder.head;
  if (head == Head::none && !options.output_bias) return states;
  const auto logits = encoder.logits(models::is_of_texts(head) ? states[0] : states);
  return head == Head::none ? logits.index_select(1, torch::tensor(kEncoderIds)) : logits;
}

checkpoints::LoadedModel imported_encoder(const test::TheirModel& theirs) {
  const EncoderFolder folder(theirs);
  return formats::import_huggingface(folder.path());  // by model_type
}

}  // namespace

TEST_CASE("encoders of transformers have their states, logits and labels here") {
  for (const auto& theirs :
       {test::bert_alone, test::bert_masks, test::bert_untied, test::bert_two_tasks, test::bert_classes,
        test::bert_number, test::bert_words, test::bert_span, test::roberta_masks, test::roberta_classes,
        test::distilbert_masks, test::distilbert_words, test::albert_alone, test::albert_masks,
        test::albert_two_tasks, test::albert_classes, test::albert_words, test::albert_span}) {
    INFO(theirs.config);
    auto loaded = imported_encoder(theirs);
    CHECK(test::difference(encoder_output(loaded).flatten(), theirs.logits) < 5e-6);
  }
}

TEST_CASE("what an encoder's configuration says becomes options of ours") {
  const auto alone = imported_encoder(test::bert_alone).experiment;
  CHECK(models::kind_of(alone.model) == models::kEncoder);
  CHECK(alone.model.activation == nn::Activation::relu);
  CHECK(alone.model.attention_dropout == 0.1);
  CHECK(alone.model.embedding_norm);
  CHECK(alone.model.encoder == models::EncoderOptions{.segments = 2});
  CHECK(alone.model.embedding_norm);
  CHECK_FALSE(alone.model.output_bias);
  CHECK(alone.data.max_tokens == 14);
  CHECK(alone.data.masks);
  CHECK(imported_encoder(test::bert_untied).experiment.model.tie == nn::Tie::none);
  const auto classes = imported_encoder(test::bert_classes);
  CHECK(classes.experiment.model.encoder.head == Head::classes);
  CHECK(classes.experiment.data.examples == data::ExampleKind::labelled);
  CHECK(classes.tokenizers.target->bytes_of(kEos + 2) == " so_so");  // one word
  CHECK(imported_encoder(test::bert_number).experiment.model.encoder.head == Head::number);
  CHECK(imported_encoder(test::bert_words).experiment.model.encoder.head == Head::words);
  CHECK(imported_encoder(test::bert_span).experiment.model.encoder.head == Head::span);
  CHECK(imported_encoder(test::bert_span).experiment.model.encoder.segments == 0);
  const auto roberta = imported_encoder(test::roberta_masks).experiment.model;
  CHECK(roberta.max_positions == 15);
  CHECK(roberta.norm_epsilon == 1e-5);
}

TEST_CASE("ALBERT's embeddings keep their size, and its shared layers become copies") {
  auto alone = imported_encoder(test::albert_alone);
  const auto& model = alone.experiment.model;
  CHECK(model.encoder ==
        models::EncoderOptions{.embedding_size = 6, .output_transform = true, .segments = 2});
  CHECK(model.d_model == 8);
  CHECK(model.activation == nn::Activation::gelu_tanh);
  CHECK(model.dropout == 0);
  CHECK_FALSE(model.output_bias);
  // int(i / 1.5) of three layers is 0, 0 and 1. Nobody trained the transform.
  const auto weights = alone.model->named_parameters();
  const auto inner = [&](int layer) {
    return weights[fmt::format("encoder.layers.{}.feed_forward.inner.weight", layer)];
  };
  CHECK(torch::equal(inner(0), inner(1)));
  CHECK_FALSE(torch::equal(inner(1), inner(2)));
  CHECK(torch::equal(weights["output_transform.weight"], weights["embedding_projection.weight"].t()));
  const auto masks = imported_encoder(test::albert_masks);
  CHECK(masks.experiment.model.encoder_layers == 4);
  CHECK(masks.experiment.model.output_bias);
  CHECK(imported_encoder(test::albert_two_tasks).experiment.model.tie == nn::Tie::none);
  const EncoderFolder folder(test::albert_masks), bert(test::bert_masks);
  const auto shared = formats::shared_layers(folder.path());
  REQUIRE(shared);
  CHECK(shared->stored == 2);
  CHECK(shared->layers == 4);
  CHECK_FALSE(formats::shared_layers(bert.path()));
}

TEST_CASE("older folders of encoders call norms and biases otherwise") {
  const EncoderFolder folder(test::bert_masks);
  auto expected = formats::import_encoder(folder.path());
  std::vector<std::pair<std::string, torch::Tensor>> tensors;
  for (const auto& [own, tensor] : checkpoints::load_weights(folder.path() / "model.safetensors")) {
    auto name = own;
    if (name.ends_with("LayerNorm.weight")) name.replace(name.size() - 6, 6, "gamma");
    if (name.ends_with("LayerNorm.bias")) name.replace(name.size() - 4, 4, "beta");
    if (name.starts_with("bert.")) name.erase(0, 5);
    tensors.emplace_back(name == "cls.predictions.bias" ? "cls.predictions.decoder.bias" : name, tensor);
  }
  tensors.emplace_back("embeddings.position_ids", torch::arange(16).unsqueeze(0));
  tensors.emplace_back("pooler.dense.weight", torch::zeros({8, 8}));
  checkpoints::save_safetensors(folder.path() / "model.safetensors", tensors);
  auto found = formats::import_encoder(folder.path());
  CHECK(torch::equal(encoder_output(found), encoder_output(expected)));
}

TEST_CASE("a folder of sentence-transformers says what stands for a text") {
  EncoderFolder folder(test::bert_alone);
  std::filesystem::create_directory(folder.path() / "1_Pooling");
  const auto modules = [&](const std::string& last) {
    folder.write("modules.json", R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
      {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
      {"path": "2_X", "type": "sentence_transformers.models.)" +
                                     last + "\"}]");
  };
  modules("Normalize");
  const auto pooling = [&](const std::string& content) {
    folder.write("1_Pooling/config.json", content);
    return formats::import_encoder(folder.path()).experiment.model.encoder.pooling;
  };
  CHECK(pooling(R"({"pooling_mode_mean_tokens": true})") == models::Pooling::mean);
  CHECK(pooling(R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false})") ==
        models::Pooling::cls);
  CHECK(pooling(R"({"pooling_mode": "mean"})") == models::Pooling::mean);
  CHECK_THROWS_WITH(pooling(R"({"pooling_mode_max_tokens": true})"),
                    ContainsSubstring("expected one pooling, mean or cls, found max_tokens"));
  CHECK_THROWS_WITH(pooling(R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true})"),
                    ContainsSubstring("found cls_token, mean_tokens"));
  CHECK_THROWS_WITH(pooling("{}"), ContainsSubstring("found none"));
  modules("Dense");
  CHECK_THROWS_WITH(pooling(R"({"pooling_mode": "mean"})"),
                    ContainsSubstring("modules.json: expected the modules Transformer, Pooling and at most "
                                      "Normalize, found Transformer, Pooling, Dense"));
  folder.write("modules.json", "[3]");
  CHECK_THROWS_WITH(pooling("{}"), ContainsSubstring("found a module without 'type'"));
}

TEST_CASE("an encoder's pieces may be in tokenizer.json alone, or be pairs of bytes, or SentencePiece's") {
  EncoderFolder folder(test::bert_masks);
  const auto expected = formats::import_encoder(folder.path());
  const auto tokens = [&] { return formats::import_encoder(folder.path()).tokenizers.source; };
  std::filesystem::remove(folder.path() / "vocab.txt");
  CHECK_THROWS_WITH(tokens(), ContainsSubstring("expected vocab.txt, sentencepiece.bpe.model"));
  json ids = json::object();
  std::istringstream lines(kEncoderPieces);
  for (std::string line; std::getline(lines, line);) ids.emplace(line, ids.size());
  json content{{"normalizer", {{"type", "BertNormalizer"}, {"strip_accents", nullptr}, {"lowercase", true}}},
               {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
               {"model", {{"type", "WordPiece"}, {"vocab", ids}}}};
  const auto write = [&] { folder.write("tokenizer.json", content.dump()); };
  write();
  CHECK(tokens()->serialized() == expected.tokenizers.source->serialized());
  const auto refused = [&](const char* section, const char* key, const json& value,
                           const std::string& words) {
    const auto before = content;
    content[section][key] = value;
    write();
    CHECK_THROWS_WITH(tokens(), ContainsSubstring(words));
    content = before;
  };
  refused("normalizer", "clean_text", false, "key 'normalizer': expected true as 'clean_text', found");
  refused("normalizer", "type", "NFC", "key 'normalizer': expected the type BertNormalizer");
  refused("pre_tokenizer", "type", "Whitespace", "key 'pre_tokenizer': expected the type BertPreTokenizer");
  refused("model", "max_input_chars_per_word", 10, "expected 100 as 'max_input_chars_per_word'");
  refused("model", "type", "Unigram", "key 'model': expected the type WordPiece or BPE");
  refused("model", "vocab", {{"a", -1}}, "vocab: 'a': expected a whole number from 0 to 13");
  refused("model", "vocab", {{"a", 0}, {"b", 0}}, "expected an id for one piece");
  refused("model", "vocab", 3, "expected an object of ids as 'vocab'");
  // RoBERTa's, whose mask is an added token.
  const json pairs{{"<s>", 0}, {"<pad>", 1}, {"</s>", 2}, {"<unk>", 3},
                   {"a", 4},   {"b", 5},     {"ab", 6},   {"\u0120", 7}};
  content = {
      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
      {"added_tokens", {{{"id", 9}, {"content", "<mask>"}}}},
      {"model", {{"type", "BPE"}, {"vocab", pairs}, {"merges", json::array({json::array({"a", "b"})})}}}};
  write();
  CHECK(tokens()->encode("ab a") == std::vector<std::int32_t>{6, 7, 4});
  CHECK(tokens()->mask() == 9);
  CHECK(tokens()->size() == 14);
  refused("model", "merges", json::array({"a"}), "expected a list of pairs as 'merges'");
  refused("pre_tokenizer", "add_prefix_space", true, "expected false as 'add_prefix_space'");
  std::filesystem::remove(folder.path() / "tokenizer.json");
  folder.write("vocab.json", pairs.dump());
  folder.write("merges.txt", "#version: 0.2\na b\n");
  CHECK(tokens()->encode("ab") == std::vector<std::int32_t>{6});
}

TEST_CASE("ALBERT's pieces are those of spiece.model, or of tokenizer.json with its scores") {
  EncoderFolder folder(test::albert_masks);
  std::filesystem::remove(folder.path() / "vocab.txt");
  const auto tokens = [&] { return formats::import_encoder(folder.path()).tokenizers.source; };
  CHECK_THROWS_WITH(tokens(), ContainsSubstring("tokenizer.json, or spiece.model, found none"));
  data::UnigramModel model;
  const std::vector<std::string> pieces{"<unk>", "<pad>",   "[CLS]",    "[SEP]",   "[MASK]", "\u2581",
                                        "a",     "\u2581a", "\u25819,", "\u25819", ",",      "\""};
  for (const auto& piece : pieces) model.pieces.push_back({piece, piece == "\u2581a" ? -1.0F : -2.0F});
  folder.write("spiece.model", data::unigram_model(model));
  // Ids of ours: unknown 0, padding 1, begin 2, end 3.
  CHECK(tokens()->encode("\u00C1A\ta 9, ``") == std::vector<std::int32_t>{7, 6, 7, 9, 10, 5, 11});
  CHECK(tokens()->mask() == 4);
  CHECK(tokens()->size() == 14);
  // tokenizer.json counts where both are there, and says the scores.
  json vocabulary = json::array();
  std::vector<std::string> theirs = pieces;
  std::swap(theirs[0], theirs[1]);
  for (const auto& piece : theirs) vocabulary.push_back({piece, piece == "\u2581a" ? -1 : -2});
  json steps = json::array();
  for (const auto* quotes : {"``", "''"})
    steps.push_back({{"type", "Replace"}, {"pattern", {{"String", quotes}}}, {"content", "\""}});
  for (const auto* type : {"NFKD", "StripAccents", "Lowercase"}) steps.push_back({{"type", type}});
  const json blank{{"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", "always"}};
  json content{
      {"normalizer", {{"type", "Sequence"}, {"normalizers", steps}}},
      {"pre_tokenizer",
       {{"type", "Sequence"}, {"pretokenizers", json::array({{{"type", "WhitespaceSplit"}}, blank})}}},
      {"added_tokens", {{{"id", 4}, {"content", "[MASK]"}, {"special", true}}}},
      {"model", {{"type", "Unigram"}, {"unk_id", 1}, {"vocab", vocabulary}}}};
  const auto write = [&] { folder.write("tokenizer.json", content.dump()); };
  write();
  CHECK(tokens()->encode("\u00C1A\ta 9, ``") == std::vector<std::int32_t>{7, 6, 7, 8, 5, 11});
  content["normalizer"]["normalizers"].push_back({{"type", "Precompiled"}, {"precompiled_charsmap", "AAAA"}});
  const auto refused = [&](const std::function<void(json&)>& change, const std::string& words) {
    const auto before = content;
    change(content);
    write();
    CHECK_THROWS_WITH(tokens(), ContainsSubstring(words));
    content = before;
  };
  const auto nothing = [](json&) {};
  refused(nothing, "tokenizer.json: expected a normaliser, found that the map of its characters is damaged");
  content["normalizer"]["normalizers"] = steps;
  refused(
      [](json& j) { j["normalizer"]["normalizers"].erase(4); },
      "key 'normalizer': expected the steps Replace Replace NFKD StripAccents Lowercase beside do_lower_case "
      "true and keep_accents false");
  refused([](json& j) { j["normalizer"]["normalizers"][0]["content"] = "x"; },
          "key 'normalizer': expected the steps");
  refused(
      [](json& j) {
        j["normalizer"]["normalizers"].push_back({{"type", "Precompiled"}, {"precompiled_charsmap", "?"}});
      },
      "key 'normalizer': expected base64 as 'precompiled_charsmap'");
  refused(
      [](json& j) {
        j["pre_tokenizer"] = {{"type", "Whitespace"}};
      },
      "key 'pre_tokenizer': expected Metaspace");
  refused([](json& j) { j["added_tokens"][0]["special"] = false; },
          "key 'added_tokens': expected special tokens alone");
  refused([](json& j) { j["added_tokens"][0]["content"] = "x"; },
          "key 'added_tokens': expected '[MASK]' as the token 4");
  refused([](json& j) { j["model"]["unk_id"] = 0; }, "key 'model': expected 1 as 'unk_id'");
  refused([](json& j) { j["model"]["vocab"][7] = 3; }, "key 'model': expected a list of pieces and scores");
  refused([](json& j) { j["model"]["byte_fallback"] = true; },
          "key 'model': expected false as 'byte_fallback'");
  write();
  const auto setting = [&](const std::string& about, const std::string& words) {
    folder.write("tokenizer_config.json", about);
    CHECK_THROWS_WITH(tokens(), ContainsSubstring(words));
  };
  setting(R"({"do_lower_case": false})",
          "key 'normalizer': expected the steps Replace Replace NFKD StripAccents ");
  setting(R"({"keep_accents": true})", "key 'normalizer': expected the steps Replace Replace Lowercase ");
  setting(R"({"tokenizer_class": "T5Tokenizer"})", "key 'tokenizer_class': expected AlbertTokenizer");
  setting(R"({"remove_space": false})", "key 'remove_space': expected true");
  setting(R"({"add_prefix_space": false})", "key 'add_prefix_space': expected true");
  setting(R"({"sp_model_kwargs": {"enable_sampling": true}})", "key 'sp_model_kwargs': expected nothing");
  folder.write("tokenizer_config.json", R"({"keep_accents": true, "do_lower_case": false})");
  std::filesystem::remove(folder.path() / "tokenizer.json");
  CHECK(tokens()->encode("a\u00C1") == std::vector<std::int32_t>{7, kUnknown});
  folder.write("spiece.model", "none");
  CHECK_THROWS_WITH(tokens(), ContainsSubstring("spiece.model: expected a SentencePiece model"));
}

TEST_CASE("encoders that cannot be expressed are refused by name") {
  const auto refused = [](const test::TheirModel& theirs, const std::function<void(json&)>& change,
                          const std::string& words) {
    EncoderFolder folder(theirs);
    folder.change(change);
    CHECK_THROWS_WITH(formats::import_huggingface(folder.path()), ContainsSubstring(words));
  };
  const auto setting = [&](const test::TheirModel& theirs, const char* key, const json& value,
                           const std::string& expected) {
    refused(
        theirs, [&](json& config) { config[key] = value; },
        std::string("key '") + key + "': expected " + expected);
  };
  const auto& bert = test::bert_masks;
  setting(bert, "model_type", "electra", "albert, bart, bert, distilbert, gemma");
  setting(bert, "architectures", json::array({"BertLMHeadModel"}), "a list of one class");
  setting(bert, "architectures", json::array({"RobertaForMaskedLM"}), "a list of one class");
  setting(bert, "architectures", nullptr, "a list of one class");
  setting(bert, "hidden_act", "relu", "gelu in BertForMaskedLM");
  setting(test::bert_alone, "hidden_act", "tanh", "gelu, gelu_new, relu or silu");
  setting(bert, "position_embedding_type", "relative_key", "absolute");
  setting(bert, "is_decoder", true, "false");
  setting(bert, "add_cross_attention", true, "false");
  setting(bert, "pruned_heads", {{"0", {1}}}, "nothing");
  setting(bert, "quantization_config", {{"bits", 4}}, "nothing");
  setting(bert, "num_attention_heads", 3, "a divisor of hidden_size, 8");
  setting(bert, "hidden_size", 1e30, "a whole number");
  setting(bert, "hidden_dropout_prob", 1, "a number from 0");
  setting(test::bert_classes, "problem_type", "multi_label_classification", "regression or single_label");
  setting(test::bert_classes, "problem_type", "regression", "one label of a regression");
  setting(test::bert_classes, "id2label", {{"0", "a"}, {"2", "b"}}, "an object that gives the ids 0, 1");
  setting(test::bert_classes, "id2label", {{"0", "a b"}, {"1", "a_b"}}, "different labels");
  setting(test::bert_span, "num_labels", 3, "two: the beginning and the end");
  setting(test::distilbert_words, "architectures", json::array({"DistilBertForSequenceClassification"}),
          "another class, since");
  setting(test::roberta_masks, "max_position_embeddings", 3, "at least 4");
  const auto& albert = test::albert_masks;
  setting(albert, "architectures", json::array({"AlbertForMultipleChoice"}), "a list of one class");
  setting(albert, "hidden_act", "tanh", "gelu, gelu_new, relu or silu");
  setting(albert, "embedding_size", 0, "a whole number from 1");
  setting(albert, "num_hidden_groups", 3, "at most 2, the layers");
  setting(albert, "inner_group_num", 60, "at most 100 layers with num_hidden_layers");
  refused(
      albert, [](json& config) { config["inner_group_num"] = 3; },
      "'albert.encoder.albert_layer_groups.0.albert_layers.2.");
  refused(
      albert, [](json& config) { config["embedding_size"] = 5; },
      "should be of floating-point numbers [14, 5]");
  refused(
      bert, [](json& config) { config["num_hidden_layers"] = 3; }, "'bert.encoder.layer.2.");
  refused(
      bert, [](json& config) { config["num_hidden_layers"] = 1; },
      "which BertForMaskedLM of config.json has not");
  refused(
      bert, [](json& config) { config["intermediate_size"] = 13; },
      "should be of floating-point numbers [13, 8]");
  refused(
      bert, [](json& config) { config["vocab_size"] = 5000000; }, "expected the");
  refused(
      bert, [](json& config) { config["vocab_size"] = 13; }, "expected at most 13 pieces");
  EncoderFolder pickled(bert);
  std::filesystem::rename(pickled.path() / "model.safetensors", pickled.path() / "pytorch_model.bin");
  CHECK_THROWS_WITH(formats::import_encoder(pickled.path()),
                    ContainsSubstring("pytorch_model.bin: expected a zip archive"));
}

TEST_CASE("wrong pieces of an encoder are refused by name") {
  EncoderFolder folder(test::bert_masks);
  const auto refused = [&](const std::string& pieces, const std::string& words) {
    folder.write("vocab.txt", pieces);
    CHECK_THROWS_WITH(formats::import_encoder(folder.path()), ContainsSubstring(words));
  };
  refused("", "vocab.txt: expected the special token '[UNK]', found no such piece");
  refused("[PAD]\n[CLS]\n[SEP]\na\n", "expected the special token '[UNK]'");
  refused("[PAD]\n[UNK]\n[CLS]\na\n", "expected the special token '[SEP]'");
  refused(kEncoderPieces + "cat\n", "expected at most 14 pieces");
  refused("[PAD]\n[UNK]\n[CLS]\n[SEP]\na\na\n", "expected different pieces, found 'a' twice");
  refused("[PAD]\n[UNK]\n\n[CLS]\n[SEP]\n", "vocab.txt:3: expected a piece, found an empty line");
  refused("[PAD]\n[UNK]\n[CLS]\n[SEP]\n\xFF\n", "vocab.txt:5:");
  folder.write("vocab.txt", "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\n");  // fewer than the model has
  CHECK(formats::import_encoder(folder.path()).tokenizers.source->size() == 14);
  folder.write("vocab.txt", kEncoderPieces);
  const auto setting = [&](const std::string& content, const std::string& words) {
    folder.write("tokenizer_config.json", content);
    CHECK_THROWS_WITH(formats::import_encoder(folder.path()), ContainsSubstring(words));
  };
  setting(R"({"tokenizer_class": "BertJapaneseTokenizer"})", "key 'tokenizer_class': expected BertTokenizer");
  setting(R"({"do_basic_tokenize": false})", "key 'do_basic_tokenize': expected true");
  setting(R"({"do_lower_case": 1})", "key 'do_lower_case': expected true or false");
  setting(R"({"unk_token": "none"})", "expected the special token 'none'");
  setting(R"({"unk_token": 3})", "key 'unk_token': expected a token");
  setting(R"({"unk_token": "[CLS]"})", "expected four special tokens");
  folder.write("tokenizer_config.json", R"({"do_lower_case": false, "mask_token": {"content": "on"}})");
  const auto tokenizer = formats::import_encoder(folder.path()).tokenizers.source;
  CHECK_FALSE(tokenizer->word_pieces()->options().strip_accents);
  CHECK(tokenizer->piece_of(9) == data::kMaskPiece);
  std::filesystem::remove(folder.path() / "vocab.txt");
  folder.write("sentencepiece.bpe.model", "none");
  CHECK_THROWS_WITH(formats::import_encoder(folder.path()),
                    ContainsSubstring("sentencepiece.bpe.model: expected a SentencePiece model"));
  folder.write("sentencepiece.bpe.model", data::word_model(std::vector<std::string>{"a"}));
  CHECK_THROWS_WITH(formats::import_encoder(folder.path()),
                    ContainsSubstring("expected the unknown, begin and end pieces as ids 0, 1 and 2"));
}
