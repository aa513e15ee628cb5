// A model's modules as a TorchScript module: what they compute is traced, not written a second time.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include "transformer/models/encoder_decoder.h"
#include "transformer/search/options.h"

namespace transformer::formats {

/// A module with the model's parameters (shared, not copied) under the model's names and these methods, all
/// for any batch size and length, on the device of the parameters. Ids are (B, S) int64, padded behind EOS.
///
///   encode(source (B, S)) → states (B, S, D), mask (B, 1, 1, S)
///   start(states, mask) → cache
///   decode_step(tokens (B, W), cache) → logits (B, W, V), cache
///   select(cache, sentences (B'), hypotheses (B'·W')) → cache
///   translate(source (B, S), lengths (B), beam, alpha, max_length) → ids (B, T), scores (B)
///
/// The cache is a list of tensors: the mask, the number of target tokens read, and for each decoder layer the
/// source's keys and values (B, …) and the hypotheses' own (B·W, …). `translate` is the search of
/// search/beam_search.h; its ids have neither BOS nor EOS and are padded; max_length 0 is the source's
/// length without EOS + decode.length_offset.
///
/// A model of another kind has no `encode`, and `start(source (B, S)) → cache`: the tensors of its state,
/// those of sentences first.
///
/// A language model has these methods. Ids begin with what texts begin with, and are not padded:
///
///   logits(text (B, T)) → logits of what follows each token (B, T, V)
///   start(text (B, T)) → cache, as the texts begin; T may be 0
///   decode_step(tokens (B, 1), cache) → logits (B, 1, V), cache
///   generate(text (B, T), max_tokens, temperature, top_k) → ids (B, N), padded behind each text's end
///
/// Its cache is the number of tokens read, and the keys and values of each layer.
///
/// The model must be in evaluation mode, and its parameters without gradients.
torch::jit::Module torchscript_module(const models::AnyModel& model, const search::DecodeOptions& options);

/// Throws InputError, naming model.kind, for a model that does neither, for one that translates and whose
/// state is none of tensors, and for a language model without the paper's decoder.
void check_can_be_traced(models::AnyModel model);

}  // namespace transformer::formats
