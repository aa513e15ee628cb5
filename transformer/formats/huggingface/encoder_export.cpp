#include "transformer/formats/huggingface/encoder_export.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/config/keys.h"
#include "transformer/data/options.h"
#include "transformer/formats/huggingface/encoder_names.h"
#include "transformer/formats/json_file.h"
#include "transformer/formats/weights.h"

namespace transformer::formats {
namespace encoders {
namespace {

namespace fs = std::filesystem;
using models::Head;
using models::ModelOptions;
using Json = nlohmann::ordered_json;

constexpr const char* kMask = "[MASK]";

const char* class_of(const models::EncoderOptions& encoder) {
  switch (encoder.head) {
    case Head::none:
      return encoder.output_transform ? "BertForMaskedLM" : "BertModel";
    case Head::classes:
    case Head::number:
      return "BertForSequenceClassification";
    case Head::words:
      return "BertForTokenClassification";
    case Head::span:
      return "BertForQuestionAnswering";
  }
  no_such_choice();
}

const char* activation_name(nn::Activation activation) {
  switch (activation) {
    case nn::Activation::gelu:
      return "gelu";
    case nn::Activation::gelu_tanh:
      return "gelu_new";
    case nn::Activation::relu:
      return "relu";
    case nn::Activation::swish:
      return "silu";
  }
  no_such_choice();
}

/// A value as a configuration writes it.
std::string written(const std::string& key, const ModelOptions& model) {
  config::Experiment experiment;
  experiment.model = model;
  return config::find_key(key)->get(experiment);
}

/// `model` as BERT would have it.
ModelOptions as_bert(const ModelOptions& model) {
  ModelOptions o;
  o.kind = model.kind;
  o.encoder_layers = model.encoder_layers;
  o.decoder_layers = model.decoder_layers;  // says nothing
  o.d_model = model.d_model;
  o.d_ff = model.d_ff;
  o.heads = model.heads;
  o.d_k = o.d_v = model.d_model / model.heads;
  o.kv_heads = model.kv_heads == model.heads ? model.heads : 0;
  o.dropout = model.dropout;
  o.attention_dropout = model.attention_dropout;
  o.positions = nn::Positions::learned;
  const bool masks = model.encoder.head == Head::none && model.encoder.output_transform;
  o.activation = masks ? nn::Activation::gelu : model.activation;
  o.attention_bias = model.attention_bias;  // zeros where there are none
  o.output_bias = model.encoder.head == Head::none ? masks : model.output_bias;
  o.tie = masks || model.encoder.head != Head::none || nn::ties_output(model.tie) ? model.tie : nn::Tie::all;
  o.scale_embedding = false;
  o.norm_epsilon = model.norm_epsilon;
  o.rotary_base = model.rotary_base;
  o.max_positions = model.max_positions;
  o.relative_distance = model.relative_distance;
  o.encoder = model.encoder;
  o.encoder.embedding_size = 0;
  o.embedding_norm = true;
  if (models::is_of_texts(model.encoder.head)) o.encoder.pooling = models::Pooling::cls;
  return o;
}

void check_options(const ModelOptions& model) {
  check_no_variants(model, class_of(model.encoder));
  const auto theirs = as_bert(model);
  const auto check = [&](const std::string& key) {
    if (written(key, model) != written(key, theirs))
      throw InputError(fmt::format("{}: expected {} for {}, found {}", key, written(key, theirs),
                                   class_of(model.encoder), written(key, model)));
  };
  models::each_option([&](const std::string& name, auto member) {
    if (model.*member != theirs.*member) check("model." + name);
  });
  for (const auto* key : models::kEncoderKeys) check(key);
}

Json labels_json(const checkpoints::LoadedModel& model) {
  auto labels = Json::object();
  const auto& names = *model.tokenizers.target;
  for (auto id = kEos + 1; id < names.size(); ++id) {
    auto label = names.bytes_of(id);
    if (label.starts_with(' ')) label.erase(0, 1);
    labels[std::to_string(id - (kEos + 1))] = label;
  }
  return labels;
}

Json config_json(const checkpoints::LoadedModel& model) {
  const auto& o = model.experiment.model;
  Json config{{"model_type", "bert"},
              {"architectures", {class_of(o.encoder)}},
              {"dtype", "float32"},
              {"vocab_size", model.model->vocabulary().source},
              {"hidden_size", o.d_model},
              {"num_hidden_layers", o.encoder_layers},
              {"num_attention_heads", o.heads},
              {"intermediate_size", o.d_ff},
              {"hidden_act", activation_name(o.activation)},
              {"hidden_dropout_prob", o.dropout},
              {"attention_probs_dropout_prob", o.attention_dropout},
              {"max_position_embeddings", o.max_positions},
              {"type_vocab_size", std::max<std::int64_t>(o.encoder.segments, 1)},
              {"layer_norm_eps", o.norm_epsilon},
              {"pad_token_id", kPad},
              {"tie_word_embeddings", o.encoder.head != Head::none || nn::ties_output(o.tie)}};
  if (o.encoder.head == Head::number) {
    config["problem_type"] = "regression";
    config["id2label"] = {{"0", "LABEL_0"}};
  } else if (o.encoder.head == Head::classes || o.encoder.head == Head::words) {
    if (o.encoder.head == Head::classes) config["problem_type"] = "single_label_classification";
    config["id2label"] = labels_json(model);
  }
  return config;
}

void write_pieces(const data::Tokenizer& tokenizer, const fs::path& folder) {
  auto pieces = tokenizer.all_pieces();
  const bool is_free = std::ranges::find(pieces, kMask) == pieces.end();
  std::string mask = data::kMaskPiece, lines;
  for (auto& piece : pieces) {
    if (is_free && piece == data::kMaskPiece) piece = mask = kMask;
    lines += piece + "\n";
  }
  write_file_atomically(folder / "vocab.txt", lines);
  const auto& options = tokenizer.word_pieces()->options();
  write_json(folder / "tokenizer_config.json", {{"tokenizer_class", "BertTokenizer"},
                                                {"unk_token", pieces[kUnknown]},
                                                {"pad_token", pieces[kPad]},
                                                {"cls_token", pieces[kBos]},
                                                {"sep_token", pieces[kEos]},
                                                {"mask_token", mask},
                                                {"do_lower_case", options.lower_case},
                                                {"strip_accents", options.strip_accents},
                                                {"tokenize_chinese_chars", options.chinese_characters}});
}

}  // namespace
}  // namespace encoders

void check_encoder(const checkpoints::LoadedModel& model) {
  encoders::check_options(model.experiment.model);
  const auto& tokenizer = *model.tokenizers.source;
  if (tokenizer.word_pieces() == nullptr)
    throw InputError(
        fmt::format("{}: expected BERT's WordPiece for {}, found {}", tokenizer.path().string(),
                    encoders::class_of(model.experiment.model.encoder),
                    tokenizer.other_kind() != nullptr ? tokenizer.other_kind() : "a SentencePiece model"));
}

void write_encoder(const checkpoints::LoadedModel& model, const std::filesystem::path& folder) {
  using namespace encoders;
  check_encoder(model);
  auto options = model.experiment.model;
  const auto head = options.encoder.head;
  auto weights = weights_of(model.model);
  add_attention_biases(weights, options);
  if (options.encoder.segments == 0) weights.emplace("segments.weight", torch::zeros({1, options.d_model}));
  const Config config{.family = Family::bert, .options = options};
  const bool alone = head == Head::none && !options.encoder.output_transform;
  const std::string front = alone ? front_of(Family::bert) : "";
  checkpoints::NamedTensors theirs;
  for (const auto& [name, tensor] : weights)
    theirs.emplace_back(their_name(config, name).substr(front.size()), tensor);
  checkpoints::save_safetensors(folder / checkpoints::kWeightsFile, theirs, {{"format", "pt"}});
  write_json(folder / "config.json", config_json(model));
  write_pieces(*model.tokenizers.source, folder);
}

}  // namespace transformer::formats
