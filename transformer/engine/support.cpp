#include "transformer/engine/support.h"

#include "transformer/variants/choice.h"

namespace transformer::engine {
namespace {

using Answer = std::optional<std::string>;

Answer unsupported(nn::Positions positions) {
  const auto scheme = nn::scheme_of(positions);
  if (scheme.in_engine) return std::nullopt;
  return std::string("model.positions: ") + scheme.name;
}

Answer unsupported(nn::NormPlacement norm) {
  switch (norm) {
    case nn::NormPlacement::post:
    case nn::NormPlacement::pre:
      return std::nullopt;
    case nn::NormPlacement::sandwich:
      return std::string("model.norm: ") + nn::name_of(norm);
  }
  nn::no_such_choice();
}

Answer unsupported(nn::Activation activation) {
  switch (activation) {
    case nn::Activation::relu:
    case nn::Activation::gelu:
    case nn::Activation::swish:
      return std::nullopt;
  }
  nn::no_such_choice();
}

Answer unsupported(nn::Tie tie) {
  switch (tie) {
    case nn::Tie::all:
    case nn::Tie::target:
    case nn::Tie::none:
      return std::nullopt;
  }
  nn::no_such_choice();
}

}  // namespace

std::optional<std::string> unsupported(const models::ModelOptions& options) {
  for (auto answer : {unsupported(options.positions), unsupported(options.norm),
                      unsupported(options.activation), unsupported(options.tie)})
    if (answer) return answer;
  if (auto other = models::other_parts(options)) return other;
  if (const auto variants = variants::describe(options.variants); !variants.empty()) return variants.front();
  return std::nullopt;
}

std::string declined(const std::string& option) {
  return "the engine for CPUs does not know " + option +
         ": the model's modules translate, which takes longer";
}

}  // namespace transformer::engine
