#include "transformer/formats/marian/marian_export.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/formats/huggingface/tokenizer_json.h"
#include "transformer/formats/json_file.h"
#include "transformer/formats/marian/marian_config.h"
#include "transformer/formats/marian/marian_generation.h"
#include "transformer/formats/marian/marian_names.h"
#include "transformer/formats/marian/marian_weights.h"
#include "transformer/formats/plain_tokenizers.h"
#include "transformer/translation/text_translation.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void check_expressible(const models::ModelOptions& model) {
  const auto refuse = [](const char* key, const std::string& expected, auto found) {
    throw InputError(fmt::format("{}: expected {} for Marian, found {}", key, expected, found));
  };
  check_no_variants(model, "Marian");
  check_paper_layers(model, "Marian");
  check_vector_positions(model, "Marian");
  if (nn::norm_comes_first(model.norm)) refuse("model.norm", "post", "pre");
  if (model.norm_epsilon != 1e-5) refuse("model.norm_epsilon", "1e-05", model.norm_epsilon);
  if (model.d_model % model.heads != 0)
    refuse("model.heads", fmt::format("a divisor of model.d_model, {},", model.d_model), model.heads);
  const auto most = model.d_model / model.heads;
  const auto wanted = fmt::format("at most model.d_model / model.heads, {},", most);
  if (model.d_k > most) refuse("model.d_k", wanted, model.d_k);
  if (model.d_v > most) refuse("model.d_v", wanted, model.d_v);
}

class MarianExporter {
 public:
  MarianExporter(const checkpoints::LoadedModel& model, const fs::path& folder)
      : model_(model),
        files_{folder},
        options_(model.experiment.model),
        positions_(position_count(model.experiment)) {
    check_expressible(options_);
    // One vocabulary has one file, whoever cuts the text into its pieces.
    separate_ = model.tokenizers.source->all_pieces() != model.tokenizers.target->all_pieces();
  }

  void write() {
    write_weights();
    write_json(files_.config(), config());
    auto generation =
        written_generation(model_.experiment.decode, {.pad = kPad, .end = kEos, .start = kBos}, positions_);
    generation["bos_token_id"] = kBos;
    write_json(files_.generation(), generation);
    write_json(files_.tokenizer(), tokenizer());
    write_tokenizers();
  }

 private:
  void write_weights() {
    auto weights = weights_of(model_.encoder_decoder());
    pad_heads(weights, options_, options_.d_model / options_.heads);
    add_attention_biases(weights, options_);
    use_halves(weights, options_);
    const auto theirs = marian_weights(weights, options_, model_.model->vocabulary(), positions_);
    stored_positions_ = theirs.contains(kMarianSourcePositions);
    checkpoints::save_safetensors(files_.weights(), {theirs.begin(), theirs.end()}, {{"format", "pt"}});
  }

  json config() const {
    const auto& o = options_;
    json all{{"architectures", {"MarianMTModel"}},
             {"model_type", "marian"},
             {"is_encoder_decoder", true},
             {"vocab_size", model_.model->vocabulary().source},
             {"decoder_vocab_size", model_.model->vocabulary().target},
             {"share_encoder_decoder_embeddings", nn::ties_embeddings(o.tie)},
             {"tie_word_embeddings", nn::ties_output(o.tie)},
             {"d_model", o.d_model},
             {"encoder_layers", o.encoder_layers},
             {"decoder_layers", o.decoder_layers},
             {"num_hidden_layers", o.encoder_layers},
             {"encoder_attention_heads", o.heads},
             {"decoder_attention_heads", o.heads},
             {"encoder_ffn_dim", o.d_ff},
             {"decoder_ffn_dim", o.d_ff},
             {"activation_function", name_of(o.activation)},
             {"dropout", o.dropout},
             {"attention_dropout", o.attention_dropout},
             {"activation_dropout", o.activation_dropout},
             {"encoder_layerdrop", 0.0},
             {"decoder_layerdrop", 0.0},
             {"max_position_embeddings", positions_},
             {"scale_embedding", true},
             {"static_position_embeddings", true},
             {"normalize_before", false},
             {"normalize_embedding", false},
             {"add_final_layer_norm", false},
             {"use_cache", true},
             {"torch_dtype", "float32"},
             {"pad_token_id", kPad},
             {"bos_token_id", kBos},
             {"eos_token_id", kEos},
             {"forced_eos_token_id", kEos},
             {"decoder_start_token_id", kBos},
             {kOwnStoredPositions, stored_positions_}};
    all.update(own_settings(model_.experiment.decode));
    return all;
  }

  json tokenizer() const {
    const auto pieces = model_.tokenizers.target->all_pieces();
    return {{"tokenizer_class", "MarianTokenizer"},
            {"source_lang", model_.experiment.data.source},
            {"target_lang", model_.experiment.data.target},
            {"separate_vocabs", separate_},
            {"model_max_length", translation::longest_source(model_.experiment.model) + 1},
            {"unk_token", pieces[kUnknown]},
            {"pad_token", pieces[kPad]},
            {"bos_token", pieces[kBos]},
            {"eos_token", pieces[kEos]}};
  }

  void write_tokenizers() const {
    const auto& [source, target] = model_.tokenizers;
    for (const auto& tokenizer : {source, target}) check_subwords(*tokenizer);
    write_file_atomically(files_.source_spm(), source->serialized());
    write_file_atomically(files_.target_spm(), target->serialized());
    huggingface::write_pieces(files_.vocabulary(), source->all_pieces());
    if (separate_) huggingface::write_pieces(files_.target_vocabulary(), target->all_pieces());
  }

  const checkpoints::LoadedModel& model_;
  MarianFiles files_;
  models::ModelOptions options_;
  std::int64_t positions_;
  bool separate_ = false;
  bool stored_positions_ = false;  ///< as write_weights() found
};

}  // namespace

void export_marian(const checkpoints::LoadedModel& model, const fs::path& folder) {
  MarianExporter(model, folder).write();
}

}  // namespace transformer::formats
