#include "transformer/models/embeddings.h"

namespace transformer::models {

Embeddings register_embeddings(torch::nn::Module& module, const ModelOptions& options,
                               const VocabularySizes& vocabulary) {
  const auto add = [&](const char* name, std::int64_t tokens) {
    return module.register_module(name, nn::Embedding(tokens, options.d_model, options.scale_embedding));
  };
  Embeddings all;
  if (nn::ties_embeddings(options.tie)) {
    TORCH_CHECK(vocabulary.source == vocabulary.target, "tie: all needs one vocabulary, found sizes ",
                vocabulary.source, " and ", vocabulary.target);
    all.source = all.target = all.output = add("embedding", vocabulary.source);
  } else {
    all.source = add("source_embedding", vocabulary.source);
    all.target = add("target_embedding", vocabulary.target);
    all.output = nn::ties_output(options.tie) ? all.target : add("output", vocabulary.target);
  }
  if (options.output_bias)
    all.output_bias = module.register_parameter("output_bias", torch::zeros({vocabulary.target}));
  return all;
}

}  // namespace transformer::models
