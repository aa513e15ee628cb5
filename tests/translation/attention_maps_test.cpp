#include "transformer/translation/attention_maps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "tests/catch.h"
#include "tests/data/small_tokenizer.h"
#include "tests/nn/checks.h"
#include "tests/translation/toy_model.h"
#include "transformer/base/error.h"
#include "transformer/models/decoder/decoder_only.h"
#include "transformer/models/kinds.h"
#include "transformer/nn/attention_record.h"
#include "transformer/translation/text_translation.h"
#include "transformer/variants/choice.h"

using namespace transformer;
using translation::ForcedPair;
using translation::TextOrigin;

namespace {

constexpr std::int64_t kVocabulary = 120;

struct Texts {
  test::TemporaryFolder folder;
  checkpoints::Tokenizers tokenizers;

  Texts() {
    tokenizers.source = std::make_shared<data::Tokenizer>(test::train(folder, test::small(kVocabulary)));
    tokenizers.target = tokenizers.source;
  }

  ForcedPair pair(const std::string& source, const std::string& target) const {
    return {tokenizers.source->encode(source), tokenizers.target->encode(target)};
  }
};

torch::Tensor tensor_of(const maps::AttentionWeights& weights) {
  const auto size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  return torch::tensor(weights.values)
      .view({size(weights.layers), size(weights.heads), size(weights.queries), size(weights.keys)});
}

std::vector<std::string> texts_of(const std::vector<maps::Piece>& pieces) {
  std::vector<std::string> texts;
  for (const auto& piece : pieces) texts.push_back(piece.text);
  return texts;
}

/// softmax(x W_Q (x W_K)ᵀ / √d_k) of each head: (H, T, T)
torch::Tensor by_hand(const nn::MultiHeadAttention& attention, const torch::Tensor& x, std::int64_t heads) {
  std::vector<torch::Tensor> weights;
  const auto queries = x.matmul(attention->query->weight.t()).chunk(heads, -1);
  const auto keys = x.matmul(attention->key->weight.t()).chunk(heads, -1);
  for (std::size_t h = 0; h < queries.size(); ++h) {
    const auto scores = queries[h].matmul(keys[h].t()) / std::sqrt(static_cast<double>(keys[h].size(-1)));
    weights.push_back(torch::softmax(scores, -1));
  }
  return torch::stack(weights);
}

}  // namespace

TEST_CASE("a map has the pieces of both sides, and a softmax of each query in each layer and head") {
  const Texts texts;
  auto model = test::toy_model(1, kVocabulary);
  const std::vector<ForcedPair> pairs{texts.pair("the old house", "a small dog sleeps"), texts.pair("", "")};
  const auto found = translation::attention_maps(model, texts.tokenizers, pairs, TextOrigin::given);
  REQUIRE(found.size() == 2);
  const auto& map = found[0];
  const auto source = pairs[0].source.size() + 1, target = pairs[0].target.size() + 1;
  const auto count = map.encoder.values.size() + map.masked.values.size() + map.cross.values.size();
  CHECK(translation::count_attention_weights(translation::attention_sizes(model),
                                             std::span(pairs).first(1)) == static_cast<std::int64_t>(count));
  CHECK(map.source.size() == source);
  CHECK(map.read.size() == target);
  CHECK(map.target.size() == target);
  CHECK(maps::word_texts(map.source) == std::vector<std::string>{"the", "old", "house", "</s>"});
  CHECK(maps::word_texts(map.read) == std::vector<std::string>{"<s>", "a", "small", "dog", "sleeps"});
  CHECK(maps::word_texts(map.target) == std::vector<std::string>{"a", "small", "dog", "sleeps", "</s>"});
  CHECK(map.source.back().is_special);
  CHECK(map.encoder.layers == 1);
  CHECK(map.masked.layers == 2);
  CHECK(map.cross.layers == 2);
  CHECK(map.encoder.queries == source);
  CHECK(map.encoder.keys == source);
  CHECK(map.masked.queries == target);
  CHECK(map.masked.keys == target);
  CHECK(map.cross.queries == target);
  CHECK(map.cross.keys == source);
  for (const auto* weights : {&map.encoder, &map.masked, &map.cross}) {
    CHECK(weights->heads == 2);
    const auto all = tensor_of(*weights);
    CHECK(test::difference(all.sum(-1), torch::ones_like(all.sum(-1))) < 1e-6);
    CHECK(all.min().item<float>() >= 0);
  }
  CHECK(tensor_of(map.masked).triu(1).abs().sum().item<float>() == 0.0F);
  CHECK(tensor_of(map.masked).select(2, 0).select(2, 0).eq(1).all().item<bool>());

  // A pair without tokens has nothing but an end.
  CHECK(texts_of(found[1].source) == std::vector<std::string>{"</s>"});
  CHECK(texts_of(found[1].read) == std::vector<std::string>{"<s>"});
  CHECK(found[1].cross.values == std::vector<float>{1, 1, 1, 1});
}

