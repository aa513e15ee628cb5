#include "transformer/models/trained_tensors.h"

#include <utility>

namespace transformer::models {
namespace {

class List {
 public:
  explicit List(const ModelOptions& options) : o_(options) {}

  void add(std::int64_t part, std::int64_t numbers) {
    tensors_.push_back({.numbers = numbers, .part = part});
  }

  void attention(std::int64_t part) {
    const auto keys = o_.heads * o_.d_k, values = o_.heads * o_.d_v;
    for (const auto inner : {keys, keys, values}) linear(part, o_.d_model, inner, o_.attention_bias);
    linear(part, values, o_.d_model, o_.attention_bias);
    norm(part);
  }

  void feed_forward(std::int64_t part) {
    linear(part, o_.d_model, o_.d_ff, /*bias=*/true);
    linear(part, o_.d_ff, o_.d_model, /*bias=*/true);
    norm(part);
  }

  std::vector<TrainedTensor> take() { return std::move(tensors_); }

 private:
  void linear(std::int64_t part, std::int64_t from, std::int64_t to, bool bias) {
    add(part, from * to);
    if (bias) add(part, to);
  }
  void norm(std::int64_t part) {
    for (int tensor = 0; tensor < 2; ++tensor) add(part, o_.d_model);
  }

  const ModelOptions& o_;
  std::vector<TrainedTensor> tensors_;
};

}  // namespace

std::vector<TrainedTensor> trained_tensors(const ModelOptions& o, const VocabularySizes& vocabulary) {
  const std::int64_t source = 0, target = 1 + 2 * o.encoder_layers,
                     output = target + 1 + 3 * o.decoder_layers;
  List list(o);
  if (o.output_bias) list.add(output, vocabulary.target);
  list.add(source, vocabulary.source * o.d_model);
  if (!nn::ties_embeddings(o.tie)) list.add(target, vocabulary.target * o.d_model);
  if (!nn::ties_output(o.tie)) list.add(output, vocabulary.target * o.d_model);
  if (nn::are_learned_vectors(o.positions))
    for (const auto side : {source, target}) list.add(side, o.max_positions * o.d_model);
  auto part = source;
  for (std::int64_t layer = 0; layer < o.encoder_layers; ++layer) {
    list.attention(++part);
    list.feed_forward(++part);
  }
  part = target;
  for (std::int64_t layer = 0; layer < o.decoder_layers; ++layer) {
    for (int attention = 0; attention < 2; ++attention) list.attention(++part);
    list.feed_forward(++part);
  }
  return list.take();
}

}  // namespace transformer::models
