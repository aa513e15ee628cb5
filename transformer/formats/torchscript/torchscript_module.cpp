#include "transformer/formats/torchscript/torchscript_module.h"

#include <torch/csrc/jit/frontend/tracer.h>

#include <algorithm>
#include <array>
#include <limits>

#include "transformer/base/special_tokens.h"
#include "transformer/formats/torchscript/torchscript_search.h"

namespace transformer::formats {
namespace {

using torch::jit::IValue;
using torch::jit::Stack;

constexpr std::size_t kTensorsOfLayer = 4;

// What the search in torchscript_search.cpp is told of the options.

/// A name that the saved code can have: those of variants may be words of Python's.
std::string name_in_code(const std::string& name) {
  constexpr std::array kWords = {
      "False", "None",     "True",  "and",    "as",     "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif",   "else",   "except", "for",      "finally",
      "from",  "global",   "if",    "import", "in",     "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "print", "raise",  "return", "try",    "while",  "with",     "yield"};
  return std::ranges::find(kWords, name) == kWords.end() ? name : name + "_";
}

/// The same tree of parameters under the same names.
torch::jit::Module mirror(const torch::nn::Module& from, const std::string& name,
                          const std::shared_ptr<torch::jit::CompilationUnit>& unit) {
  torch::jit::Module to(c10::QualifiedName("__torch__.transformer." + name), unit, /*shouldMangle=*/true);
  to.register_attribute("training", c10::BoolType::get(), false);
  for (const auto& parameter : from.named_parameters(/*recurse=*/false))
    to.register_parameter(name_in_code(parameter.key()), parameter.value(), /*is_buffer=*/false);
  for (const auto& child : from.named_children()) {
    const auto key = name_in_code(child.key());
    const bool is_number = key.find_first_not_of("0123456789") == std::string::npos;
    to.register_module(key, mirror(*child.value(), is_number ? "Layer" : key, unit));
  }
  return to;
}

/// In the order that torchscript_module.h states.
IValue to_list(const nn::DecoderCache& cache) {
  c10::List<torch::Tensor> list({cache.source_mask, cache.position});
  for (const auto& [self, source] : cache.layers) {
    for (const auto& tensor : {source.keys, source.values, self.keys, self.values}) list.push_back(tensor);
  }
  return list;
}

nn::DecoderCache to_cache(const IValue& value) {
  const auto list = value.toTensorVector();
  nn::DecoderCache cache;
  cache.source_mask = list[0];
  cache.position = list[1];
  for (std::size_t i = 2; i < list.size(); i += kTensorsOfLayer)
    cache.layers.push_back({.self = {list[i + 2], list[i + 3]}, .source = {list[i], list[i + 1]}});
  return cache;
}

Stack encode(models::EncoderDecoder& model, const Stack& inputs) {
  const auto [states, mask] = model->encode(inputs[0].toTensor());
  return {c10::ivalue::Tuple::create(states, mask)};
}

/// With keys and values of no target position yet, so that all steps are alike.
Stack start(models::EncoderDecoder& model, const Stack& inputs) {
  const models::Encoded source{inputs[0].toTensor(), inputs[1].toTensor()};
  auto cache = model->start(source);
  for (auto& layer : cache.layers)
    layer.self = {layer.source.keys.slice(2, 0, 0), layer.source.values.slice(2, 0, 0)};
  cache.position = torch::zeros_like(source.mask.flatten().select(0, 0), torch::kLong);
  return {to_list(cache)};
}

Stack decode_step(models::EncoderDecoder& model, const Stack& inputs) {
  auto cache = to_cache(inputs[1]);
  const auto logits = model->step(inputs[0].toTensor(), cache);
  cache.position = cache.position + 1;
  return {c10::ivalue::Tuple::create(logits, to_list(cache))};
}

/// Runs `body` on the inputs and makes its trace a method of the module. Returns its results.
Stack trace(torch::jit::Module& module, const std::string& name, const std::vector<std::string>& arguments,
            const Stack& inputs, const std::function<Stack(const Stack&)>& body) {
  // Lists are of one length for one model, which is what a strict trace would ask about.
  const auto [state, results] = torch::jit::tracer::trace(
      inputs, body, [](const torch::Tensor&) { return std::string(); }, /*strict=*/false,
      /*force_outplace=*/false, &module, arguments);
  const c10::QualifiedName full(*module.type()->name(), name);
  module.type()->addMethod(module._ivalue()->compilation_unit()->create_function(full, state->graph));
  return results;
}

}  // namespace

torch::jit::Module torchscript_module(models::EncoderDecoder& model, const search::DecodeOptions& options) {
  TORCH_CHECK(!model->is_training(), "a model is traced in evaluation mode");
  const torch::NoGradGuard no_gradients;
  auto module = mirror(*model, "EncoderDecoder", std::make_shared<torch::jit::CompilationUnit>());
  const auto trace_method = [&](const std::string& name, const std::vector<std::string>& arguments,
                                const Stack& inputs, auto method) {
    return trace(module, name, arguments, inputs, [&](const Stack& values) { return method(model, values); });
  };
  // Any ids serve. Sizes that are unlike each other keep one from passing for another.
  const auto source = torch::tensor({{kUnknown, kUnknown, kEos}, {kUnknown, kEos, kPad}},
                                    torch::TensorOptions(torch::kLong).device(model->device()));
  const auto encoded = trace_method("encode", {"source"}, {source}, encode)[0].toTuple();
  const Stack states{encoded->elements()[0], encoded->elements()[1]};
  const auto empty = trace_method("start", {"states", "mask"}, states, start)[0];

  const auto tokens = torch::full({2, 1}, kBos, source.options());
  auto cache = to_cache(decode_step(model, {tokens, empty})[0].toTuple()->elements()[1]);
  cache.select_hypotheses(torch::tensor({0, 0, 0, 0, 1, 1, 1, 1}, source.options()));
  trace_method("decode_step", {"tokens", "cache"}, {tokens.expand({2, 4}).contiguous(), to_list(cache)},
               decode_step);

  const auto longest =
      models::longest_sequence(model->options()).value_or(std::int64_t{1} << 31U) - 1;  // without EOS
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, std::int64_t>>{{"pad", kPad},
                                                                   {"begin", kBos},
                                                                   {"end", kEos},
                                                                   {"length_offset", options.length_offset},
                                                                   {"longest", longest}})
    module.register_attribute(name, c10::IntType::get(), value);
  module.register_attribute("gnmt", c10::BoolType::get(),
                            options.length_penalty == search::LengthPenalty::gnmt);
  module.register_attribute("twice", c10::BoolType::get(), options.candidates == search::Candidates::twice);
  module.define(torchscript_search(options.beam, options.alpha));
  return module;
}

}  // namespace transformer::formats