TEST_CASE("the first layers' weights are the softmax of what they read") {
  const Texts texts;
  auto model = test::toy_model(1, kVocabulary);
  const std::vector<ForcedPair> pairs{texts.pair("the old house", "a small dog sleeps")};
  const auto found = translation::attention_maps(model, texts.tokenizers, pairs, TextOrigin::given);
  const torch::NoGradGuard no_gradients;
  const auto [source, input] = translation::forced_tensors(pairs, std::vector<std::size_t>{0});
  const auto first = [&](nn::Embedding& embedding, nn::PositionalEncoding& positions,
                         const torch::Tensor& ids) { return positions(embedding(ids))[0]; };
  const auto x = first(model->source_embedding, model->source_positions, source);
  const auto encoder = model->encoder->layers[0]->as<nn::EncoderLayer>()->self_attention;
  CHECK(test::difference(tensor_of(found[0].encoder)[0], by_hand(encoder, x, 2)) < 1e-5);

  const auto y = first(model->target_embedding, model->target_positions, input);
  const auto decoder = model->decoder->layers[0]->as<nn::DecoderLayer>()->self_attention;
  const auto unmasked = by_hand(decoder, y, 2).tril();  // what the mask leaves, to be divided by its sum
  CHECK(test::difference(tensor_of(found[0].masked)[0], unmasked / unmasked.sum(-1, true)) < 1e-5);
}

TEST_CASE("neighbours change nothing, and the order is that of the pairs") {
  const Texts texts;
  auto model = test::toy_model(2, kVocabulary);
  model->train();
  const std::vector<ForcedPair> pairs{
      texts.pair("dog", "the children play in the garden"), texts.pair("", "a dog"),
      texts.pair("nobody knows where the key was found", "house"), texts.pair("we saw seven ships", "")};
  const auto together = translation::attention_maps(model, texts.tokenizers, pairs, TextOrigin::given);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto alone =
        translation::attention_maps(model, texts.tokenizers, {&pairs[i], 1}, TextOrigin::given).front();
    CHECK(texts_of(alone.source) == texts_of(together[i].source));
    CHECK(texts_of(alone.target) == texts_of(together[i].target));
    CHECK(test::difference(tensor_of(alone.encoder), tensor_of(together[i].encoder)) < 1e-5);
    CHECK(test::difference(tensor_of(alone.masked), tensor_of(together[i].masked)) < 1e-5);
    CHECK(test::difference(tensor_of(alone.cross), tensor_of(together[i].cross)) < 1e-5);
  }
  CHECK(model->is_training());
  CHECK(translation::attention_maps(model, texts.tokenizers, {}, TextOrigin::given).empty());
  CHECK(nn::AttentionRecord::active() == nullptr);
}

TEST_CASE("words of a text are those between blanks, also around unknown pieces") {
  const Texts texts;
  const auto& tokenizer = *texts.tokenizers.source;
  for (const std::string line : {"the old house", "the o☃ld house", "☃ the ☃☃", "thé house"}) {
    const auto ids = tokenizer.encode(line);
    const auto given = translation::pieces_of(ids, tokenizer, TextOrigin::given);
    CHECK(maps::words_of(given).back() + 1 == 1 + static_cast<std::size_t>(std::ranges::count(line, ' ')));

    std::istringstream decoded(tokenizer.decode(ids));
    std::vector<std::string> words;
    for (std::string word; decoded >> word;) words.push_back(word);
    CHECK(maps::word_texts(translation::pieces_of(ids, tokenizer, TextOrigin::decoded)).size() ==
          words.size());
  }
}

TEST_CASE("a source is cut where translation cuts it") {
  const Texts texts;
  const auto& tokenizer = *texts.tokenizers.source;
  const std::string line = "the children play in the garden";
  const auto all = tokenizer.encode(line);
  CHECK(translation::encode_as_translated(line, tokenizer, 1000) == all);
  CHECK(translation::encode_as_translated(line, tokenizer, 3) ==
        std::vector<std::int32_t>(all.begin(), all.begin() + 3));
}

