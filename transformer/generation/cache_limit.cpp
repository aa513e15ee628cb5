#include "transformer/generation/cache_limit.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "transformer/base/error.h"

namespace transformer::generation {

double cache_bytes(const models::ModelOptions& model, std::int64_t tokens) {
  const auto numbers = model.decoder_layers * models::kv_heads_of(model) * (model.d_k + model.d_v);
  return static_cast<double>(sizeof(float)) * static_cast<double>(numbers) * static_cast<double>(tokens);
}

GenerationOptions within_memory(GenerationOptions options, const models::ModelOptions& model,
                                std::int64_t prompt, std::int64_t at_once, double free) {
  if (free <= 0) return options;
  auto tokens = prompt + options.max_tokens;
  if (options.window > 0) tokens = std::min(tokens, options.window + 1);
  const auto one = cache_bytes(model, tokens) * static_cast<double>(at_once);
  if (one > free)
    throw InputError(
        fmt::format("max tokens: expected texts whose keys and values fit into the {:.2f} GB of memory that "
                    "are free, found "
                    "{} tokens, which take {:.2f} GB: a window limits them",
                    free * 1e-9, tokens, one * 1e-9));
  const auto fit = static_cast<std::int64_t>(free / one);
  if (fit >= options.batch) return options;
  spdlog::info(
      "keys and values of {} tokens take {:.2f} GB, and {:.2f} GB are free: {} texts at once instead of {}",
      tokens, one * 1e-9, free * 1e-9, fit, options.batch);
  options.batch = fit;
  return options;
}

}  // namespace transformer::generation
