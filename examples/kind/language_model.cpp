// A language model from outside the project (docs/guides/variants.md): the one of Bengio and others (2003),
// before there was attention. A network with one hidden layer predicts each token from the few tokens before
// it.
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <transformer/base/special_tokens.h>
#include <transformer/models/kinds.h>
#include <transformer/models/size.h>
#include <transformer/nn/variants.h>

using namespace transformer;
using torch::Tensor;

namespace {

class FeedForwardLanguageModel : public models::Model, public models::LanguageModel {
 public:
  FeedForwardLanguageModel(const models::ModelOptions& options, const models::VocabularySizes& vocabulary,
                           const variants::Values& values)
      : Model(options, vocabulary), context_(values.integer("context")) {
    const auto d_model = options.d_model, hidden = values.integer("hidden");
    tokens_ = register_module("embedding", torch::nn::Embedding(vocabulary.target, d_model));
    hidden_ = register_module("hidden", torch::nn::Linear(context_ * d_model, hidden));
    output_ = register_module("output", torch::nn::Linear(hidden, vocabulary.target));
  }

  models::LanguageModel* as_language_model() override { return this; }

  Tensor states(const models::Packed& text) override { return states(text.rows, text.sequences.places); }
  Tensor states(const Tensor& text) override {
    return states(text, torch::arange(text.size(-1), text.options()).expand_as(text));
  }

  models::OutputProjection projection() const override { return {output_->weight, output_->bias}; }
  Tensor logits(const Tensor& states) override { return output_->forward(states); }

 private:
  /// ids: (…, T), places: of each in its text; before the first one there is padding.
  Tensor states(const Tensor& ids, const Tensor& places) {
    std::vector<Tensor> before;
    for (std::int64_t back = 0; back < context_; ++back)
      before.push_back(tokens_(torch::where(places >= back, ids.roll(back, -1), kPad)));
    return torch::tanh(hidden_(torch::cat(before, -1)));
  }

  std::int64_t context_;
  torch::nn::Embedding tokens_{nullptr};
  torch::nn::Linear hidden_{nullptr}, output_{nullptr};
};

models::FlopCount flops(const models::ModelOptions& options, const models::VocabularySizes& vocabulary,
                        const models::TokenCounts& counts) {
  const auto values = variants::values_of(options.kind, variants::Kind::model);
  const auto hidden = static_cast<double>(values.integer("hidden"));
  const auto inputs = static_cast<double>(values.integer("context") * options.d_model);
  return {.target = 2 * counts.target * hidden * inputs,
          .output = 2 * counts.target * hidden * static_cast<double>(vocabulary.target)};
}

}  // namespace

TRANSFORMER_PLUGIN() {
  models::add_kind<FeedForwardLanguageModel>(
      {.name = "feed-forward",
       .about = "a network with one hidden layer predicts each token from the few before it",
       .options = {{.name = "context",
                    .standard = std::int64_t{4},
                    .help = "tokens that are seen",
                    .least = 1,
                    .most = 64},
                   {.name = "hidden",
                    .standard = std::int64_t{128},
                    .help = "width of the hidden layer",
                    .least = 1,
                    .most = 65536}},
       .keys = {"model.d_model"}},
      flops);
}
