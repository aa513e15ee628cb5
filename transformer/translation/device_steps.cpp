#include "transformer/translation/device_steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/filler.h"
#include "transformer/runtime/device_choices.h"
#include "transformer/translation/scoring.h"
#include "transformer/variants/choice.h"

namespace transformer::translation {
namespace {

constexpr std::int64_t kWidestBeam = 16;  // what attention costs grows with its square

/// Each once, in order.
std::vector<std::int32_t> distinct(std::vector<std::int32_t> sentences) {
  sentences.erase(std::unique(sentences.begin(), sentences.end()), sentences.end());
  return sentences;
}

bool shapes_recur(const torch::Device& device) {
  return !device.is_cpu() && runtime::device_choices().recurring_shapes;
}

/// So many sentences that shapes recur, where this is worth something.
std::int64_t sentences_for(std::int64_t sentences, const torch::Device& device) {
  return shapes_recur(device) ? data::recurring_examples(sentences) : sentences;
}

/// source: (B, S) → the same with further sentences, which are empty, and with further padding
torch::Tensor filled_up(const torch::Tensor& source, const models::EncoderDecoderImpl& model) {
  const auto device = model.device();
  const auto sentences = source.size(0), length = source.size(1);
  if (!shapes_recur(device)) return source;
  const auto wanted = data::recurring(length);
  const auto longest = std::max(length, models::longest_sequence(model.options()).value_or(wanted));
  auto all =
      torch::full({sentences_for(sentences, device), std::min(wanted, longest)}, kPad, source.options());
  all.select(1, 0).fill_(kEos);
  all.slice(0, 0, sentences).slice(1, 0, length).copy_(source);
  return all;
}

}  // namespace

std::optional<std::string> DeviceSteps::unsupported(const models::ModelOptions& model,
                                                    const search::DecodeOptions& options) {
  // It may look at where keys stand.
  if (model.variants.attention) return "model.variants.attention: " + model.variants.attention.name;
  // Of what is no part of attention a step is the modules'.
  const auto knows = [](auto value) {
    if constexpr (std::is_same_v<decltype(value), nn::AttentionScore>)
      return value == nn::AttentionScore::product;
    else if constexpr (std::is_same_v<decltype(value), nn::Positions>)
      return !nn::are_relative_vectors(value);
    else
      return true;
  };
  using O = models::ModelOptions;
  if (auto other = models::other_option(
          model, knows, &O::attention_dropout, &O::activation_dropout, &O::residual, &O::parallel_sublayers,
          &O::attention_scale, &O::attention_bias, &O::output_bias, &O::scale_embedding, &O::norm_epsilon,
          &O::rotary_base, &O::max_positions, &O::relative_distance, &O::variants))
    return other;
  if (options.beam < 1 || options.beam > kWidestBeam) return "decode.beam: " + std::to_string(options.beam);
  return std::nullopt;
}

DeviceSteps::DeviceSteps(models::EncoderDecoder& model, const torch::Tensor& source,
                         std::vector<std::int64_t> limits, const search::DecodeOptions& options,
                         StepGraphs* graphs)
    : model_(model),
      ends_take_places_(translation::ends_take_places(options)),
      limits_of_all_(std::move(limits)),
      graphs_(graphs),
      sentences_(limits_of_all_.size()) {
  const auto device = model_->device();
  const auto longest = *std::max_element(limits_of_all_.begin(), limits_of_all_.end());
  const auto ids = filled_up(source, *model_).to(device);
  auto all = limits_of_all_;
  all.resize(static_cast<std::size_t>(ids.size(0)), longest);
  state_.cache = model_->start_beam(model_->encode(ids), options.beam, longest + 1);
  state_.limits = torch::tensor(all).to(device);
  state_.costs = first_costs(ids.size(0), options.beam, device);
  state_.tokens = torch::full_like(state_.costs, kBos, torch::kLong);
  std::iota(sentences_.begin(), sentences_.end(), 0);
}

/// Finds the places of the rows on the device. Rows of a sentence are in the order of its places that hold a
/// hypothesis.
void DeviceSteps::find_places(const search::StepRows& rows) {
  std::vector<std::int64_t> places(rows.size(), 0);
  if (last_.costs.defined()) {
    const auto width = last_.costs.size(1);
    const auto* costs = last_.costs.data_ptr<float>();
    const auto *tokens = last_.tokens.data_ptr<std::int64_t>(),
               *parents = last_.parents.data_ptr<std::int64_t>();
    std::int64_t sentence = 0, place = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      while (sentences_.at(static_cast<std::size_t>(sentence)) != rows.sentences[row]) ++sentence, place = 0;
      while (place < width && std::isnan(costs[sentence * width + place])) ++place;
      const auto parent = places_.at(static_cast<std::size_t>(rows.parents[row]));
      const auto at = sentence * width + place;
      if (place == width || tokens[at] != rows.tokens[row] || parents[at] != parent)
        throw RunError("beam search: the device went on with other hypotheses than the search");
      places[row] = place++;
    }
  }
  places_ = std::move(places);
}

/// Copying what the others remember pays when there are some to be left out.
void DeviceSteps::leave_out_closed(const std::vector<std::int32_t>& sentences) {
  constexpr std::int64_t kWorthwhile = 8;  // one of so many
  const auto device = state_.costs.device();
  const auto rows = sentences_for(std::ssize(sentences), device);
  if (rows * kWorthwhile > state_.cache.sentences() * (kWorthwhile - 1)) return;
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < sentences_.size(); ++i)
    if (std::ranges::binary_search(sentences, sentences_[i])) kept.push_back(static_cast<std::int64_t>(i));
  kept.resize(static_cast<std::size_t>(rows), kept.back());
  state_.select_sentences(torch::tensor(kept).to(device), std::ssize(sentences));
  sentences_ = sentences;
}

void DeviceSteps::run_ahead(std::int64_t width) {
  const auto length = state_.cache.length;
  std::int64_t longest = 0;
  for (const auto sentence : sentences_) longest = std::max(longest, limit(sentence));
  StepsAhead asked{.steps = std::min(kStepsAhead, longest + 1 - length),
                   .continuations = std::min(width, model_->vocabulary().target),
                   .ends_take_places = ends_take_places_};
  asked.some_must_end = std::ranges::any_of(sentences_, [&](auto sentence) {
    return limit(sentence) >= length && limit(sentence) < length + asked.steps;
  });
  model_->reserve(state_.cache, length + asked.steps);
  log_ = graphs_ ? graphs_->run(state_, asked) : do_steps(model_, state_, asked);
  next_ = 0;
}

void DeviceSteps::operator()(const search::StepRows& rows, std::int64_t width, search::Continuations& best) {
  find_places(rows);
  if (!log_ || next_ == log_->steps()) {
    leave_out_closed(distinct(rows.sentences));
    run_ahead(width);
  }
  last_ = log_->at(next_++);
  best.width = last_.continuations.size(2);
  best.log_probabilities.clear();
  best.tokens.clear();
  const auto* values = last_.log_probabilities.data_ptr<float>();
  const auto* ids = last_.continuations.data_ptr<std::int64_t>();
  std::size_t sentence = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    while (sentences_.at(sentence) != rows.sentences[row]) ++sentence;
    const auto first =
        (static_cast<std::int64_t>(sentence) * state_.cache.width() + places_[row]) * best.width;
    best.log_probabilities.insert(best.log_probabilities.end(), values + first, values + first + best.width);
    best.tokens.insert(best.tokens.end(), ids + first, ids + first + best.width);
  }
}

}  // namespace transformer::translation
