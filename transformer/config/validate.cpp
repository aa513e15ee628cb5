#include "transformer/config/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "transformer/config/keys.h"
#include "transformer/config/unused_keys.h"
#include "transformer/config/validate_data.h"
#include "transformer/config/validate_training.h"
#include "transformer/variants/registry.h"

namespace transformer::config {
namespace {

/// Options that the chosen layers do not use are refused rather than ignored.
std::optional<Problem> problem_of_feed_forward(const models::ModelOptions& model) {
  const auto* kind = nn::name_of(model.feed_forward);
  const bool gated = nn::gate_of(model.feed_forward) != nn::Gate::none,
             exists = nn::exists(model.feed_forward);
  const models::ModelOptions usual;
  if (gated || !exists) {
    if (model.activation != usual.activation)
      return Problem{{"model.activation", "model.feed_forward"},
                     fmt::format("expected nothing where model.feed_forward is {}, found '{}'", kind,
                                 nn::name_of(model.activation))};
    if (model.variants.feed_forward)
      return Problem{{"model.variants.feed_forward", "model.feed_forward"},
                     fmt::format("expected none where model.feed_forward is {}", kind)};
  }
  if (model.variants.feed_forward && model.activation != usual.activation)
    return Problem{{"model.activation", "model.variants.feed_forward"},
                   fmt::format("expected nothing where model.variants.feed_forward is set, found '{}'",
                               nn::name_of(model.activation))};
  if (!exists && model.activation_dropout > 0)
    return Problem{
        {"model.activation_dropout", "model.feed_forward"},
        fmt::format("expected 0 where model.feed_forward is none, found '{}'", model.activation_dropout)};
  return std::nullopt;
}

std::optional<Problem> problem_of_norm(const models::ModelOptions& model) {
  const models::ModelOptions usual;
  if (model.variants.norm && model.norm_type != nn::NormKind::layer)
    return Problem{{"model.variants.norm", "model.norm_type"},
                   fmt::format("expected none where model.norm_type is {}", nn::name_of(model.norm_type))};
  if (nn::weights_of(model.norm_type) == 0 && model.norm != usual.norm)
    return Problem{{"model.norm", "model.norm_type"},
                   fmt::format("expected nothing where model.norm_type is {}, found '{}'",
                               nn::name_of(model.norm_type), nn::name_of(model.norm))};
  if (nn::weights_of(model.norm_type) == 0 && !model.qk_norm && model.norm_epsilon != usual.norm_epsilon)
    return Problem{{"model.norm_epsilon", "model.norm_type"},
                   fmt::format("expected nothing where model.norm_type is {}, found '{}'",
                               nn::name_of(model.norm_type), model.norm_epsilon)};
  return std::nullopt;
}

/// What a batch normalises must pass at once, and once.
std::optional<Problem> problem_of_whole_updates(const models::ModelOptions& model,
                                                const train::TrainOptions& options) {
  if (nn::statistics_of(model.norm_type) == 0) return std::nullopt;
  const auto* kind = nn::name_of(model.norm_type);
  const auto tokens = std::max(options.source_tokens, options.target_tokens);
  if (options.micro_tokens && *options.micro_tokens < tokens)
    return Problem{{"train.micro_tokens", "model.norm_type"},
                   fmt::format("expected auto, or at least the {} tokens of an update, where model.norm_type "
                               "is {}, found '{}'",
                               tokens, kind, *options.micro_tokens)};
  if (options.r_drop > 0)
    return Problem{{"train.r_drop", "model.norm_type"},
                   fmt::format("expected 0 where model.norm_type is {}, found '{}'", kind, options.r_drop)};
  return std::nullopt;
}

std::optional<Problem> problem_of_attention(const models::ModelOptions& model) {
  const bool product = model.attention_score == nn::AttentionScore::product,
             relative = nn::are_relative_vectors(model.positions);
  const auto* score = nn::name_of(model.attention_score);
  if (model.kv_heads > 0 && (model.kv_heads > model.heads || model.heads % model.kv_heads != 0))
    return Problem{
        {"model.kv_heads", "model.heads"},
        fmt::format("expected 0 or a divisor of model.heads ({}), found '{}'", model.heads, model.kv_heads)};
  if (!product && !model.attention_scale)
    return Problem{{"model.attention_scale", "model.attention_score"},
                   fmt::format("expected nothing where model.attention_score is {}, found 'false'", score)};
  if (!product && (relative || nn::are_rotary(model.positions)))
    return Problem{
        {"model.positions", "model.attention_score"},
        fmt::format("expected positions that are no part of products where model.attention_score is {}, "
                    "found '{}'",
                    score, nn::name_of(model.positions))};
  if (!model.variants.attention) return std::nullopt;
  const auto no_variant = [&](const char* key, const std::string& value) {
    return Problem{{"model.variants.attention", key},
                   fmt::format("expected none where {} is {}", key, value)};
  };
  if (!product) return no_variant("model.attention_score", score);
  if (relative) return no_variant("model.positions", nn::name_of(model.positions));
  if (model.attention_window > 0)
    return no_variant("model.attention_window", std::to_string(model.attention_window));
  return std::nullopt;
}

/// Of train.epochs, from which train.steps is yet to be made.
std::optional<Problem> problem_of_epochs(const Experiment& e) {
  if (e.train.epochs > 0 && e.data.bpe_dropout > 0)
    return Problem{{"data.bpe_dropout", "train.epochs"},
                   fmt::format("expected 0 where train.epochs says how long a training is, since epochs of "
                               "drawn subwords differ in length, found '{}'",
                               e.data.bpe_dropout)};
  return std::nullopt;
}

std::optional<Problem> problem_of_positions(const models::ModelOptions& model, std::int64_t max_tokens) {
  const auto positions = nn::about(model.positions);
  const bool sinusoids = positions.sinusoids && !model.variants.positions,
             in_layers = nn::where_enter(model.positions) == nn::PositionsEnter::layers;
  const auto width = in_layers ? model.d_model : models::embedding_size_of(model);
  const auto* key = width == model.d_model ? "model.d_model" : "model.embedding_size";
  if ((sinusoids || in_layers) && width % 2 != 0)
    return Problem{{key, "model.positions"},
                   fmt::format("expected an even number for sinusoidal positions, found '{}'", width)};
  if (sinusoids && positions.sinusoids->reach_the_end && width < 4)
    return Problem{{key, "model.positions"},
                   fmt::format("expected at least 4 for {}'s positions, found '{}'", positions.name, width)};
  if (nn::are_rotary(model.positions) && model.d_k % 2 != 0)
    return Problem{{"model.d_k", "model.positions"},
                   fmt::format("expected an even number for rotary positions, found '{}'", model.d_k)};
  if (const auto longest = models::longest_sequence(model); longest && *longest <= max_tokens)
    return Problem{
        {"model.max_positions", "data.max_tokens", "model.positions"},
        fmt::format(
            "expected at least {} learned positions, for data.max_tokens and the end token, found '{}'",
            max_tokens + 1, model.max_positions)};
  return std::nullopt;
}

/// Each key may be as large as its range allows; not all of them at once, as counts are whole numbers of 64
/// bits.
std::optional<Problem> problem_of_size(const models::ModelOptions& model) {
  constexpr double kMost = 1e15;
  const auto real = [](std::int64_t number) { return static_cast<double>(number); };
  const auto head = real(model.d_k) + real(model.d_v);
  const auto attention = 2 * head * (real(model.d_model) * real(model.heads) + real(model.relative_distance));
  const auto feed_forward = 3 * real(model.d_model) * real(model.d_ff);
  const auto about = real(model.encoder_layers) * (attention + feed_forward) +
                     real(model.decoder_layers) * (2 * attention + feed_forward);
  if (about <= kMost) return std::nullopt;
  return Problem{
      {"model.d_model", "model.heads", "model.d_k", "model.d_v", "model.d_ff", "model.encoder_layers",
       "model.decoder_layers", "model.layers", "model.relative_distance"},
      fmt::format("expected layers of at most {:.0e} weights together, found about {:.1e} ({} heads, "
                  "d_k {}, d_v {}, d_ff {})",
                  kMost, about, model.heads, model.d_k, model.d_v, model.d_ff)};
}

std::optional<Problem> problem_of_variants(const Experiment& e) {
  auto all = variants::chosen(e.model.variants);
  std::ranges::move(variants::chosen(e.train.variants), std::back_inserter(all));
  for (const auto& [kind, choice] : all)
    if (auto problem = variants::find_problem(choice, kind))
      return Problem{{variants::key_of(kind)}, std::move(*problem)};
  return std::nullopt;
}

std::optional<Problem> problem_of_tie(const Experiment& e) {
  const bool two_sides = models::stacks_of(e.model).decoder || !models::stacks_of(e.model).any();
  if (two_sides && nn::ties_embeddings(e.model.tie) && !data::has_one_vocabulary(e.data))
    return Problem{{"model.tie", "data.shared_vocabulary"},
                   "expected target or none without data.shared_vocabulary, found 'all'"};
  return std::nullopt;
}

std::optional<Problem> problem_of_kind(const Experiment& e) {
  const auto& kind = e.model.kind;
  if (auto problem = variants::find_problem(kind, variants::Kind::model))
    return Problem{{"model.kind"}, std::move(*problem)};
  const auto keys = variants::keys_of(kind, variants::Kind::model);
  return keys && std::ranges::find(*keys, "model.tie") != keys->end() ? problem_of_tie(e) : std::nullopt;
}

/// What an encoder alone has.
std::optional<Problem> problem_of_encoder(const models::ModelOptions& model) {
  if (model.kind || model.encoder == models::EncoderOptions{}) return std::nullopt;
  Problem problem{{},
                  fmt::format("expected its default, as model.kind is {}, not {}", models::kEncoderDecoder,
                              models::kEncoder)};
  for (const auto* key : models::kEncoderKeys) {
    Experiment found;
    found.model = model;
    if (!has_default(*find_key(key), found)) problem.keys.emplace_back(key);
  }
  return problem;
}

std::optional<Problem> problem_of_pooling(const models::EncoderOptions& encoder) {
  // Without a head it says what stands for a whole text where vectors are wanted.
  if (encoder.pooling == models::Pooling::cls || is_of_texts(encoder.head) ||
      encoder.head == models::Head::none)
    return std::nullopt;
  return Problem{{"model.pooling", "model.head"},
                 fmt::format("expected cls where model.head is {}, which reads no whole texts, found '{}'",
                             name_of(encoder.head), name_of(encoder.pooling))};
}

/// The output projection reads what is as wide as the embeddings.
std::optional<Problem> problem_of_embedding_size(const models::EncoderOptions& encoder) {
  if (encoder.embedding_size == 0 || encoder.head != models::Head::none || encoder.output_transform)
    return std::nullopt;
  return Problem{{"model.output_transform", "model.embedding_size"},
                 "expected true for masked tokens where model.embedding_size is not 0, found 'false'"};
}

/// Of the paper's layers.
std::optional<Problem> problem_of_stacks(const Experiment& e) {
  if (auto problem = problem_of_encoder(e.model)) return problem;
  if (auto problem = problem_of_pooling(e.model.encoder)) return problem;
  if (auto problem = problem_of_embedding_size(e.model.encoder)) return problem;
  if (auto problem = problem_of_tie(e)) return problem;
  if (auto problem = problem_of_size(e.model)) return problem;
  // An encoder alone reads a begin token in front.
  const auto begin = models::stacks_of(e.model).decoder ? 0 : 1;
  if (auto problem =
          problem_of_positions(e.model, (e.data.block > 0 ? e.data.block - 1 : e.data.max_tokens) + begin))
    return problem;
  if (auto problem = problem_of_attention(e.model)) return problem;
  if (auto problem = problem_of_feed_forward(e.model)) return problem;
  if (auto problem = problem_of_norm(e.model)) return problem;
  return std::nullopt;
}

/// Demands of one section's keys on another's, and pairs of keys that only matter together.
std::optional<Problem> problem_of_pairs(const Experiment& e) {
  if (e.train.clip_sum && e.train.clip == 0)
    return Problem{{"train.clip", "train.clip_sum"},
                   "expected more than 0 where train.clip_sum is true, found '0'"};
  // How many updates some epochs have is not known here.
  const bool never =
      e.train.metric_every == 0 || (e.train.epochs == 0 && e.train.metric_every > e.train.steps);
  if (e.train.best == train::BestBy::metric && never)
    return Problem{{"train.metric_every", "train.best", "train.bleu_every"},
                   fmt::format("expected a whole number from 1 to train.steps ({}) where train.best is {}, "
                               "found '{}'",
                               e.train.steps, name_of(e.train.best), e.train.metric_every)};
  if (e.decode.nbest > e.decode.beam)
    return Problem{
        {"decode.nbest", "decode.beam"},
        fmt::format("expected at most decode.beam ({}), found '{}'", e.decode.beam, e.decode.nbest)};
  if (e.decode.whole_trees && e.data.examples != data::ExampleKind::trees)
    return Problem{{"decode.whole_trees", "data.examples"},
                   "expected false where data.examples is not trees, found 'true'"};
  return std::nullopt;
}

}  // namespace

std::optional<Problem> find_problem(const Experiment& e) {
  if (auto problem = problem_of_data(e.data)) return problem;
  if (e.model.kind)
    if (auto problem = problem_of_kind(e)) return problem;
  if (models::stacks_of(e.model).any())
    if (auto problem = problem_of_stacks(e)) return problem;
  if (auto problem = problem_of_variants(e)) return problem;
  if (auto problem = problem_of_whole_updates(e.model, e.train)) return problem;
  if (auto problem = problem_of_epochs(e)) return problem;
  if (auto problem = problem_of_schedule(e.train)) return problem;
  if (auto problem = problem_of_optimizer(e)) return problem;
  if (auto problem = problem_of_beginning(e)) return problem;
  if (auto problem = problem_of_guidance(e)) return problem;
  return problem_of_pairs(e);
}

}  // namespace transformer::config
