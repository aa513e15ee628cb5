#include "transformer/models/recurrent/recurrent.h"

#include <torch/nn/modules/container/modulelist.h>

#include "transformer/base/special_tokens.h"
#include "transformer/models/kinds.h"
#include "transformer/models/padded_ids.h"
#include "transformer/models/recurrent/declaration.h"
#include "transformer/nn/attention_record.h"
#include "transformer/nn/init.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/linear.h"
#include "transformer/ops/tracing.h"
#include "transformer/runtime/device.h"

namespace transformer::models::recurrent {
namespace {

using torch::Tensor;

/// The place of each token of (B, S) after the words of its row are reversed. The end token and padding stay.
Tensor reversed_places(const Tensor& ids, const Tensor& lengths) {
  const auto places = ops::places_of(ids.select(0, 0));  // (S)
  const auto reversed = (lengths - 2).unsqueeze(1) - places;
  return torch::where(reversed >= 0, reversed, places);
}

/// x: (B, S, D), places: (B, S)
Tensor take_places(const Tensor& x, const Tensor& places) {
  return x.gather(1, places.unsqueeze(-1).expand({-1, -1, x.size(-1)}));
}

/// weights: (B, T, S), of some steps after one another.
void record(const torch::nn::Module& attention, const std::vector<Tensor>& weights) {
  if (auto* wanted = nn::AttentionRecord::of(attention))
    wanted->add(variants::Role::source, torch::cat(weights, 1).unsqueeze(1));
}

}  // namespace

RecurrentImpl::RecurrentImpl(const ModelOptions& options, const VocabularySizes& vocabulary,
                             const variants::Values& values)
    : Model(options, vocabulary), own_(options_of(values)) {
  check(options, own_);
  const auto d_model = options.d_model;
  embeddings_ = register_embeddings(*this, options, vocabulary);
  const auto add = [&](const char* stack, std::vector<Layer>& layers, std::int64_t count, std::int64_t inputs,
                       bool bidirectional) {
    const auto list = register_module(stack, torch::nn::ModuleList());
    for (std::int64_t i = 0; i < count; ++i) {
      layers.emplace_back(own_.cell, i == 0 ? inputs : d_model, bidirectional ? d_model / 2 : d_model,
                          bidirectional);
      list->push_back(layers.back());
    }
  };
  add("encoder", encoder_, options.encoder_layers, d_model, own_.bidirectional);
  add("decoder", decoder_, options.decoder_layers, feeds_back(own_) ? 2 * d_model : d_model, false);
  if (own_.attention != Attention::none) {
    attention_ = register_module("attention", SourceAttention(own_.attention, d_model));
    readout_ = register_module("readout",
                               torch::nn::Linear(torch::nn::LinearOptions(2 * d_model, d_model).bias(false)));
  }
  nn::initialize(*this);
}

Tensor RecurrentImpl::dropped(const Tensor& x) const {
  return ops::dropout(x, options().dropout, is_training());
}

Tensor RecurrentImpl::embed(nn::Embedding& embedding, const Tensor& ids) {
  return dropped(embedding(ids));
}

RecurrentImpl::Encoded RecurrentImpl::encode(const Tensor& ids) {
  const auto mask = ids.ne(kPad);
  const auto lengths = mask.sum(1);
  const auto order = reading_order(lengths);
  const auto places = own_.reverse_source ? reversed_places(ids, lengths) : Tensor();
  auto x = embed(embeddings_.source, places.defined() ? ids.gather(1, places) : ids);
  std::vector<CellState> last;
  for (auto& layer : encoder_) {
    auto read = layer->read(last.empty() ? x : dropped(x), order);
    x = read.states;
    last.push_back(std::move(read.last));
  }
  Encoded encoded{.memory = {.mask = mask.unsqueeze(1)}};
  const auto zeros = [](const Tensor& like) { return like.defined() ? torch::zeros_like(like) : Tensor(); };
  for (auto from_top = decoder_.size(); from_top > 0; --from_top)
    encoded.begin.push_back(from_top <= last.size() ? last[last.size() - from_top]
                                                    : CellState{zeros(last[0].h), zeros(last[0].c)});
  if (!attention_) return encoded;
  encoded.memory.states = places.defined() ? take_places(x, places) : x;
  encoded.memory.keys = attention_->keys(encoded.memory.states);
  return encoded;
}

Tensor RecurrentImpl::output_of(const Tensor& state, const Tensor& context) {
  return ops::linear(torch::cat({state, context}, -1), readout_->weight).tanh();
}

Tensor RecurrentImpl::decode_at_once(Tensor x, const Encoded& source) {
  for (std::size_t i = 0; i < decoder_.size(); ++i)
    x = decoder_[i]->read(i == 0 ? x : dropped(x), source.begin[i]);
  if (!attention_) return x;
  const auto [context, weights] = attention_(x, source.memory);
  record(*attention_, {weights});
  return output_of(x, context);
}

RecurrentImpl::StepState RecurrentImpl::first(const std::vector<CellState>& begin) const {
  StepState state{begin};
  if (own_.input_feeding) state.output = torch::zeros_like(begin.back().h);
  return state;
}

Tensor RecurrentImpl::advance(const Tensor& x, const Memory& memory, StepState& state,
                              const std::vector<Tensor>& masks, Tensor& weights) {
  Tensor context;
  const auto ask = [&](const Tensor& query) {
    auto found = attention_(query.view_as(x), memory);
    context = std::move(found.context);
    weights = std::move(found.weights);
  };
  if (own_.attention == Attention::additive) ask(state.cells.back().h);
  const auto fed = own_.attention == Attention::additive ? context : state.output;
  auto input = (fed.defined() ? torch::cat({x, fed.view_as(x)}, -1) : x).flatten(0, 1);  // (R, …)
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    state.cells[i] = decoder_[i]->step(input, state.cells[i]);
    input = state.cells[i].h;
    if (i < masks.size()) input = input * masks[i];
  }
  if (own_.attention == Attention::product) ask(input);
  const auto top = input.view_as(x);
  const auto output = context.defined() ? output_of(top, context) : top;
  if (own_.input_feeding) state.output = output.flatten(0, 1);
  return output;
}

