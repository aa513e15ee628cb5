#include "apps/common/sampling_options.h"

namespace transformer::apps {

std::vector<CLI::Option*> add_sampling_options(CLI::App& app, search::SamplingOptions& options) {
  const std::vector<CLI::Option*> added{
      app.add_option(
          "--repetition-penalty", options.repetition_penalty,
          "Divide positive logits of tokens that the text has already by this, multiply negative ones"),
      app.add_option("--temperature", options.temperature,
                     "Divide logits by this; 0: always take the most probable token (greedy)"),
      app.add_option("--top-k", options.top_k, "Draw from the k most probable tokens only; 0: from all"),
      app.add_option("--top-p", options.top_p,
                     "Draw from the fewest most probable tokens that have this probability together"),
      app.add_option("--min-p", options.min_p,
                     "Draw only tokens with this share of the most probable one's probability at least")};
  for (auto* option : added) option->capture_default_str();
  return added;
}

}  // namespace transformer::apps
