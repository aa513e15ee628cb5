#include "transformer/translation/greedy.h"

#include "transformer/translation/model_search.h"

namespace transformer::translation {

std::vector<search::Hypothesis> greedy_search(models::EncoderDecoder& model, const torch::Tensor& source,
                                              const search::DecodeOptions& options,
                                              const search::BeforeStep& before_step) {
  auto narrow = options;
  narrow.beam = narrow.nbest = 1;
  std::vector<search::Hypothesis> results;
  for (auto& found : beam_search(model, source, narrow, before_step))
    results.push_back(std::move(found.front()));
  return results;
}

}  // namespace transformer::translation
