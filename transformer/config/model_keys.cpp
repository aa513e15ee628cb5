#include "transformer/config/key_types.h"

namespace transformer::config {
namespace {

#define FIELD(path) ([](auto& experiment) -> auto& { return experiment.path; })

const Range kSize{.min = 1, .max = 1e6};
const Range kLayers{.min = 1, .max = 1000};

Key layers() {
  const auto encoder =
      integer("model.layers", FIELD(model.encoder_layers), kLayers, "sets encoder_layers and decoder_layers");
  const auto decoder = integer("", FIELD(model.decoder_layers), kLayers, "");
  Key both = encoder;
  both.kind = Key::Kind::shorthand;
  both.set = [=](Experiment& experiment, const Value& value) {
    return encoder.set(experiment, value) && decoder.set(experiment, value);
  };
  return both;
}

// Kinds are written as variants are, with their options.
Key kind() {
  auto own =
      variant(variants::Kind::model, FIELD(model.kind),
              "encoder-decoder: the paper's; decoder: its decoder alone, a language model; encoder: its "
              "encoder alone, for masked tokens and labels; recurrent: "
              "GRU or LSTM (options: --help-config's end); "
              "or a kind from a shared "
              "library (--load); others than the first read some of the keys");
  Key key = own;
  key.expected = "encoder-decoder, or the name of a kind and its options, such as: recurrent cell=lstm";
  key.set = [=](Experiment& experiment, const Value& value) {
    return own.set(experiment, value.text == models::kEncoderDecoder ? Value{"none"} : value);
  };
  key.get = [=](const Experiment& experiment) {
    return experiment.model.kind ? own.get(experiment) : std::string(models::kEncoderDecoder);
  };
  return key;
}

// A variant takes the place of vectors that are added to the embeddings.
Key positions() {
  auto key = choice(
      "model.positions", FIELD(model.positions),
      "sinusoids in three layouts, or with every_layer; learned; rotary: turned queries and keys; bias, "
      "alibi: of scores; relative: vectors of distances, for keys and values; none");
  key.departure = [own = key.departure](const Experiment& e) {
    const bool replaced = e.model.variants.positions && nn::are_vectors(e.model.positions);
    return replaced ? std::string() : own(e);
  };
  return key;
}

Key attention_window() {
  auto key =
      integer("model.attention_window", FIELD(model.attention_window), kFromZero,
              "self-attention reaches so many positions to either side (the paper's r: twice that, and "
              "1); 0: all");
  key.departure = [](const Experiment& e) {
    const auto window = e.model.attention_window;
    return window == 0
               ? std::string()
               : fmt::format(
                     "self-attention reaches {} positions to each side and no farther (in section 4 r "
                     "= {}, which counts both sides and the position itself); the paper's models "
                     "reach all (expected: about the same BLEU of short sentences)",
                     window, 2 * window + 1);
  };
  return key;
}

Key kv_heads() {
  auto key = integer("model.kv_heads", FIELD(model.kv_heads), {.min = 0, .max = 1e6},
                     "heads of keys and values, a divisor of model.heads; 0: as many");
  key.departure = [](const Experiment& e) {
    return models::kv_heads_of(e.model) == e.model.heads
               ? std::string()
               : fmt::format(
                     "{} heads of keys and values for {} heads; the paper has one for each (expected: "
                     "a slightly lower BLEU)",
                     e.model.kv_heads, e.model.heads);
  };
  return key;
}

// What it predicts is no departure besides that of the kind.
Key head() {
  auto key = choice("model.head", FIELD(model.encoder.head),
                    "of an encoder alone: what it predicts; none: masked tokens; classes, number: of a text; "
                    "words: a label for each; span: the answer in it");
  key.departure = nullptr;
  return key;
}

Key embedding_size() {
  auto key = integer("model.embedding_size", FIELD(model.encoder.embedding_size), {.min = 0, .max = 1e6},
                     "of an encoder alone: width of its embeddings, behind which a linear layer gives "
                     "model.d_model, as in ALBERT; 0: model.d_model");
  key.departure = [](const Experiment& e) {
    const auto size = e.model.encoder.embedding_size;
    return size == 0
               ? std::string()
               : fmt::format(
                     "embeddings of width {} and a linear layer from there to d_model; the paper's are as "
                     "wide as the model",
                     size);
  };
  return key;
}

Key norm_epsilon() {
  auto key = real("model.norm_epsilon", FIELD(model.norm_epsilon), kEpsilon,
                  "added to the variance (rms: to the mean of squares) in normalisation");
  key.departure = [](const Experiment& e) {
    const auto epsilon = e.model.norm_epsilon;
    return epsilon == 1e-5 || epsilon == 1e-6
               ? std::string()
               : fmt::format(
                     "normalisation adds {} under its root (norm_epsilon); the paper is silent, "
                     "tensor2tensor used 1e-6",
                     epsilon);
  };
  return key;
}

Key rotary_base() {
  auto key = real("model.rotary_base", FIELD(model.rotary_base), {.min = 1, .max = 1e12},
                  "of rotary positions: larger ones turn more slowly; nothing to others");
  key.departure = [](const Experiment& e) {
    const auto base = e.model.rotary_base;
    return !nn::are_rotary(e.model.positions) || base == 10000
               ? std::string()
               : fmt::format("rotary positions with frequencies of base {} instead of 10000", base);
  };
  return key;
}

}  // namespace

std::vector<Key> model_keys() {
  return {
      kind(),
      layers(),
      integer("model.encoder_layers", FIELD(model.encoder_layers), kLayers, "layers of the encoder (N)"),
      integer("model.decoder_layers", FIELD(model.decoder_layers), kLayers, "layers of the decoder (N)"),
      integer("model.d_model", FIELD(model.d_model), kSize, "width of the model"),
      integer("model.d_ff", FIELD(model.d_ff), kSize, "width inside the feed-forward layers"),
      integer("model.heads", FIELD(model.heads), kSize, "attention heads (h)"),
      integer("model.d_k", FIELD(model.d_k), kSize, "width of a head's queries and keys"),
      integer("model.d_v", FIELD(model.d_v), kSize, "width of a head's values"),
      real("model.dropout", FIELD(model.dropout), kShare, "on each sublayer's output and the embeddings"),
      real("model.attention_dropout", FIELD(model.attention_dropout), kShare, "on attention weights",
           "dropout {} on attention weights; the paper has none there"),
      real("model.activation_dropout", FIELD(model.activation_dropout), kShare,
           "inside the feed-forward layers",
           "dropout {} inside feed-forward layers; the paper has none there"),
      positions(),
      choice("model.norm", FIELD(model.norm),
             "layer normalisation after or before each sublayer; sandwich: before and of its result"),
      choice("model.norm_type", FIELD(model.norm_type),
             "what normalises: layer normalisation, the root of the mean square, the batch, or nothing"),
      boolean("model.residual", FIELD(model.residual), "whether there are residual connections",
              "no residual connections; the paper has one around each sublayer (expected: hardly trains)"),
      boolean("model.parallel_sublayers", FIELD(model.parallel_sublayers),
              "whether a layer's sublayers read the same, and their sum is added",
              "a layer's sublayers stand beside each other and their sum is added; the paper's stand one "
              "behind the other (expected: a slightly lower BLEU)"),
      choice("model.feed_forward", FIELD(model.feed_forward),
             "what a layer ends with; glu, swiglu, geglu: with a gate in the place of the activation"),
      choice("model.activation", FIELD(model.activation), "activation function of the feed-forward layers"),
      boolean(
          "model.attention_scale", FIELD(model.attention_scale),
          "whether attention's scores are divided by √d_k",
          "attention's scores are not divided by √d_k; the paper's are (expected: lower BLEU where d_k is "
          "large)"),
      choice("model.attention_score", FIELD(model.attention_score),
             "product: of query and key; additive: of a network with one hidden layer"),
      attention_window(),
      kv_heads(),
      boolean("model.qk_norm", FIELD(model.qk_norm),
              "whether each head's queries and keys are divided by the root of their mean square",
              "each head's queries and keys are normalised; the paper's are not (expected: about the same "
              "BLEU)"),
      boolean("model.attention_bias", FIELD(model.attention_bias),
              "whether the attention projections have biases",
              "attention projections have biases; the paper's have none (expected: no difference)"),
      boolean("model.output_bias", FIELD(model.output_bias), "whether the output projection has a bias",
              "the output projection has a bias; the paper's has none (expected: no difference)"),
      choice(
          "model.tie", FIELD(model.tie),
          "what shares one matrix; all: both embeddings and the output; target: target embedding and output"),
      boolean("model.scale_embedding", FIELD(model.scale_embedding),
              "whether embeddings are multiplied by √d_model",
              "embeddings are not multiplied by √d_model; the paper's are (expected: about the same BLEU)"),
      boolean(
          "model.embedding_norm", FIELD(model.embedding_norm),
          "whether each stack normalises its sum of embeddings and positions, as BERT and BART do",
          "the sum of embeddings and positions is normalised; the paper's is not (expected: about the same "
          "BLEU)"),
      boolean("model.source_end", FIELD(model.source_end),
              "whether the model reads the end token of its source, as fairseq's and Marian's do",
              "nothing attends to the source's end token, as if there were none (expected: about the same "
              "BLEU)"),
      norm_epsilon(),
      rotary_base(),
      integer("model.max_positions", FIELD(model.max_positions), kSize,
              "longest sequence of learned positions, in tokens; nothing to others"),
      integer("model.relative_distance", FIELD(model.relative_distance), kSize,
              "of relative positions: larger distances count as this one; nothing to others"),
      head(),
      choice("model.pooling", FIELD(model.encoder.pooling),
             "of an encoder alone: what its head reads of a text; cls: the first token's state; mean: the "
             "mean of all"),
      embedding_size(),
      boolean(
          "model.output_transform", FIELD(model.encoder.output_transform),
          "of an encoder alone: whether a layer with GELU (beside model.embedding_size: with "
          "model.activation) and a norm precedes the output projection",
          "a layer with an activation and a norm precedes the output projection, as BERT's; the paper has "
          "none"),
      integer("model.segments", FIELD(model.encoder.segments), {.min = 0, .max = 1000},
              "of an encoder alone: learned vectors of a text's parts, which end in the end token; 0: none",
              "{} learned vectors for the parts of a text; the paper has none"),
      variant(variants::Kind::attention, FIELD(model.variants.attention),
              "a variant from a shared library (--load), in place of scaled dot-product attention"),
      variant(variants::Kind::feed_forward, FIELD(model.variants.feed_forward),
              "the same, in place of the feed-forward layers"),
      variant(variants::Kind::norm, FIELD(model.variants.norm), "the same, in place of layer normalisation"),
      variant(variants::Kind::positions, FIELD(model.variants.positions),
              "the same, in place of the vectors that are added to the embeddings"),
  };
}

#undef FIELD

}  // namespace transformer::config
