// How fast a language model continues texts on the CPU, and how much of the memory's speed that takes.
#pragma once

#include <cstdint>
#include <string>

#include "transformer/engine/packed_model.h"

namespace transformer::bench {

struct GenerateSetting {
  std::string precision;  ///< fp32, bf16 or int8
  int threads = 1;
  std::int64_t texts = 1;
  std::int64_t prompt = 16;   ///< tokens of each text that are there already
  std::int64_t tokens = 128;  ///< that each text gets
};

struct GenerateSpeed {
  GenerateSetting setting;
  double prompt_seconds = 0;        ///< until the first token is drawn, all texts together
  double seconds = 0;               ///< for the others: the least of the repetitions
  std::int64_t bytes_of_token = 0;  ///< weights that a pass reads
  double bytes_per_second = 0;      ///< of as many bytes, read one after the other by as many threads

  double tokens_per_second() const {
    return static_cast<double>(setting.texts * (setting.tokens - 1)) / seconds;
  }
  /// Of weights that are read for one text.
  double share_of_bandwidth() const {
    return tokens_per_second() * static_cast<double>(bytes_of_token) / bytes_per_second;
  }
};

/// Each token is the most probable one, and no text ends.
GenerateSpeed time_generation(const engine::PackedModel& model, const GenerateSetting& setting,
                              int repetitions);

}  // namespace transformer::bench
