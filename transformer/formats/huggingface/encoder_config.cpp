#include "transformer/formats/huggingface/encoder_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "transformer/formats/huggingface/encoder_pooling.h"
#include "transformer/formats/json_object.h"

namespace transformer::formats::encoders {
namespace {

namespace fs = std::filesystem;
using models::Head;

constexpr std::int64_t kMostNumbers = 1'000'000, kMostStacked = 1000, kMostTokens = 10'000'000;
constexpr std::int64_t kMostLabels = 10'000, kMostShared = 100;

/// The same number has another key in DistilBERT.
struct Keys {
  const char *width = "hidden_size", *layers = "num_hidden_layers", *heads = "num_attention_heads",
             *inner = "intermediate_size", *activation = "hidden_act", *dropout = "hidden_dropout_prob",
             *attention_dropout = "attention_probs_dropout_prob";
};

Keys keys_of(Family family) {
  if (family != Family::distilbert) return {};
  return {"dim", "n_layers", "n_heads", "hidden_dim", "activation", "dropout", "attention_dropout"};
}

/// What a key says that is not there.
struct Usual {
  std::int64_t vocabulary = 30522, width = 768, layers = 12, heads = 12, inner = 3072;
  double dropout = 0.1;
  const char* activation = "gelu";
};

Usual usual_of(Family family) {
  switch (family) {
    case Family::bert:
      return {};
    case Family::roberta:
    case Family::xlm_roberta:
      return {.vocabulary = 50265};
    case Family::distilbert:
      return {.layers = 6};
    case Family::albert:
      return {.vocabulary = 30000,
              .width = 4096,
              .heads = 64,
              .inner = 16384,
              .dropout = 0,
              .activation = "gelu_new"};
  }
  no_such_choice();
}

std::int64_t number(const JsonObject& config, const char* key, std::int64_t otherwise,
                    std::int64_t most = kMostNumbers) {
  return config.integer(key, 1, most).value_or(otherwise);
}

void expect(const JsonObject& config, const char* key, bool value) {
  if (config.boolean(key).value_or(value) != value) config.refuse(key, value ? "true" : "false");
}

Family family_of(const JsonObject& config) {
  const auto type = config.text("model_type").value_or("");
  for (const auto family : all_values<Family>())
    if (type == name_of(family)) return family;
  config.refuse("model_type", "albert, bert, roberta, xlm-roberta or distilbert");
}

std::vector<std::string_view> classes_of(Family family) {
  switch (family) {
    case Family::bert:
      return {"Bert"};
    case Family::roberta:
    case Family::xlm_roberta:
      return {"Roberta", "XLMRoberta"};
    case Family::distilbert:
      return {"DistilBert"};
    case Family::albert:
      return {"Albert"};
  }
  no_such_choice();
}

struct NamedHead {
  std::string_view ending;
  Head head;
  bool masked_tokens = false;
};
constexpr std::array kHeads{NamedHead{"ForMaskedLM", Head::none, true},
                            NamedHead{"ForPreTraining", Head::none, true},
                            NamedHead{"ForSequenceClassification", Head::classes},
                            NamedHead{"ForTokenClassification", Head::words},
                            NamedHead{"ForQuestionAnswering", Head::span},
                            NamedHead{"Model", Head::none}};

/// The first of architectures, without the family's name.
NamedHead head_of(const JsonObject& config, Config& result) {
  const auto* found = config.find("architectures");
  const std::string expected =
      "a list of one class: a Model, or one ForMaskedLM, ForPreTraining, ForSequenceClassification, "
      "ForTokenClassification or ForQuestionAnswering";
  if (found == nullptr || !found->is_array() || found->empty() || !found->front().is_string())
    config.refuse("architectures", expected);
  result.model = found->front().get<std::string>();
  for (const auto front : classes_of(result.family))
    for (const auto& head : kHeads)
      if (result.model == std::string(front).append(head.ending)) return head;
  config.refuse("architectures", expected);
}

/// id2label, or num_labels numbered ones: two if nothing is said. A label of ours is one word.
std::vector<std::string> labels_of(const JsonObject& config) {
  std::vector<std::string> labels;
  const auto* names = config.find("id2label");
  if (names == nullptr) {
    const auto count = number(config, "num_labels", 2, kMostLabels);
    for (std::int64_t i = 0; i < count; ++i) labels.push_back(fmt::format("LABEL_{}", i));
    return labels;
  }
  const std::string expected = "an object that gives the ids 0, 1, … a label each";
  if (!names->is_object() || names->empty() || names->size() > kMostLabels)
    config.refuse("id2label", expected);
  for (std::size_t i = 0; i < names->size(); ++i) {
    const auto found = names->find(std::to_string(i));
    if (found == names->end() || !found->is_string() || found->get<std::string>().empty())
      config.refuse("id2label", expected);
    auto label = found->get<std::string>();
    for (auto& c : label)
      if (static_cast<unsigned char>(c) <= ' ') c = '_';
    if (std::ranges::find(labels, label) != labels.end())
      config.refuse("id2label", fmt::format("different labels (each is one word: '{}')", label));
    labels.push_back(std::move(label));
  }
  return labels;
}

void read_head(const JsonObject& config, Config& result) {
  auto& options = result.options;
  const auto found = head_of(config, result);
  options.encoder.head = found.head;
  options.encoder.output_transform = options.output_bias = found.masked_tokens;
  const bool albert = result.family == Family::albert;
  if (albert && found.head == Head::none) options.encoder.output_transform = true;  // of its own, if alone
  if (found.masked_tokens) {
    const auto* activation = keys_of(result.family).activation;
    if (options.activation != nn::Activation::gelu && !is_roberta(result.family) && !albert)
      config.refuse(activation,
                    fmt::format("gelu in {}, whose layer before the output has it, too", result.model));
    if (!config.boolean("tie_word_embeddings").value_or(true)) options.tie = nn::Tie::none;
  }
  if (found.head == Head::none) return;
  result.labels = labels_of(config);
  if (found.head == Head::span) {
    if (result.labels.size() != 2)
      config.refuse(config.find("id2label") != nullptr ? "id2label" : "num_labels",
                    "two: the beginning and the end of an answer");
    result.labels = {"0"};  // of numbers, which no answer shows
  }
  if (found.head != Head::classes) return;
  if (result.family == Family::distilbert)
    config.refuse("architectures",
                  "another class, since the layer below this one's labels has ReLU in the place of tanh");
  const auto type = config.text("problem_type").value_or("");
  if (!type.empty() && type != "regression" && type != "single_label_classification")
    config.refuse("problem_type", "regression or single_label_classification");
  const bool one = result.labels.size() == 1;
  if (type == "regression" && !one) config.refuse("problem_type", "one label of a regression");
  if (one && type != "single_label_classification") {
    options.encoder.head = Head::number;
    result.labels = {"0"};
  }
}

nn::Activation activation_of(const JsonObject& config, const char* key, const char* otherwise) {
  const auto name = config.text(key).value_or(otherwise);
  if (name == "gelu") return nn::Activation::gelu;
  if (name == "relu") return nn::Activation::relu;
  if (name == "silu" || name == "swish") return nn::Activation::swish;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast")
    return nn::Activation::gelu_tanh;
  config.refuse(key, "gelu, gelu_new, relu or silu");
}

void read_positions(const JsonObject& config, Config& result) {
  auto& options = result.options;
  options.positions = nn::Positions::learned;
  if (const auto kind = config.text("position_embedding_type"); kind && *kind != "absolute")
    config.refuse("position_embedding_type", "absolute");
  constexpr auto* kRows = "max_position_embeddings";
  const auto rows = number(config, kRows, 512);
  if (is_roberta(result.family))
    result.unused_positions = config.integer("pad_token_id", 0, kMostNumbers).value_or(1) + 1;
  if (rows < result.unused_positions + 3)  // begin, a token, end
    config.refuse(kRows, fmt::format("at least {}", result.unused_positions + 3));
  options.max_positions = rows - result.unused_positions;
  const auto types = result.family == Family::distilbert ? 0 : number(config, "type_vocab_size", 2, 1000);
  result.adds_one_segment = types == 1;
  options.encoder.segments = types > 1 ? types : 0;
}

/// ALBERT's embeddings and layers.
void read_shared(const JsonObject& config, Config& result) {
  auto& options = result.options;
  options.encoder.embedding_size = number(config, "embedding_size", 128);
  result.groups = number(config, "num_hidden_groups", 1, kMostShared);
  if (result.groups > options.encoder_layers)
    config.refuse("num_hidden_groups", fmt::format("at most {}, the layers", options.encoder_layers));
  result.in_group = number(config, "inner_group_num", 1, kMostShared);
  options.encoder_layers *= result.in_group;
  if (options.encoder_layers > kMostShared)
    config.refuse("inner_group_num", fmt::format("at most {} layers with num_hidden_layers", kMostShared));
}

}  // namespace

Config read_config(const fs::path& folder) {
  const JsonObject config(folder / "config.json");
  Config result;
  result.family = family_of(config);
  const auto keys = keys_of(result.family);
  const bool distilbert = result.family == Family::distilbert;
  auto& options = result.options;
  options.kind = {models::kEncoder, {}};
  options.attention_bias = true;
  options.scale_embedding = false;
  options.embedding_norm = true;
  if (config.find("quantization_config") != nullptr) config.refuse("quantization_config", "nothing");
  if (const auto* pruned = config.find("pruned_heads"); pruned != nullptr && !pruned->empty())
    config.refuse("pruned_heads", "nothing");
  expect(config, "is_decoder", false);
  expect(config, "add_cross_attention", false);
  const auto usual = usual_of(result.family);
  result.vocabulary = number(config, "vocab_size", usual.vocabulary, kMostTokens);
  options.d_model = number(config, keys.width, usual.width);
  options.encoder_layers = number(config, keys.layers, usual.layers, kMostStacked);
  if (result.family == Family::albert) read_shared(config, result);
  options.heads = number(config, keys.heads, usual.heads);
  if (options.d_model % options.heads != 0)
    config.refuse(keys.heads, fmt::format("a divisor of {}, {}", keys.width, options.d_model));
  options.d_k = options.d_v = options.d_model / options.heads;
  options.d_ff = number(config, keys.inner, usual.inner);
  options.activation = activation_of(config, keys.activation, usual.activation);
  options.dropout = config.real(keys.dropout, 0, 0.999999).value_or(usual.dropout);
  options.attention_dropout = config.real(keys.attention_dropout, 0, 0.999999).value_or(usual.dropout);
  options.norm_epsilon = distilbert ? 1e-12 : config.real("layer_norm_eps", 1e-37, 1).value_or(1e-12);
  read_positions(config, result);
  read_head(config, result);
  if (const auto pooling = read_pooling(folder)) options.encoder.pooling = *pooling;
  return result;
}

}  // namespace transformer::formats::encoders
