// The smallest language model: a vector for each token says what follows it.
#pragma once

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "transformer/models/kinds.h"

namespace transformer::test {

class Bigrams : public models::Model, public models::LanguageModel {
 public:
  Bigrams(const models::ModelOptions& options, const models::VocabularySizes& vocabulary,
          const variants::Values&)
      : Model(options, vocabulary) {
    tokens_ = register_module("tokens", torch::nn::Embedding(vocabulary.target, options.d_model));
    output_ = register_module("output", torch::nn::Linear(options.d_model, vocabulary.target));
  }

  models::LanguageModel* as_language_model() override { return this; }
  torch::Tensor states(const models::Packed& text) override { return tokens_(text.rows); }
  torch::Tensor states(const torch::Tensor& text) override { return tokens_(text); }
  models::OutputProjection projection() const override { return {output_->weight, output_->bias}; }
  torch::Tensor logits(const torch::Tensor& states) override { return output_(states); }

 private:
  torch::nn::Embedding tokens_{nullptr};
  torch::nn::Linear output_{nullptr};
};

/// Makes it known, once.
inline variants::Choice bigrams() {
  static const bool added = [] {
    models::add_kind<Bigrams>(
        {.name = "bigrams", .about = "what follows a token", .keys = {"model.d_model"}});
    return true;
  }();
  static_cast<void>(added);
  return {"bigrams", {}};
}

}  // namespace transformer::test
