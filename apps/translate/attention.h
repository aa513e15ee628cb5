// What a model attends to in the translations that it has found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/common/attention_output.h"
#include "apps/translate/line_translation.h"

namespace transformer::apps {

/// The modules read each line with its best translation once more, in fp32, whoever found it.
class TranslationAttention {
 public:
  /// Loads the model where files are asked for. inputs: what else the program reads or writes.
  TranslationAttention(const AttentionFiles& files, const LineTranslationSettings& settings,
                       const std::vector<std::filesystem::path>& inputs);

  /// translated: what became of the lines.
  void add(const std::vector<std::string>& lines, const std::vector<TranslatedLine>& translated);
  void finish() { output_.finish(); }

 private:
  AttentionOutput output_;
  std::optional<checkpoints::LoadedModel> loaded_;
};

}  // namespace transformer::apps
