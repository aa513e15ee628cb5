// config.json of Hugging Face's encoders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/models/options.h"

namespace transformer::formats::encoders {

/// Families of names and formulas.
enum class Family { bert, roberta, xlm_roberta, distilbert, albert };

constexpr const char* name_of(Family family) {
  switch (family) {
    case Family::bert:
      return "bert";
    case Family::roberta:
      return "roberta";
    case Family::xlm_roberta:
      return "xlm-roberta";
    case Family::distilbert:
      return "distilbert";
    case Family::albert:
      return "albert";
  }
  no_such_choice();
}

constexpr bool is_roberta(Family family) {
  return family == Family::roberta || family == Family::xlm_roberta;
}

struct Config {
  Family family = Family::bert;
  std::string model = {};  ///< the class, such as BertForMaskedLM
  models::ModelOptions options = {};
  std::int64_t vocabulary = 0;
  std::int64_t unused_positions = 0;  ///< rows in front of the first position's: of RoBERTa, pad_token_id + 1
  bool adds_one_segment = false;      ///< each position has the one token type's vector as well
  /// ALBERT's layers share weights. There are so many groups of so many layers each, and a group computes
  /// several times. No groups: nothing is shared.
  std::int64_t groups = 0, in_group = 1;
  std::vector<std::string> labels = {};

  /// Layers with weights of their own.
  std::int64_t stored_layers() const { return groups == 0 ? options.encoder_layers : groups * in_group; }

  /// Whether it has layers that predict masked tokens, or a head.
  bool predicts() const { return options.encoder.head != models::Head::none || options.output_bias; }
};

/// config.json, and the pooling of sentence-transformers (modules.json). Throws InputError, naming file and
/// key, for what is damaged or cannot be expressed.
Config read_config(const std::filesystem::path& folder);

}  // namespace transformer::formats::encoders
