#include "transformer/formats/torchscript/torchscript_module.h"

#include <fmt/format.h>
#include <torch/csrc/jit/frontend/tracer.h>

#include <algorithm>
#include <array>
#include <limits>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/formats/continuation.h"
#include "transformer/formats/torchscript/torchscript_search.h"
#include "transformer/models/stack_parts.h"
#include "transformer/translation/scoring.h"

namespace transformer::formats {
namespace {

using torch::jit::IValue;
using torch::jit::Stack;

constexpr std::size_t kTensorsOfLayer = 4;

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

/// A module whose methods are traces of a model's.
class Tracer {
 public:
  explicit Tracer(const models::AnyModel& model, const std::string& name)
      : module_(mirror(*model, name, std::make_shared<torch::jit::CompilationUnit>())),
        ids_(torch::TensorOptions(torch::kLong).device(model->device())) {}

  /// Runs `body` on the inputs and makes its trace a method of the module. Returns its results.
  Stack trace(const std::string& name, const std::vector<std::string>& arguments, const Stack& inputs,
              const std::function<Stack(const Stack&)>& body) {
    // Lists are of one length for one model, which is what a strict trace would ask about.
    const auto [state, results] = torch::jit::tracer::trace(
        inputs, body, [](const torch::Tensor&) { return std::string(); }, /*strict=*/false,
        /*force_outplace=*/false, &module_, arguments);
    const c10::QualifiedName full(*module_.type()->name(), name);
    module_.type()->addMethod(module_._ivalue()->compilation_unit()->create_function(full, state->graph));
    return results;
  }

  // Any ids serve. Sizes that are unlike each other keep one from passing for another.
  torch::Tensor source() const {
    return torch::tensor({{kUnknown, kUnknown, kEos}, {kUnknown, kEos, kPad}}, ids_);
  }
  torch::Tensor first_tokens() const { return torch::full({2, 1}, kBos, ids_); }
  torch::Tensor tokens() const { return torch::full({2, 4}, kBos, ids_); }
  torch::Tensor four_of_each() const { return torch::tensor({0, 0, 0, 0, 1, 1, 1, 1}, ids_); }

  torch::jit::Module& module() { return module_; }

