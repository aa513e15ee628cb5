// How fast a model translates: by the engine on the CPU, by its modules elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "transformer/translation/translator.h"

namespace transformer::bench {

/// One way to translate.
struct DecodeSetting {
  torch::Device device;
  std::string precision;  ///< fp32, tf32, bf16, fp16 or int8
  std::size_t workers = 1;
  std::int64_t batch_tokens = 4096;  ///< 1: one sentence a batch, and a call for each, as a person would ask
};

struct DecodeTimings {
  DecodeSetting setting;
  std::size_t lines = 0;
  std::int64_t output_tokens = 0;  ///< of the best hypotheses, end tokens included
  double seconds = 0.0;            ///< median, tokenizer included
  double least_seconds = 0.0, most_seconds = 0.0;
  double flops = 0.0;                 ///< of the model's matrix products (models::decoding_flops)
  double peak_memory = 0.0;           ///< bytes: of the device, or of the process where that is the CPU
  translation::TranslateTimes times;  ///< of the median repetition, all workers together

  double sentences_per_second() const { return static_cast<double>(lines) / seconds; }
  double tokens_per_second() const { return static_cast<double>(output_tokens) / seconds; }
  double flops_per_second() const { return flops / seconds; }
};

/// Translates the lines `repetitions` times, after a warm-up with some of them.
DecodeTimings time_decoding(const checkpoints::LoadedModel& model, std::span<const std::string> lines,
                            const search::DecodeOptions& options, const DecodeSetting& setting,
                            int repetitions);

/// A model with random weights, for timing, that never ends an output by choice: with length_offset 0 each is
/// as long as its source.
models::EncoderDecoder random_model(const models::ModelOptions& options, std::int64_t vocabulary);

}  // namespace transformer::bench
