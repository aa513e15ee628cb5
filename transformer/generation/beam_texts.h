// Prompts in, the best continuations out: beam search, as translations are searched for (section 6.1).
#pragma once

#include "transformer/generation/generate.h"
#include "transformer/search/observer.h"
#include "transformer/search/options.h"

namespace transformer::generation {

/// Called by one thread at a time.
struct TextSearchCalls {
  std::function<void(std::size_t done)> progress =
      {};                                  ///< after each batch, with the number of prompts so far
  std::function<void()> before_step = {};  ///< may throw to stop
  search::Observer observer = {};          ///< of each step; `sentence` is the prompt's place
};

/// For each prompt, the decode.nbest best continuations by search::beam_search, best first. Scores are of the
/// continuation alone. It ends by the end token, or is cut at options.max_tokens, or where the window is
/// full; what is cut needs no end token. Each worker has options.batch texts open at once.
/// Results do not depend on that number, beyond what the models do. make, workers, prompts and errors
/// are as of generate(); InputError as of search::beam_search, too.
std::vector<std::vector<Continuation>> beam_texts(const MakeTextModel& make, std::size_t workers,
                                                  const data::Tokenizer& tokenizer,
                                                  std::span<const std::vector<std::int32_t>> prompts,
                                                  const GenerationOptions& options,
                                                  const search::DecodeOptions& decode,
                                                  const TextSearchCalls& calls = {});

}  // namespace transformer::generation
