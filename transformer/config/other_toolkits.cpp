#include "transformer/config/other_toolkits.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace transformer::config {
namespace {

constexpr auto kOtherNames = std::to_array<OtherName>({
    // Training
    {"lr learning_rate learn_rate lr_factor learning_rate_factor",
     "'train.factor': the peak rate where train.schedule is not noam; under noam, the default, it multiplies "
     "the rate of the paper"},
    {"min_lr learning_rate_min stop_min_lr lr_min", "'train.floor', of the schedules cosine and linear"},
    {"lr_scheduler scheduling decay_method lr_decay lr_decay_strategy lr_decay_inv_sqrt learning_rate_decay",
     "'train.schedule'"},
    {"warmup_updates warmup_steps lr_warmup learning_rate_warmup warmup_init_lr num_warmup_steps",
     "'train.warmup', in updates"},
    {"max_update max_updates train_steps updates after_batches max_steps total_num_update", "'train.steps'"},
    {"max_epoch max_epochs after_epochs num_train_epochs", "'train.epochs'"},
    {"batch_size mini_batch mini_batch_words max_tokens_per_batch batch_type mini_batch_fit",
     "'train.source_tokens' and 'train.target_tokens', the tokens of an update ('train.sentences' for "
     "pairs)"},
    {"max_sentences", "'train.sentences', the pairs of an update"},
    {"update_freq accum_count optimizer_delay batch_multiplier gradient_accumulation_steps",
     "nothing: 'train.source_tokens' and 'train.target_tokens' are those of a whole update, which "
     "'train.micro_tokens' divides into passes"},
    {"optimizer optim optimiser", "'train.optimizer'"},
    {"criterion cost_type loss", "nothing: the smoothed cross-entropy is minimised (train.label_smoothing)"},
    {"adam_betas optimizer_params", "'train.beta1', 'train.beta2' and 'train.epsilon'"},
    {"adam_beta1", "'train.beta1'"},
    {"adam_beta2", "'train.beta2'"},
    {"adam_eps adam_epsilon", "'train.epsilon'"},
    {"clip_norm max_grad_norm clip_grad_norm clip_grad_val", "'train.clip'"},
    {"label_smoothing_eps smoothing", "'train.label_smoothing'"},
    {"valid_steps valid_freq validation_freq validate_interval validate_interval_updates eval_steps",
     "'train.eval_every'"},
    {"save_checkpoint_steps save_freq save_interval save_interval_updates save_steps checkpoint_freq",
     "'train.save_every'"},
    {"report_every disp_freq log_interval logging_freq logging_steps", "'train.log_every'"},
    {"keep_checkpoint keep_last_epochs keep_interval_updates keep_best_ckpts keep_last_ckpts "
     "save_total_limit",
     "'train.keep'"},
    {"early_stopping", "'train.patience'"},
    {"best_checkpoint_metric early_stopping_metric valid_metrics eval_metric eval_bleu keep_best",
     "'train.best', 'train.metric' and 'train.metric_every'"},
    {"random_seed", "'seed'"},
    {"exponential_smoothing average_decay",
     "nothing: transformer-average makes the mean of the last checkpoints"},
    {"fp16 bf16 precision compute_dtype", "the option --precision of each program"},
    {"world_size gpu_ranks devices num_workers use_cuda workspace",
     "the options --device and --processes of transformer-train"},
    // The model
    {"encoder_embed_dim decoder_embed_dim embedding_dim dim_emb word_vec_size hidden_size rnn_size dim_model "
     "model_dim embed_dim",
     "'model.d_model'"},
    {"encoder_ffn_embed_dim decoder_ffn_embed_dim ff_size transformer_ff transformer_dim_ffn ffn_dim dim_ffn",
     "'model.d_ff'"},
    {"encoder_attention_heads decoder_attention_heads num_heads transformer_heads n_heads nhead",
     "'model.heads'"},
    {"head_dim d_head kv_channels dim_head",
     "'model.d_k' and 'model.d_v', which do not follow from d_model and heads"},
    {"num_layers n_layers", "'model.layers'"},
    {"enc_layers enc_depth num_encoder_layers", "'model.encoder_layers'"},
    {"dec_layers dec_depth num_decoder_layers", "'model.decoder_layers'"},
    {"transformer_dropout residual_dropout dropout_rate", "'model.dropout'"},
    {"transformer_dropout_attention", "'model.attention_dropout'"},
    {"transformer_dropout_ffn relu_dropout", "'model.activation_dropout'"},
    {"encoder_normalize_before decoder_normalize_before transformer_preprocess transformer_postprocess "
     "layer_norm "
     "layer_norm_placement norm_first pre_norm",
     "'model.norm': post, as in the paper, pre or sandwich"},
    {"share_all_embeddings share_decoder_input_output_embed tied_embeddings tied_embeddings_all "
     "tied_embeddings_src tied_softmax share_embeddings share_decoder_embeddings tie_embeddings",
     "'model.tie'"},
    {"position_encoding position_encoding_type encoder_learned_pos decoder_learned_pos "
     "transformer_train_positions "
     "transformer_train_position_embeddings",
     "'model.positions'"},
    {"max_source_positions max_target_positions max_position_embeddings n_positions",
     "'model.max_positions', of learned positions alone"},
    {"arch type model_task",
     "nothing: a model is its sizes (configs/base.yaml and big.yaml are those of the paper)"},
    // Data
    {"source_lang src_lang src", "'data.source', the ending of the source files"},
    {"target_lang tgt_lang trg tgt", "'data.target', the ending of the target files"},
    {"trainpref train_sets train_path path_src path_tgt", "'data.train'"},
    {"validpref valid_sets dev_sets valid validation", "'data.dev'"},
    {"testpref", "'data.test'"},
    {"destdir save_data", "'data.prepared'"},
    {"nwordssrc nwordstgt src_vocab_size tgt_vocab_size dim_vocabs voc_limit vocab_size bpe_size num_symbols "
     "vocab_limit",
     "'data.vocabulary', the pieces of a vocabulary"},
    {"thresholdsrc thresholdtgt voc_min_freq src_words_min_frequency tgt_words_min_frequency",
     "'data.min_frequency', of a vocabulary of words"},
    {"joined_dictionary share_vocab joint_vocab", "'data.shared_vocabulary'"},
    {"src_subword_model tgt_subword_model sentencepiece_model bpe_codes vocabs src_vocab tgt_vocab voc_file",
     "'data.tokenizer', a SentencePiece model"},
    {"max_sent_length src_seq_length tgt_seq_length max_length max_seq_length", "'data.max_tokens'"},
    {"max_tokens",
     "'train.source_tokens' and 'train.target_tokens', the tokens of an update; data.max_tokens is that of a "
     "training sentence"},
    // The search
    {"beam_size", "'decode.beam'"},
    {"n_best", "'decode.nbest'"},
    {"lenpen length_penalty_alpha beam_alpha normalize word_penalty", "'decode.alpha'"},
    {"max_len_b max_output_length max_length_factor max_len_a",
     "'decode.length_offset', beyond the length of the source"},
    {"mini_batch_words_decode buffer_size eval_batch_size", "'decode.batch_tokens'"},
});

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

std::span<const OtherName> other_names() {
  return kOtherNames;
}

std::string_view name_here(std::string_view name) {
  std::string word(name.substr(name.rfind('.') + 1));
  for (char& c : word) c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word.empty()) return {};
  const auto found =
      std::ranges::find_if(kOtherNames, [&](const OtherName& row) { return has_word(row.names, word); });
  return found == kOtherNames.end() ? std::string_view{} : found->here;
}

}  // namespace transformer::config
