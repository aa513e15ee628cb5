#include "transformer/decode/greedy.h"

#include "transformer/decode/beam_search.h"

namespace transformer::decode {

std::vector<Hypothesis> greedy_search(models::EncoderDecoder& model, const torch::Tensor& source,
                                      const DecodeOptions& options, const BeforeStep& before_step) {
  auto narrow = options;
  narrow.beam = narrow.nbest = 1;
  std::vector<Hypothesis> results;
  for (auto& found : beam_search(model, source, narrow, before_step))
    results.push_back(std::move(found.front()));
  return results;
}

}  // namespace transformer::decode
