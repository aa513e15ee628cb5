#include "transformer/models/shapes.h"

#include "transformer/base/special_tokens.h"
#include "transformer/nn/evaluation_mode.h"
#include "transformer/nn/masks.h"

namespace transformer::models {
namespace {

class ShapeList {
 public:
  const torch::Tensor& add(std::string name, const torch::Tensor& tensor) {
    list_.push_back({std::move(name), tensor.sizes().vec()});
    return tensor;
  }

  /// x: (1, T, D), memory: (1, S, D)
  torch::Tensor attend(const std::string& name, nn::MultiHeadAttention& attention, const torch::Tensor& x,
                       const torch::Tensor& memory, const torch::Tensor& mask,
                       const nn::AttentionPositions& positions) {
    add(name + ".query", attention->query(x));
    const auto projected = attention->keys_and_values(memory, positions);
    add(name + ".key, a head each", projected.keys);
    add(name + ".value, a head each", projected.values);
    if (!attention->variant) add(name + ": softmax(QKᵀ)", attention->weights(x, projected, mask, positions));
    return add(name + ".output", attention->attend(x, projected, mask, positions));
  }

  void feed_forward(const std::string& name, nn::FeedForward& network, const torch::Tensor& x) {
    if (!network) return;
    if (network->inner) add(name + ".inner", network->inner(x));
    add(name, network(x));
  }

  std::vector<Shape> take() { return std::move(list_); }

 private:
  std::vector<Shape> list_;
};

std::string layer_name(const char* stack, std::size_t i) {
  return std::string(stack) + ".layers." + std::to_string(i);
}

torch::Tensor encode(ShapeList& shapes, nn::Encoder& encoder, torch::Tensor x, const torch::Tensor& mask) {
  const auto positions = encoder->positions->of(x);
  for (std::size_t i = 0; i < encoder->layers->size(); ++i) {
    auto& layer = *encoder->layers[i]->as<nn::EncoderLayer>();
    const auto name = layer_name("encoder", i);
    if (i == 0) {
      shapes.attend(name + ".self_attention", layer.self_attention, x, x, mask, positions);
      shapes.feed_forward(name + ".feed_forward", layer.feed_forward, x);
    }
    x = shapes.add(name, layer.forward(x, mask, positions));
  }
  return shapes.add("encoder", encoder->norm ? encoder->norm(x) : x);
}

torch::Tensor decode(ShapeList& shapes, nn::Decoder& decoder, torch::Tensor x, const torch::Tensor& memory,
                     const torch::Tensor& source_mask) {
  const auto positions = decoder->positions->of(x);
  const auto causal = nn::causal_mask(x.size(1), x.device());
  for (std::size_t i = 0; i < decoder->layers->size(); ++i) {
    auto& layer = *decoder->layers[i]->as<nn::DecoderLayer>();
    const auto name = layer_name("decoder", i);
    if (i == 0) {
      shapes.attend(name + ".self_attention", layer.self_attention, x, x, causal, positions);
      shapes.attend(name + ".source_attention", layer.cross_attention, x, memory, source_mask, {});
      shapes.feed_forward(name + ".feed_forward", layer.feed_forward, x);
    }
    x = shapes.add(name, layer.forward(x, memory, causal, source_mask, positions));
  }
  return shapes.add("decoder", decoder->norm ? decoder->norm(x) : x);
}

}  // namespace

std::vector<Shape> shapes_of(EncoderDecoder& model, std::int64_t source_tokens, std::int64_t target_tokens) {
  const torch::NoGradGuard no_gradients;
  const nn::EvaluationMode mode(*model);
  ShapeList shapes;
  const auto ids = torch::TensorOptions(torch::kLong).device(model->device());
  const auto source = shapes.add("source", torch::full({1, source_tokens}, kEos, ids));
  const auto mask = torch::ones({1, 1, 1, source_tokens}, ids.dtype(torch::kBool));
  const auto x = shapes.add("source_embedding", model->source_embedding(source));
  const auto memory =
      encode(shapes, model->encoder, shapes.add("source_positions", model->source_positions(x)), mask);
  const auto target = shapes.add("target", torch::full({1, target_tokens}, kBos, ids));
  const auto y = shapes.add("target_embedding", model->target_embedding(target));
  const auto states = decode(shapes, model->decoder,
                             shapes.add("target_positions", model->target_positions(y)), memory, mask);
  shapes.add("logits", model->logits(states));
  return shapes.take();
}

}  // namespace transformer::models
