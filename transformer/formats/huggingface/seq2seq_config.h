// config.json of Hugging Face's encoder-decoders other than Marian's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/models/options.h"
#include "transformer/search/options.h"

namespace transformer::formats::seq2seq {

enum class Family {
  t5,       ///< T5, T5 v1.1, mT5 (Raffel et al. 2020)
  m2m_100,  ///< M2M-100 and NLLB (Fan et al. 2020)
  bart,     ///< BART (Lewis et al. 2020)
  mbart,    ///< mBART-50 (Tang et al. 2020)
};

struct AboutFamily {
  const char* name;                  ///< in messages
  const char* model_type = nullptr;  ///< in config.json, and the class that reads it: of what is written
  const char* model = nullptr;
  bool embedding_norm = false;    ///< model.embedding_norm
  bool norms_at_the_end = true;   ///< each stack ends with a norm of its own
  bool stores_positions = false;  ///< as a table of learned vectors; else sinusoids or none
};

constexpr AboutFamily about(Family family) {
  switch (family) {
    case Family::t5:
      return {.name = "a T5 model", .model_type = "t5", .model = "T5ForConditionalGeneration"};
    case Family::m2m_100:
      return {.name = "an M2M-100 model", .model_type = "m2m_100", .model = "M2M100ForConditionalGeneration"};
    case Family::bart:
      return {.name = "a BART model",
              .model_type = "bart",
              .model = "BartForConditionalGeneration",
              .embedding_norm = true,
              .norms_at_the_end = false,
              .stores_positions = true};
    case Family::mbart:
      return {.name = "an mBART model", .embedding_norm = true, .stores_positions = true};
  }
  no_such_choice();
}

/// Of a model_type; nothing for one that is not here.
std::optional<Family> family_of(std::string_view model_type);

struct Config {
  Family family = Family::t5;
  models::ModelOptions model = {};  ///< all but tie and output_bias, which the weights decide
  search::DecodeOptions decode = {};
  std::int64_t vocabulary = 0;
  std::int64_t pad = 0, end = 0, start = 0;  ///< ids; `start` begins the decoder's input
  std::optional<std::int64_t> source_first = {},
                              first = {};  ///< ids with which each source, each output begins
  bool scaled_output = false;              ///< the last states are divided by √d_model (T5)
};

/// From config.json and, if there is one, generation_config.json. What a file does not say is as in
/// transformers. Throws InputError, naming file and key, for what cannot be expressed.
Config read_config(const std::filesystem::path& folder);

/// The other way: config.json, and generation_config.json of outputs of at most `longest` tokens. Of T5, BART
/// and M2M-100.
nlohmann::ordered_json config_json(const Config& config);
nlohmann::ordered_json generation_json(const Config& config, std::int64_t longest);

}  // namespace transformer::formats::seq2seq
