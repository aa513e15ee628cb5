// Encoders that Hugging Face's transformers saved, as models of ours.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// Loads a folder of a BERT, RoBERTa, XLM-R or DistilBERT: the model alone, or its class ForMaskedLM,
/// ForPreTraining (without the second task), ForSequenceClassification (not of DistilBERT),
/// ForTokenClassification or ForQuestionAnswering. Its files:
/// * config.json, whose `architectures` names the class.
/// * model.safetensors in fp32, fp16 or bf16, or its index and several files.
/// * vocab.txt, sentencepiece.bpe.model, vocab.json and merges.txt, or tokenizer.json
///   (encoder_vocabulary.h), and tokenizer_config.json if there is one.
/// * modules.json of sentence-transformers, if there is one, whose pooling becomes model.pooling.
///
/// States and logits are the same. Ids are renumbered to special_tokens.h. A model alone predicts nothing:
/// its logits of masked tokens are products with the embedding that nobody trained. Labels are those of
/// id2label, with "_" in the place of blanks.
///
/// Each </s> in a text ends a part, as [SEP] does; the two that RoBERTa has between two texts are two marks
/// here, too: "one</s></s>other". What differs in training alone is left out: another dropout of the head
/// (classifier_dropout), and RoBERTa's in front of its head.
///
/// Throws InputError, in one line, for a missing or damaged file, and for a model that cannot be expressed.
checkpoints::LoadedModel import_encoder(const std::filesystem::path& folder);

}  // namespace transformer::formats