TEST_CASE("pairs that learned positions cannot hold are refused") {
  const Texts texts;
  auto model = test::toy_model(1, kVocabulary, nn::Positions::learned, 4);
  const std::vector<ForcedPair> pairs{texts.pair("the children play in the garden", "a")};
  CHECK_THROWS_AS(translation::attention_maps(model, texts.tokenizers, pairs, TextOrigin::given), InputError);
}

TEST_CASE("a language model has the masked map of its text on itself, and nothing else") {
  const Texts texts;
  torch::manual_seed(3);
  models::DecoderOnly model(models::ModelOptions{.kind = {models::kDecoder, {}},
                                                 .decoder_layers = 2,
                                                 .d_model = 16,
                                                 .d_ff = 32,
                                                 .heads = 2,
                                                 .d_k = 8,
                                                 .d_v = 8},
                            models::VocabularySizes{kVocabulary, kVocabulary});
  const std::vector<ForcedPair> pairs{
      {.target = texts.tokenizers.target->encode("a small dog sleeps"), .first = kEos}, {}};
  const auto found = translation::attention_maps(model, texts.tokenizers, pairs, TextOrigin::decoded);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& [source, read, target, encoder, masked, cross] = found[i];
    CHECK((source.empty() && encoder.layers == 0 && cross.layers == 0));
    CHECK((masked.layers == 2 && masked.heads == 2 && masked.queries == pairs[i].target.size() + 1));
    CHECK((read.size() == masked.queries && target.size() == masked.queries));
    const auto all = tensor_of(masked);
    CHECK(test::difference(all.sum(-1), torch::ones_like(all.sum(-1))) < 1e-6);
    CHECK(all.triu(1).abs().sum().item<float>() == 0.0F);
  }
  CHECK(maps::word_texts(found[0].read) == std::vector<std::string>{"</s>", "a", "small", "dog", "sleeps"});
  CHECK(translation::count_attention_weights(translation::attention_sizes(model), pairs) ==
        static_cast<std::int64_t>(found[0].masked.values.size() + found[1].masked.values.size()));
  // The first layer's weights are the softmax of what it reads.
  const torch::NoGradGuard no_gradients;
  model->eval();
  const auto ids = translation::forced_tensors(pairs, std::vector<std::size_t>{0}).input;
  const auto x = model->positions(model->embedding(ids))[0];
  const auto layer = model->decoder->layers[0]->as<nn::DecoderLayer>()->self_attention;
  const auto unmasked = by_hand(layer, x, 2).tril();
  CHECK(test::difference(tensor_of(found[0].masked)[0], unmasked / unmasked.sum(-1, true)) < 1e-5);
}

TEST_CASE("a recurrent model has a map of the source, in one layer and head, if it has attention") {
  const Texts texts;
  const auto model_of = [](const std::string& kind) {
    return models::make(
        {.kind = *variants::parse(kind), .encoder_layers = 2, .decoder_layers = 1, .d_model = 8},
        {kVocabulary, kVocabulary});
  };
  const std::vector<ForcedPair> pairs{texts.pair("the old house", "a small dog sleeps"), texts.pair("a", "")};
  for (const auto* kind :
       {"recurrent attention=additive reverse_source=true", "recurrent attention=product"}) {
    INFO(kind);
    const auto maps = translation::attention_maps(model_of(kind), texts.tokenizers, pairs, TextOrigin::given);
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const auto& [source, read, target, encoder, masked, cross] = maps[i];
      CHECK((encoder.layers == 0 && masked.layers == 0 && cross.layers == 1 && cross.heads == 1));
      REQUIRE((cross.queries == pairs[i].target.size() + 1 && cross.keys == pairs[i].source.size() + 1));
      for (std::size_t query = 0; query < cross.queries; ++query) {
        const auto row = cross.row(0, 0, query);
        CHECK(std::accumulate(row.begin(), row.end(), 0.0) == Approx(1).epsilon(1e-5));
      }
    }
  }
  CHECK_THROWS_WITH(
      translation::attention_maps(model_of("recurrent attention=none"), texts.tokenizers, pairs,
                                  TextOrigin::given),
      ContainsSubstring(
          "attention: expected a model with attention over the source, found model.kind: recurrent "
          "attention=none"));
}
