#include "transformer/config/model_departures.h"

#include "transformer/config/keys.h"
#include "transformer/variants/registry.h"

namespace transformer::config {
namespace {

std::string value_of(std::string_view key, const Experiment& e) {
  return find_key(key)->get(e);
}

void compare_tie(nn::Tie tie, Sentences& s) {
  switch (tie) {
    case nn::Tie::all:
      return;
    case nn::Tie::target:
      s.add(
          "the source embedding is a matrix of its own; the paper shares one among embeddings and output "
          "(expected: about the same BLEU with more parameters)");
      return;
    case nn::Tie::none:
      s.add(
          "embeddings and output projection are separate matrices; the paper shares one (expected: about the "
          "same BLEU with more parameters, a lower one on little data)");
      return;
  }
  nn::no_such_choice();
}

std::string_view papers_part(variants::Kind kind) {
  switch (kind) {
    case variants::Kind::attention:
      return "scaled dot-product attention (3.2.1)";
    case variants::Kind::feed_forward:
      return "the paper's feed-forward network (3.3)";
    case variants::Kind::norm:
      return "layer normalisation";
    case variants::Kind::positions:
      return "the vectors that the paper adds to the embeddings (3.5)";
    case variants::Kind::optimizer:
      return "the paper's Adam (5.3)";
    case variants::Kind::schedule:
      return "the paper's schedule of learning rates (5.3)";
    case variants::Kind::loss:
      return "the label-smoothed loss alone (5.4)";
    case variants::Kind::model:
      return "the paper's encoder-decoder (3)";
  }
  no_such_choice();
}

void compare_attention(const models::ModelOptions& model, Sentences& s) {
  switch (model.attention_score) {
    case nn::AttentionScore::product:
      break;
    case nn::AttentionScore::additive:
      s.add(
          "attention's scores are those of a network with one hidden layer; the paper's are products "
          "(expected: about the same BLEU, slower)");
  }
  if (model.attention_window > 0)
    s.add(
        "self-attention reaches {} positions to each side and no farther (in section 4 r = {}, which counts "
        "both "
        "sides and the position itself); the paper's models reach all (expected: about the same BLEU of "
        "short "
        "sentences)",
        model.attention_window, 2 * model.attention_window + 1);
  if (models::kv_heads_of(model) != model.heads)
    s.add(
        "{} heads of keys and values for {} heads; the paper has one for each (expected: a slightly lower "
        "BLEU)",
        model.kv_heads, model.heads);
  if (model.qk_norm)
    s.add("each head's queries and keys are normalised; the paper's are not (expected: about the same BLEU)");
}

void compare_layers(const models::ModelOptions& model, Sentences& s) {
  if (nn::norm_comes_twice(model.norm))
    s.add(
        "layer normalisation before each sublayer and of its result (sandwich) instead of after it "
        "(expected: easier to train, about the same BLEU)");
  else if (nn::norm_comes_first(model.norm))
    s.add(
        "layer normalisation before each sublayer (pre-norm) instead of after it (expected: easier to train, "
        "about the same or a slightly lower BLEU)");
  switch (model.norm_type) {
    case nn::NormKind::layer:
      break;
    case nn::NormKind::rms:
      s.add(
          "norms by the root of the mean square instead of layer normalisation (expected: about the same "
          "BLEU)");
      break;
    case nn::NormKind::batch:
      s.add(
          "batch normalisation instead of layer normalisation (expected: a lower BLEU, since batches differ "
          "more than the features of a position)");
      break;
    case nn::NormKind::none:
      s.add(
          "no normalisation at all; the paper's layers have one for each sublayer (expected: hardly trains)");
  }
  if (!model.residual)
    s.add("no residual connections; the paper has one around each sublayer (expected: hardly trains)");
  if (model.parallel_sublayers)
    s.add(
        "a layer's sublayers stand beside each other and their sum is added; the paper's stand one behind "
        "the other (expected: a slightly lower BLEU)");
  switch (model.feed_forward) {
    case nn::FeedForwardKind::positionwise:
      break;
    case nn::FeedForwardKind::glu:
    case nn::FeedForwardKind::swiglu:
      s.add(
          "feed-forward layers with a gate ({}), at the same d_ff half as many weights again; the paper's "
          "have "
          "an activation (expected: about the same or a slightly higher BLEU)",
          nn::name_of(model.feed_forward));
      break;
    case nn::FeedForwardKind::none:
      s.add("no feed-forward layers; the paper has one in each layer (expected: lower BLEU)");
  }
  compare_attention(model, s);
  if (!model.attention_scale)
    s.add(
        "attention's scores are not divided by √d_k; the paper's are (expected: lower BLEU where d_k is "
        "large)");
}

}  // namespace

void compare_variants(const std::vector<std::pair<variants::Kind, variants::Choice>>& chosen, Sentences& s) {
  for (const auto& [kind, choice] : chosen) {
    const auto about = variants::about(choice, kind);
    s.add("{}, a variant from outside, in the place of {}{}", variants::print(choice), papers_part(kind),
          about.empty() ? "" : fmt::format(": {}", about));
  }
}

void compare_model(const Experiment& e, Sentences& s) {
  const auto& model = e.model;
  if (model.kind) return compare_variants({{variants::Kind::model, model.kind}}, s);
  const bool replaced = model.variants.positions && nn::are_vectors(model.positions);
  if (const auto* departure = nn::scheme_of(model.positions).departure; departure && !replaced)
    s.add("{}", departure);
  compare_variants(variants::chosen(model.variants), s);
  compare_layers(model, s);
  switch (model.activation) {
    case nn::Activation::relu:
      break;
    case nn::Activation::gelu:
    case nn::Activation::swish:
      s.add("activation {} instead of relu", value_of("model.activation", e));
  }
  if (model.attention_bias)
    s.add("attention projections have biases; the paper's have none (expected: no difference)");
  if (model.output_bias)
    s.add("the output projection has a bias; the paper's has none (expected: no difference)");
  if (model.attention_dropout > 0)
    s.add("dropout {} on attention weights; the paper has none there", model.attention_dropout);
  if (model.activation_dropout > 0)
    s.add("dropout {} inside feed-forward layers; the paper has none there", model.activation_dropout);
  compare_tie(model.tie, s);
  if (model.norm_epsilon != 1e-5 && model.norm_epsilon != 1e-6)
    s.add("normalisation adds {} under its root (norm_epsilon); the paper is silent, tensor2tensor used 1e-6",
          model.norm_epsilon);
}

}  // namespace transformer::config