 private:
  torch::jit::Module module_;
  torch::TensorOptions ids_;
};

/// What a search must know of a cache.
struct Cache {
  std::vector<std::int64_t> selected_by;  ///< each of its tensors: torchscript_search.h
  const char* start;                      ///< the statement that makes it of a source
};

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

Cache trace_encoder_decoder(Tracer& tracer, models::EncoderDecoder model) {
  const auto trace = [&](const char* name, const std::vector<std::string>& arguments, const Stack& inputs,
                         auto method) {
    return tracer.trace(name, arguments, inputs, [&](const Stack& values) { return method(model, values); });
  };
  const auto encoded = trace("encode", {"source"}, {tracer.source()}, encode)[0].toTuple();
  const Stack states{encoded->elements()[0], encoded->elements()[1]};
  const auto empty = trace("start", {"states", "mask"}, states, start)[0];
  auto cache = to_cache(decode_step(model, {tracer.first_tokens(), empty})[0].toTuple()->elements()[1]);
  cache.select_hypotheses(tracer.four_of_each());
  trace("decode_step", {"tokens", "cache"}, {tracer.tokens(), to_list(cache)}, decode_step);
  Cache known{{1, 0}, "states, mask = self.encode(source)\n    cache = self.start(states, mask)"};
  for (std::size_t i = 0; i < cache.layers.size(); ++i)
    known.selected_by.insert(known.selected_by.end(), {1, 1, 2, 2});
  return known;
}

IValue to_list(const models::TensorState& state) {
  c10::List<torch::Tensor> list(state.of_sentences);
  for (const auto& tensor : state.of_hypotheses) list.push_back(tensor);
  return list;
}

/// Any model whose decoder's state is tensors.
Cache trace_tensor_state(Tracer& tracer, models::SequenceToSequence& model) {
  std::size_t sentences = 0;  // tensors that have a row for each
  const auto start = [&](const Stack& inputs) {
    const auto state = model.start(inputs[0].toTensor());
    const auto& tensors = dynamic_cast<const models::TensorState&>(*state);
    sentences = tensors.of_sentences.size();
    return Stack{to_list(tensors)};
  };
  const auto to_state = [&](const IValue& list) {
    const auto all = list.toTensorVector();
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(sentences);
    return models::TensorState({all.begin(), first}, {first, all.end()});
  };
  auto state = to_state(tracer.trace("start", {"source"}, {tracer.source()}, start)[0]);
  model.step(tracer.first_tokens(), state);
  state.select_hypotheses(tracer.four_of_each());
  const auto step = [&](const Stack& inputs) {
    auto next = to_state(inputs[1]);
    const auto logits = model.step(inputs[0].toTensor(), next);
    return Stack{c10::ivalue::Tuple::create(logits, to_list(next))};
  };
  tracer.trace("decode_step", {"tokens", "cache"}, {tracer.tokens(), to_list(state)}, step);
  Cache known{std::vector<std::int64_t>(sentences, 1), "cache = self.start(source)"};
  known.selected_by.resize(sentences + state.of_hypotheses.size(), 2);
  return known;
}

/// The number of tokens read, then the keys and values of each layer.
IValue to_list(models::CachedState& state) {
  const auto& cache = state.cache();
  c10::List<torch::Tensor> list({cache.position});
  for (const auto& layer : cache.layers)
    for (const auto& tensor : {layer.self.keys, layer.self.values}) list.push_back(tensor);
  return list;
}

models::CachedState to_text_state(const IValue& value) {
  const auto list = value.toTensorVector();
  nn::DecoderCache cache;
  cache.position = list[0];
  for (std::size_t i = 1; i < list.size(); i += 2) cache.layers.push_back({{list[i], list[i + 1]}, {}});
  return models::CachedState(std::move(cache));
}

void trace_language_model(Tracer& tracer, models::LanguageModel& model) {
  tracer.trace("logits", {"text"}, {tracer.tokens()},
               [&](const Stack& inputs) { return Stack{model.logits(model.states(inputs[0].toTensor()))}; });
  const auto start = [&](const Stack& inputs) {
    const auto text = inputs[0].toTensor();
    const auto state = model.start(text);
    auto& cached = dynamic_cast<models::CachedState&>(*state);
    cached.cache().position = torch::ones_like(text.select(0, 0)).sum();
    return Stack{to_list(cached)};
  };
  auto state = to_text_state(tracer.trace("start", {"text"}, {tracer.tokens()}, start)[0]);
  state.select_hypotheses(tracer.four_of_each());
  const auto step = [&](const Stack& inputs) {
    auto next = to_text_state(inputs[1]);
    const auto logits = model.step(inputs[0].toTensor(), next);
    next.cache().position = next.cache().position + 1;
    return Stack{c10::ivalue::Tuple::create(logits, to_list(next))};
  };
  tracer.trace("decode_step", {"tokens", "cache"}, {tracer.tokens(), to_list(state)}, step);
}

void add_attributes(torch::jit::Module& module,
                    const std::vector<std::pair<const char*, std::int64_t>>& attributes) {
  for (const auto& [name, value] : attributes) module.register_attribute(name, c10::IntType::get(), value);
}

}  // namespace

void check_can_be_traced(models::AnyModel model) {
  if (models::as_encoder_decoder(model)) return;
  const translation::SearchMode mode(model);
  if (is_language_model(model)) {
    if (models::stacks_of(model->options()).decoder) return;
    throw InputError(fmt::format("model.kind: expected the paper's decoder of a language model, found '{}'",
                                 models::kind_of(model->options())));
  }
  const auto source = torch::full({1, 1}, kEos, torch::TensorOptions(torch::kLong).device(model->device()));
  const auto state = models::sequence_to_sequence(*model).start(source);
  if (dynamic_cast<const models::TensorState*>(state.get()) == nullptr)
    throw InputError(
        fmt::format("model.kind: expected a model whose decoder's state is a TensorState "
                    "(transformer/models/model.h), found '{}'",
                    models::kind_of(model->options())));
}

torch::jit::Module torchscript_module(const models::AnyModel& model, const search::DecodeOptions& options) {
  TORCH_CHECK(!model->is_training(), "a model is traced in evaluation mode");
  const torch::NoGradGuard no_gradients;
  auto own = models::as_encoder_decoder(model);
  Tracer tracer(model, own ? "EncoderDecoder" : "Model");
  const auto longest =
      models::longest_sequence(model->options()).value_or(std::int64_t{1} << 31U) - 1;  // without EOS
  add_attributes(tracer.module(), {{"pad", kPad}, {"begin", kBos}, {"end", kEos}, {"longest", longest}});
  if (is_language_model(model)) {
    trace_language_model(tracer, models::language_model(*model.ptr()));
    tracer.module().define(torchscript_generation());
    return tracer.module();
  }
  const auto cache = own ? trace_encoder_decoder(tracer, own)
                         : trace_tensor_state(tracer, models::sequence_to_sequence(*model.ptr()));
  auto module = tracer.module();
  add_attributes(module, {{"length_offset", options.length_offset}});
  module.register_attribute("gnmt", c10::BoolType::get(),
                            options.length_penalty == search::LengthPenalty::gnmt);
  module.register_attribute("twice", c10::BoolType::get(), options.candidates == search::Candidates::twice);
  module.register_attribute("selected_by", c10::ListType::ofInts(),
                            c10::List<std::int64_t>(cache.selected_by));
  module.define(torchscript_search(options.beam, options.alpha, cache.start));
  return module;
}

}  // namespace transformer::formats
