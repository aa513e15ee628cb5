// What a language model attends to in texts that it has written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/common/attention_output.h"
#include "transformer/generation/text_generator.h"

namespace transformer::apps {

/// The modules read each prompt with its first continuation once more, in fp32, whoever wrote it.
class TextAttention {
 public:
  /// Loads the model where a file is asked for. inputs: what else the program reads or writes.
  TextAttention(const AttentionFiles& files, const std::string& model, const std::string& device,
                const std::vector<std::filesystem::path>& inputs);

  /// found: of each prompt
  void add(const generation::TextGenerator& generator, std::span<const std::string> prompts,
           std::span<const std::vector<generation::Continuation>> found);
  void finish() { output_.finish(); }

 private:
  AttentionOutput output_;
  std::optional<checkpoints::LoadedModel> loaded_;
};

}  // namespace transformer::apps
