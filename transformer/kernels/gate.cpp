#include "transformer/kernels/gate.h"

#include "transformer/kernels/activation.h"
#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

Vec open(Vec gate, nn::Gate kind) {
  switch (kind) {
    case nn::Gate::sigmoid:
      return sigmoid(gate);
    case nn::Gate::swish:
      return activate(gate, nn::Activation::swish);
    case nn::Gate::none:
      break;
  }
  nn::no_such_choice();
}

void apply(const Gating& a) {
  for_columns(a.count, [&](std::int64_t i, std::int64_t n) {
    write(a.values + i, open(read(a.gate + i, n), a.kind) * read(a.values + i, n), n);
  });
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

TRANSFORMER_DEFINE_KERNELS(GateKernels, gate) = {.apply = TRANSFORMER_LEVEL::apply};

}  // namespace transformer::kernels
