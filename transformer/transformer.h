// The public headers: what programs and shared libraries over the installed library may rely on. Each may be
// included alone. Headers that are installed besides, because these include them, may change without notice.
#pragma once

// Errors, messages, special tokens.
#include "transformer/base/error.h"
#include "transformer/base/log.h"
#include "transformer/base/special_tokens.h"

// A model directory, and what it translates (section 6.1).
#include "transformer/checkpoints/model_directory.h"
#include "transformer/checkpoints/tokenizers.h"
#include "transformer/data/tokenizer.h"
#include "transformer/runtime/device.h"
#include "transformer/search/hypothesis.h"
#include "transformer/search/observer.h"
#include "transformer/translation/text_translation.h"
#include "transformer/translation/translator.h"

// Texts that a language model continues.
#include "transformer/generation/beam_texts.h"
#include "transformer/generation/continuation.h"
#include "transformer/generation/generate.h"
#include "transformer/generation/options.h"
#include "transformer/generation/text_generator.h"
#include "transformer/search/sampling.h"
#include "transformer/search/text_model.h"

// Texts that an encoder reads.
#include "transformer/reading/text_reader.h"

// What a configuration says.
#include "transformer/base/choices.h"
#include "transformer/config/experiment.h"
#include "transformer/data/options.h"
#include "transformer/distributed/options.h"
#include "transformer/models/options.h"
#include "transformer/nn/position_types.h"
#include "transformer/nn/types.h"
#include "transformer/search/options.h"
#include "transformer/train/options.h"
#include "transformer/variants/options.h"

// Parts of a model and of a training, kinds of model and metrics from outside (docs/guides/variants.md).
#include "transformer/eval/corpus.h"
#include "transformer/eval/metric.h"
#include "transformer/eval/metric_table.h"
#include "transformer/eval/signature.h"
#include "transformer/eval/tokenize.h"
#include "transformer/eval/types.h"
#include "transformer/models/embeddings.h"
#include "transformer/models/kind_costs.h"
#include "transformer/models/kinds.h"
#include "transformer/models/model.h"
#include "transformer/models/size.h"
#include "transformer/nn/attention_record.h"
#include "transformer/nn/variants.h"
#include "transformer/ops/sequences.h"
#include "transformer/train/optimizer.h"
#include "transformer/train/variants.h"
#include "transformer/variants/choice.h"
#include "transformer/variants/registry.h"

// The paper's modules (section 3), and what trains them (section 5).
#include "transformer/models/decoder/decoder_only.h"
#include "transformer/models/encoder/encoder_only.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/nn/decoder.h"
#include "transformer/nn/embedding.h"
#include "transformer/nn/encoder.h"
#include "transformer/nn/feed_forward.h"
#include "transformer/nn/frequencies.h"
#include "transformer/nn/init.h"
#include "transformer/nn/masks.h"
#include "transformer/nn/multi_head_attention.h"
#include "transformer/nn/norm.h"
#include "transformer/nn/positional_encoding.h"
#include "transformer/nn/residual_norm.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/ops/token_loss.h"
#include "transformer/train/optimizers/adam.h"

// Beam search over any step, and the engine for CPUs. Free of LibTorch.
#include "transformer/engine/batch_decoder.h"
#include "transformer/engine/packed_model.h"
#include "transformer/engine/text_decoder.h"
#include "transformer/engine/weights.h"
#include "transformer/models/tensors.h"
#include "transformer/search/beam_search.h"
#include "transformer/search/draws.h"
#include "transformer/search/lengths.h"
#include "transformer/search/step.h"
#include "transformer/search/text_steps.h"
#include "transformer/search/tree.h"
