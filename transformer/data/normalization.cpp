#include "transformer/data/normalization.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include "transformer/base/atomic_file.h"
#include "transformer/data/model_message.h"

namespace transformer::data {
namespace {

constexpr const char* kRules = "rules.tsv";

/// In the trainer's format: code points, a tab, what takes their place.
std::string lower_punctuation_rules() {
  std::string rules;
  constexpr UChar32 kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;
  for (UChar32 letter = 1; letter <= UCHAR_MAX_VALUE; ++letter) {
    if (letter >= kFirstSurrogate && letter <= kLastSurrogate) continue;
    if (const auto small = u_tolower(letter); small != letter)
      rules += fmt::format("{:X}\t{:X}\n", letter, small);
  }
  for (const auto space : {0xA0, 0x202F}) rules += fmt::format("{:X}\t20\n", space);
  for (const char mark : {',', '.', '!'}) rules += fmt::format("{0:X}\t20 {0:X}\n", static_cast<int>(mark));
  return rules;
}

}  // namespace

Normalization::Normalization(NormalizationRule rule, const std::filesystem::path& place) : rule_(rule) {
  if (rule != NormalizationRule::lower_punctuation) return;
  folder_.emplace(place, Temporary::Kind::folder);
  write_file_atomically(folder_->path() / kRules, lower_punctuation_rules());
}

std::unordered_map<std::string, std::string> Normalization::arguments() const {
  if (folder_) return {{"normalization_rule_tsv", (folder_->path() / kRules).string()}};
  return {{"normalization_rule_name", name_of(rule_)}};
}

std::string without_rule_path(std::string_view model) {
  constexpr std::uint32_t kRulePath = 6;  // of the normalizer
  std::string result;
  for (const auto& field : fields_of(model)) {
    if (field.number != ModelField::normalizer) {
      result.append(field.whole);
      continue;
    }
    std::string normalizer;
    for (const auto& part : fields_of(field.content))
      if (part.number != kRulePath) normalizer.append(part.whole);
    append_proto_bytes(result, ModelField::normalizer, normalizer);
  }
  return result;
}

}  // namespace transformer::data
