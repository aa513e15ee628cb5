#include "transformer/models/size.h"

#include <algorithm>
#include <numeric>

#include "transformer/models/kind_costs.h"
#include "transformer/variants/registry.h"

namespace transformer::models {
namespace {

using variants::Kind;
using variants::Role;

/// What stands between the projections.
variants::Flops attention_flops(const ModelOptions& o, Role role) {
  const auto place = place_of(o, role);
  if (!o.variants.attention) {
    auto flops = variants::attention_flops(place);
    if (nn::are_relative_vectors(o.positions) && variants::is_self_attention(role))
      flops.token += 2.0 * static_cast<double>(o.heads * (2 * o.relative_distance + 1) * (o.d_k + o.d_v));
    return flops;
  }
  return variants::flops({o.variants.attention, place}, Kind::attention).value_or(variants::Flops{});
}

/// Of a token.
double feed_forward_flops(const ModelOptions& o) {
  if (!o.variants.feed_forward) {
    const double products = !nn::exists(o.feed_forward)                     ? 0
                            : nn::gate_of(o.feed_forward) != nn::Gate::none ? 3
                                                                            : 2;
    return 2 * products * static_cast<double>(o.d_model) * static_cast<double>(o.d_ff);
  }
  return variants::flops({o.variants.feed_forward, place_of(o)}, Kind::feed_forward)
      .value_or(variants::Flops{})
      .token;
}

}  // namespace

namespace {

/// The stacks that a model has which has the part.
Stacks needed_by(ModelPart part) {
  switch (part) {
    case ModelPart::encoder_self_attention:
    case ModelPart::encoder_feed_forward:
    case ModelPart::encoder_norms:
      return {.encoder = true};
    case ModelPart::decoder_cross_attention:
      return {.encoder = true, .decoder = true};
    case ModelPart::decoder_self_attention:
    case ModelPart::decoder_feed_forward:
    case ModelPart::decoder_norms:
      return {.decoder = true};
    case ModelPart::embeddings:
    case ModelPart::output_projection:
    case ModelPart::positions:
    case ModelPart::whole:
      return {};
  }
  no_such_choice();
}

}  // namespace

std::int64_t ParameterCount::total() const {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

std::vector<std::pair<std::string, std::int64_t>> ParameterCount::parts() const {
  std::vector<std::pair<std::string, std::int64_t>> all;
  const bool whole = of(ModelPart::whole) > 0, encoder = of(ModelPart::encoder_self_attention) > 0,
             decoder = of(ModelPart::decoder_self_attention) > 0;
  for (const auto part : all_values<ModelPart>()) {
    const auto needed = needed_by(part);
    if ((part == ModelPart::whole) == whole && (encoder || !needed.encoder) && (decoder || !needed.decoder))
      all.emplace_back(name_of(part), of(part));
  }
  return all;
}

ParameterCount count_parameters(const ModelOptions& o, const VocabularySizes& vocabulary) {
  ParameterCount count;
  const auto add = [&](ModelPart part, std::int64_t numbers) {
    count.numbers[static_cast<std::size_t>(part)] += numbers;
  };
  if (!stacks_of(o).any()) {
    add(ModelPart::whole, costs_of(o).parameters(o, vocabulary));
    return count;
  }
  for (const auto& tensor : tensors_of(o, vocabulary))
    if (tensor.is_trained) add(tensor.part, tensor.numbers());
  return count;
}

std::int64_t count_statistics(const ModelOptions& o) {
  std::int64_t count = 0;
  if (!stacks_of(o).any()) return count;
  for (const auto& tensor : tensors_of(o, {}))
    if (!tensor.is_trained) count += tensor.numbers();
  return count;
}

void TokenCounts::add_pair(std::int64_t source_length, std::int64_t target_length) {
  const auto s = static_cast<double>(source_length);
  const auto t = static_cast<double>(target_length);
  *this +=
      {.source = s, .target = t, .source_squared = s * s, .target_squared = t * t, .source_target = s * t};
}

TokenCounts& TokenCounts::operator+=(const TokenCounts& other) {
  source += other.source;
  target += other.target;
  source_squared += other.source_squared;
  target_squared += other.target_squared;
  source_target += other.source_target;
  return *this;
}

TokenCounts even_pairs(double tokens, double length) {
  return {.source = tokens,
          .target = tokens,
          .source_squared = tokens * length,
          .target_squared = tokens * length,
          .source_target = tokens * length};
}

FlopCount forward_flops(const ModelOptions& o, const VocabularySizes& vocabulary, const TokenCounts& n) {
  const auto stacks = stacks_of(o);
  if (!stacks.any()) return costs_of(o).flops ? costs_of(o).flops(o, vocabulary, n) : FlopCount{};
  const auto d_model = static_cast<double>(o.d_model);
  const auto head_sizes = static_cast<double>(o.d_k + o.d_v);
  const auto encoder_layers = static_cast<double>(o.encoder_layers);
  const auto decoder_layers = static_cast<double>(o.decoder_layers);
  // Of a token.
  const double queries_and_output = 2 * d_model * static_cast<double>(o.heads) * head_sizes;
  const double keys_and_values = 2 * d_model * static_cast<double>(kv_heads_of(o)) * head_sizes;
  // Pairs of self-attention, each query with those keys that it reaches.
  const auto reach = static_cast<double>(o.attention_window);
  const auto within = [&](double squared, double tokens, double sides) {
    return o.attention_window == 0 ? squared : std::min(squared, tokens * (sides * reach + 1));
  };
  const auto encoder_own = attention_flops(o, Role::encoder), decoder_own = attention_flops(o, Role::decoder),
             source_own = attention_flops(o, Role::source);
  const double feed_forward = feed_forward_flops(o);

  const double projections = queries_and_output + keys_and_values;
  const double encoder = n.source * (projections + encoder_own.token + feed_forward) +
                         within(n.source_squared, n.source, 2) * encoder_own.pair;
  const double decoder_self =
      n.target * (projections + decoder_own.token) + within(n.target_squared, n.target, 1) * decoder_own.pair;
  const double decoder_cross =
      n.target * (queries_and_output + source_own.token) + n.source_target * source_own.pair;
  FlopCount count{.target = decoder_layers * (decoder_self + n.target * feed_forward),
                  .output = 2 * n.target * d_model * static_cast<double>(vocabulary.target)};
  if (!stacks.encoder) return count;
  if (!stacks.decoder) {
    const auto outputs = static_cast<double>(outputs_of(o, vocabulary));
    const auto embedded = static_cast<double>(embedding_size_of(o));
    const double inwards = o.encoder.embedding_size > 0 ? 2 * n.source * embedded * d_model : 0;
    // Of a predicted token, or of a text.
    double output = d_model * outputs;
    if (o.encoder.head == Head::none && o.encoder.output_transform)
      output = embedded * (d_model + outputs);
    else if (is_of_texts(o.encoder.head))
      output += d_model * d_model;
    return {.source = inwards + encoder_layers * encoder, .output = 2 * n.target * output};
  }
  count.source = encoder_layers * encoder + decoder_layers * n.source * keys_and_values;
  count.target += decoder_layers * decoder_cross;
  return count;
}

namespace {

/// Norms and positions cost next to nothing, and are not counted.
bool has_flops(Kind kind) {
  switch (kind) {
    case Kind::attention:
    case Kind::feed_forward:
    case Kind::model:
      return true;
    case Kind::norm:
    case Kind::positions:
    case Kind::optimizer:
    case Kind::schedule:
    case Kind::loss:
      return false;
  }
  no_such_choice();
}

}  // namespace

std::vector<std::string> uncounted_flops(const ModelOptions& o) {
  std::vector<std::string> all;
  if (!stacks_of(o).any()) {
    if (!costs_of(o).flops) all.push_back("model.kind: " + o.kind.name);
    return all;
  }
  for (const auto& [kind, choice] : variants::chosen(o.variants)) {
    if (has_flops(kind) && !variants::flops({choice, place_of(o)}, kind))
      all.push_back(variants::key_of(kind) + ": " + variants::print(choice));
  }
  return all;
}

double training_flops(const ModelOptions& options, const VocabularySizes& vocabulary,
                      const TokenCounts& counts) {
  return 3 * forward_flops(options, vocabulary, counts).total();
}

double decoding_flops(const ModelOptions& options, const VocabularySizes& vocabulary,
                      const TokenCounts& counts, std::int64_t beam) {
  const auto flops = forward_flops(options, vocabulary, counts);
  return flops.source + static_cast<double>(beam) * (flops.target + flops.output);
}

std::vector<std::pair<std::string, double>> MemoryEstimate::parts() const {
  std::vector<std::pair<std::string, double>> all{
      {"weights", weights}, {"gradients", gradients}, {"moments", moments}};
  if (activations > 0) all.emplace_back("activations", activations);
  all.emplace_back("output", output);
  return all;
}

namespace {

/// Numbers that the paper's layers keep for a token on each side.
double kept_by_layers(const ModelOptions& o, double length) {
  const auto d_model = static_cast<double>(o.d_model);
  const auto heads = static_cast<double>(o.heads), kv_heads = static_cast<double>(kv_heads_of(o));
  // Additive scores also keep the hidden layer. Relative positions also keep weights by distance.
  const double kept_of_pair =
      o.attention_score == nn::AttentionScore::product ? 1 : 1 + static_cast<double>(o.d_k);
  const auto window = static_cast<double>(o.attention_window);
  const double in_blocks = std::max(window, 32.0) + 2 * window;  // ops/windowed_attention.cpp
  const double reach = o.attention_window == 0 ? length : std::min(length, in_blocks);
  const double distances =
      nn::are_relative_vectors(o.positions) ? 2 * static_cast<double>(2 * o.relative_distance + 1) : 0;
  const double attention = (heads + kv_heads) * static_cast<double>(o.d_k + o.d_v) +
                           heads * (reach * kept_of_pair + distances) + 3 * d_model;
  const double inner = nn::gate_of(o.feed_forward) != nn::Gate::none ? 4 : 2;
  const double feed_forward =
      nn::exists(o.feed_forward) ? inner * static_cast<double>(o.d_ff) + 3 * d_model : 0;
  const auto [source, target] = stacks_of(o);
  const double encoder = source ? static_cast<double>(o.encoder_layers) * (attention + feed_forward) : 0;
  const double decoder =
      target ? static_cast<double>(o.decoder_layers) * ((source ? 2 : 1) * attention + feed_forward) : 0;
  const double projected = o.encoder.embedding_size > 0 ? d_model : 0;
  return encoder + decoder + (source && target ? 4 : 2) * static_cast<double>(embedding_size_of(o)) +
         projected;
}

}  // namespace

MemoryEstimate training_memory(const ModelOptions& o, const VocabularySizes& vocabulary, double tokens,
                               double length, double element, double kept_numbers) {
  const auto parameters = static_cast<double>(count_parameters(o, vocabulary).total());
  const auto kept = stacks_of(o).any() ? kept_by_layers(o, length)
                    : costs_of(o).kept ? costs_of(o).kept(o, length)
                                       : 0.0;
  return {.weights = 4 * parameters,
          .gradients = 4 * parameters,
          .moments = 4 * kept_numbers * parameters,
          .activations = element * tokens * kept,
          .output = element * tokens * 3 * static_cast<double>(vocabulary.target)};
}

}  // namespace transformer::models
