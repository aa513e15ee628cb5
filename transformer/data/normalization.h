// Rules by which a vocabulary's model changes text before it cuts it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "transformer/base/temporary.h"
#include "transformer/data/options.h"

namespace transformer::data {

/// A normalization rule for SentencePiece's trainer. The trainer has all rules built in except
/// lower_punctuation. That one makes letters small (Unicode's simple mapping), turns no-break spaces (U+00A0,
/// U+202F) into blanks, and puts a blank before each comma, full stop and exclamation mark. Under every rule,
/// blanks in a row become one.
class Normalization {
 public:
  /// Writes what the trainer must read beside `place`, for as long as this lives.
  Normalization(NormalizationRule rule, const std::filesystem::path& place);

  /// Arguments of the trainer.
  std::unordered_map<std::string, std::string> arguments() const;

 private:
  NormalizationRule rule_;
  std::optional<Temporary> folder_;  ///< of the rules, where the trainer has to read them
};

/// The model as it is without the path of the file that its rule was read from, which may be another each
/// time.
std::string without_rule_path(std::string_view model);

}  // namespace transformer::data