Tensor RecurrentImpl::decode_in_steps(const Tensor& x, const Encoded& source) {
  // Masks of whole targets, so that a dropout has the same number in every batch (ops/dropout.h).
  std::vector<Tensor> whole_masks;
  if (is_training() && options().dropout > 0)
    for (std::size_t i = 0; i + 1 < decoder_.size(); ++i) whole_masks.push_back(dropped(torch::ones_like(x)));
  auto state = first(source.begin);
  std::vector<Tensor> outputs, weights;
  for (std::int64_t t = 0; t < x.size(1); ++t) {
    std::vector<Tensor> masks;
    for (const auto& mask : whole_masks) masks.push_back(mask.select(1, t));
    outputs.push_back(advance(x.narrow(1, t, 1), source.memory, state, masks, weights.emplace_back()));
  }
  if (attention_) record(*attention_, weights);
  return torch::cat(outputs, 1);
}

std::vector<AttentionLayer> RecurrentImpl::source_attentions() const {
  if (!attention_) return {};
  return {{.module = attention_.get(), .heads = 1}};
}

Tensor RecurrentImpl::decode(const Tensor& ids, const Encoded& source) {
  const auto x = embed(embeddings_.target, ids);
  return runtime::in_compute_type(
      dropped(feeds_back(own_) ? decode_in_steps(x, source) : decode_at_once(x, source)));
}

Tensor RecurrentImpl::states(const Packed& source, const Packed& target) {
  return ops::pack(decode(padded_ids(target), encode(padded_ids(source))), target.sequences);
}

Tensor RecurrentImpl::states(const Tensor& source, const Tensor& target) {
  return decode(target, encode(source));
}

Tensor RecurrentImpl::logits(const Tensor& states) {
  return embeddings_.output->logits(states, embeddings_.output_bias);
}

std::vector<Tensor> RecurrentImpl::to_tensors(const StepState& state) const {
  std::vector<Tensor> tensors;
  for (const auto& [h, c] : state.cells) {
    tensors.push_back(h);
    if (c.defined()) tensors.push_back(c);
  }
  if (state.output.defined()) tensors.push_back(state.output);
  return tensors;
}

RecurrentImpl::StepState RecurrentImpl::to_steps(const TensorState& state) const {
  StepState steps;
  auto next = state.of_hypotheses.begin();
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    auto& cell = steps.cells.emplace_back(CellState{*next++});
    if (own_.cell == Cell::lstm) cell.c = *next++;
  }
  if (own_.input_feeding) steps.output = *next;
  return steps;
}

std::unique_ptr<DecoderState> RecurrentImpl::start(const Tensor& source) {
  auto [memory, begin] = encode(source);
  std::vector<Tensor> of_sentences{memory.mask};
  if (attention_) of_sentences.insert(of_sentences.end(), {memory.states, memory.keys});
  return std::make_unique<TensorState>(std::move(of_sentences), to_tensors(first(begin)));
}

Tensor RecurrentImpl::step(const Tensor& ids, DecoderState& before) {
  auto& state = dynamic_cast<TensorState&>(before);
  const auto& held = state.of_sentences;
  Memory memory{held[0]};
  if (attention_) memory.states = held[1], memory.keys = held[2];
  auto steps = to_steps(state);
  Tensor weights;
  const auto output = advance(embeddings_.target(ids), memory, steps, {}, weights);
  state.of_hypotheses = to_tensors(steps);
  ++state.steps;
  return logits(runtime::in_compute_type(output));
}

void add_recurrent() {
  add_kind<RecurrentImpl>(declaration(), flops, kept);
}

}  // namespace transformer::models::recurrent
