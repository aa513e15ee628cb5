// A kind of model from outside the project, and a metric to judge it by (docs/guides/variants.md).
//
// A bag of words translates without attention, layers or positions: the source is the mean of its tokens'
// vectors, and what comes next follows from that and the last token alone.
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <transformer/base/special_tokens.h>
#include <transformer/eval/metric_table.h>
#include <transformer/models/kinds.h>
#include <transformer/models/size.h>
#include <transformer/nn/variants.h>

#include <cmath>

using namespace transformer;
using torch::Tensor;

namespace {

class BagOfWords : public models::Model, public models::SequenceToSequence {
 public:
  BagOfWords(const models::ModelOptions& options, const models::VocabularySizes& vocabulary,
             const variants::Values& values)
      : Model(options, vocabulary) {
    const auto d_model = options.d_model, hidden = values.integer("hidden");
    source_ = register_module("source_embedding", torch::nn::Embedding(vocabulary.source, d_model));
    target_ = register_module("target_embedding", torch::nn::Embedding(vocabulary.target, d_model));
    mix_ = register_module("mix", torch::nn::Linear(2 * d_model, hidden));
    output_ = register_module("output", torch::nn::Linear(hidden, vocabulary.target));
  }

  models::SequenceToSequence* as_sequence_to_sequence() override { return this; }

  Tensor states(const models::Packed& source, const models::Packed& target) override {
    const auto& offsets = source.sequences.offsets;
    const auto lengths = offsets.diff();
    const auto sentence_of = [](const models::Packed& side) {
      return torch::arange(side.sequences.offsets.size(0) - 1)
          .repeat_interleave(side.sequences.offsets.diff())
          .to(side.rows.device());
    };
    const auto vectors = source_(source.rows);
    auto bags = torch::zeros({lengths.size(0), vectors.size(1)}, vectors.options());
    bags = bags.index_add(0, sentence_of(source), vectors) / lengths.to(vectors).unsqueeze(1);
    return mixed(bags.index_select(0, sentence_of(target)), target_(target.rows));
  }

  Tensor states(const Tensor& source, const Tensor& target) override {
    const auto last = target_(target);  // (B, T, D)
    return mixed(bags_of(source).unsqueeze(1).expand_as(last), last);
  }

  models::OutputProjection projection() const override { return {output_->weight, output_->bias}; }
  Tensor logits(const Tensor& states) override { return output_->forward(states); }

  std::unique_ptr<models::DecoderState> start(const Tensor& source) override {
    // All hypotheses of a sentence have the same bag.
    return std::make_unique<models::TensorState>(std::vector{bags_of(source)}, std::vector<Tensor>());
  }

  Tensor step(const Tensor& ids, models::DecoderState& state) override {
    auto& bags = dynamic_cast<models::TensorState&>(state);
    const auto last = target_(ids);  // (B, W, D)
    ++bags.steps;
    return logits(mixed(bags.of_sentences[0].unsqueeze(1).expand_as(last), last));
  }

 private:
  /// source: (B, S), padded → (B, D)
  Tensor bags_of(const Tensor& source) {
    const auto real = source.ne(kPad).unsqueeze(-1).to(source_->weight.scalar_type());
    return (source_(source) * real).sum(1) / real.sum(1);
  }

  Tensor mixed(const Tensor& bags, const Tensor& last) {
    return torch::tanh(mix_(torch::cat({bags, last}, -1)));
  }

  torch::nn::Embedding source_{nullptr}, target_{nullptr};
  torch::nn::Linear mix_{nullptr}, output_{nullptr};
};

models::FlopCount flops(const models::ModelOptions& options, const models::VocabularySizes& vocabulary,
                        const models::TokenCounts& counts) {
  const auto values = variants::values_of(options.kind, variants::Kind::model);
  const auto hidden = static_cast<double>(values.integer("hidden"));
  return {.target = 2 * counts.target * hidden * 2 * static_cast<double>(options.d_model),
          .output = 2 * counts.target * hidden * static_cast<double>(vocabulary.target)};
}

/// The mean probability of the text's tokens, in per cent. Counts are whole numbers: millionths.
eval::Metric confidence() {
  constexpr double kOne = 1e6;
  return {.name = "Confidence",
          .fields = {{"unit", "subword"}},
          .count_predictions =
              [](std::span<const eval::Prediction> predictions) {
                eval::Counts counts{0, std::ssize(predictions)};
                for (const auto& prediction : predictions)
                  counts[0] += std::llround(kOne * std::exp(prediction.log_probability));
                return counts;
              },
          .score =
              [](std::span<const std::int64_t> sum) {
                return sum[1] == 0 ? 0.0
                                   : 100 / kOne * static_cast<double>(sum[0]) / static_cast<double>(sum[1]);
              },
          .detail = [](std::span<const std::int64_t>) { return std::string(); }};
}

}  // namespace

TRANSFORMER_PLUGIN() {
  models::add_kind<BagOfWords>(
      {.name = "bag",
       .about = "the source is the mean of its tokens, and a target token follows from it and the "
                "token before",
       .options = {{.name = "hidden",
                    .standard = std::int64_t{64},
                    .help = "width of the states",
                    .least = 1,
                    .most = 65536}},
       .keys = {"model.d_model"}},
      flops);
  eval::add_metric("confidence", confidence());
}
