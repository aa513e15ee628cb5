// Page 5: section 3.1.
#include "examples/tutorial/page.h"
#include "transformer/models/size.h"
#include "transformer/nn/decoder.h"
#include "transformer/nn/embedding.h"
#include "transformer/nn/init.h"
#include "transformer/nn/masks.h"

using namespace transformer;

namespace {

// --- options
nn::StackOptions options() {
  return {.layers = 2,
          .attention = {.d_model = 24, .heads = 8, .d_k = 3, .d_v = 3},
          .feed_forward = {.d_model = 24, .d_ff = 48},
          .residual = {.d_model = 24, .dropout = 0.5}};
}
// ---

}  // namespace

void tutorial::stacks() {
  section("embedding");
  const auto ids = torch::ones({2, 100}, torch::kLong);
  nn::Embedding embedding(200, 24);
  nn::initialize(*embedding);
  nn::PositionalEncoding positions(nn::Positions::interleaved, 24, 0);
  const auto embedded = embedding(ids), x = positions(embedded);
  show_shape("ids", ids);
  show_shape("embedded", embedded);
  show_shape("with positions", x);
  show("√24", (embedded[0][0] / embedding->weight[1])[0]);

  section("encoder_layer");
  nn::EncoderLayer layer(options());
  layer->eval();
  const auto mask = torch::arange(100).lt(torch::tensor({3, 2}).unsqueeze(1)).view({2, 1, 1, 100});
  const auto z = layer->self_attention(x, x, ops::AttentionMask(mask));
  const auto y = layer(x, mask);
  show_shape("attention", z);
  show_shape("inner", layer->feed_forward->inner(z));
  show_shape("layer", y);
  show("mean of a row", y[0][0].mean());
  show("its variance", y[0][0].var(/*unbiased=*/false));
  show("parameters", static_cast<double>(count(*layer)), 0);

  section("encoder");
  nn::Encoder encoder(options());
  encoder->eval();
  const auto memory = encoder(x, mask);
  show_shape("memory", memory);
  show("parameters", static_cast<double>(count(*encoder) + count(*embedding)), 0);

  section("decoder");
  nn::Decoder decoder(options());
  decoder->eval();
  const auto target = positions(torch::randn({2, 5, 24}));
  const auto causal = nn::causal_mask(5, torch::kCPU);
  const auto whole = decoder(target, memory, ops::AttentionMask(causal), ops::AttentionMask(mask));
  show_shape("target", target);
  show_shape("decoder", whole);
  show("parameters of a layer", static_cast<double>(count(*nn::DecoderLayer(options()))), 0);

  section("steps");
  auto cache = decoder->start(memory, mask);
  auto largest = torch::zeros({});
  for (int t = 0; t < 5; ++t) {
    const auto step = decoder->step(target.slice(1, t, t + 1), cache);
    largest = torch::max(largest, (step - whole.slice(1, t, t + 1)).abs().max());
  }
  show_shape("keys of a layer", cache.layers[0].self.keys);
  ask("each step equals the whole pass to 0.00001:", largest.item<double>() < 1e-5);

  section("count");
  const models::ModelOptions model{
      .encoder_layers = 2, .decoder_layers = 2, .d_model = 24, .d_ff = 48, .heads = 8, .d_k = 3, .d_v = 3};
  for (const auto& [part, numbers] : models::count_parameters(model, {200, 200}).parts())
    show(part, static_cast<double>(numbers), 0);
}
