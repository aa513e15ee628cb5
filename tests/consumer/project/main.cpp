// What a user of the installed library writes: a module of the model, and something from elsewhere in it.
#include <torch/utils.h>

#include <iostream>

#include "transformer/base/text_file.h"
#include "transformer/nn/feed_forward.h"

int main() {
  torch::manual_seed(1);
  transformer::nn::FeedForward layer(transformer::nn::FeedForwardOptions{.d_model = 8, .d_ff = 16});
  const auto y = layer->forward(torch::ones({2, 3, 8}));
  std::cout << "shape " << y.sizes() << '\n';
  const bool good = y.sizes() == torch::IntArrayRef({2, 3, 8}) && transformer::is_valid_utf8("ok");
  return good ? 0 : 1;
}
