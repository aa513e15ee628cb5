// Encoders that Hugging Face's transformers saved, as models of ours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// Loads a folder of a BERT, RoBERTa, XLM-R, DistilBERT or ALBERT: the model alone, or its class ForMaskedLM,
/// ForPreTraining (without the second task), ForSequenceClassification (not of DistilBERT),
/// ForTokenClassification or ForQuestionAnswering. Its files:
/// * config.json, whose `architectures` names the class.
/// * model.safetensors in fp32, fp16 or bf16, or its index and several files.
/// * vocab.txt, sentencepiece.bpe.model, spiece.model, vocab.json and merges.txt, or tokenizer.json
///   (encoder_vocabulary.h), and tokenizer_config.json if there is one.
/// * modules.json of sentence-transformers, if there is one, whose pooling becomes model.pooling.
///
/// States and logits are the same. Ids are renumbered to special_tokens.h. A model alone predicts nothing:
/// its logits of masked tokens are products with the embedding that nobody trained. Labels are those of
/// id2label, with "_" in the place of blanks.
///
/// ALBERT's layers share weights; here each has a copy. Its model alone gets an output transform, which is
/// the embedding's projection the other way round.
///
/// Each </s> in a text ends a part, as [SEP] does; the two that RoBERTa has between two texts are two marks
/// here, too: "one</s></s>other". What differs in training alone is left out: another dropout of the head
/// (classifier_dropout), and RoBERTa's in front of its head.
///
/// Throws InputError, in one line, for a missing or damaged file, and for a model that cannot be expressed.
checkpoints::LoadedModel import_encoder(const std::filesystem::path& folder);

/// How many layers become how many, where layers share weights. Nothing of other models than ALBERT.
struct SharedLayers {
  std::int64_t stored = 0, layers = 0;
};
std::optional<SharedLayers> shared_layers(const std::filesystem::path& folder);

}  // namespace transformer::formats
