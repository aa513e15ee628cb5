#include "apps/bench/shapes.h"

#include <fmt/format.h>

#include "transformer/base/error.h"

namespace transformer::bench {

Shape shape_of(const std::string& name) {
  models::ModelOptions model;  // the paper's base
  if (name == "base") return {model, 2048};
  if (name == "small") {
    model.encoder_layers = model.decoder_layers = 3;
    model.d_model = 256;
    model.d_ff = 1024;
    model.heads = 4;
    return {model, 4096};
  }
  if (name == "big") {
    model.d_model = 1024;
    model.d_ff = 4096;
    model.heads = 16;
    model.dropout = 0.3;
    return {model, 1024};
  }
  throw InputError(fmt::format("--shape: expected small, base or big, found '{}'", name));
}

}  // namespace transformer::bench
