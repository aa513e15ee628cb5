#include "transformer/config/departures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transformer/config/flatten.h"
#include "transformer/config/keys.h"
#include "transformer/config/table3_files.h"
#include "transformer/variants/registry.h"

namespace transformer::config {
namespace {

/// What Table 3 varies. The defaults are its base row.
struct Sizes {
  std::int64_t encoder_layers = 6;
  std::int64_t decoder_layers = 6;
  std::int64_t d_model = 512;
  std::int64_t d_ff = 2048;
  std::int64_t heads = 8;
  std::int64_t d_k = 64;
  std::int64_t d_v = 64;
  double dropout = 0.1;
  double label_smoothing = 0.1;
  bool learned_positions = false;

  bool operator==(const Sizes&) const = default;
};

Sizes sizes_of(const Experiment& e) {
  return {.encoder_layers = e.model.encoder_layers,
          .decoder_layers = e.model.decoder_layers,
          .d_model = e.model.d_model,
          .d_ff = e.model.d_ff,
          .heads = e.model.heads,
          .d_k = e.model.d_k,
          .d_v = e.model.d_v,
          .dropout = e.model.dropout,
          .label_smoothing = e.train.label_smoothing,
          .learned_positions = nn::are_learned_vectors(e.model.positions)};
}

struct Row {
  std::string name;
  Sizes values;
  std::int64_t steps = 100000;
};

/// A row's file over the defaults, which are the base that it extends.
Experiment read(const Table3File& file) {
  Experiment experiment;
  for (const auto& [key, value, origin] : flatten(file.text, file.name + ".yaml"))
    if (key->kind != Key::Kind::directive) key->set(experiment, value);
  return experiment;
}

std::vector<Row> read_table3() {
  std::vector<Row> rows{{"the base model", {}}};
  for (const auto& file : table3_files()) {
    auto experiment = read(file);
    const bool big = file.name == "big";
    const auto letter = static_cast<char>(file.name.front() - 'a' + 'A');
    const auto add = [&](std::string name) {
      rows.push_back({std::move(name), sizes_of(experiment), experiment.train.steps});
    };
    add(big ? "the big model of Table 3" : fmt::format("row {} of Table 3", letter));
    if (!big) continue;
    experiment.model.dropout = 0.1;  // 6.1
    add("the big model as trained for English to French");
  }
  return rows;
}

const std::vector<Row>& table3() {
  static const auto rows = read_table3();
  return rows;
}

/// What is known to become of a result when a number is smaller, or larger, than the paper's. Empty: nothing.
struct Expected {
  std::string_view smaller = {}, larger = {};
};

class Sentences {
 public:
  template <typename Value>
  void compare(std::string_view what, const Value& found, const Value& paper, const Expected& expected = {}) {
    if (found == paper) return;
    const auto effect = found < paper ? expected.smaller : expected.larger;
    add("{} {} instead of {}{}", what, found, paper,
        effect.empty() ? "" : fmt::format(" (expected: {})", effect));
  }

  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    list_.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

std::string value_of(std::string_view key, const Experiment& e) {
  return find_key(key)->get(e);
}

/// What Table 3 varies, as separate sentences.
std::vector<std::string> differing_sizes(const Sizes& found) {
  Sentences s;
  const Sizes base;
  if (found.encoder_layers == found.decoder_layers) {
    s.compare("layers", found.encoder_layers, base.encoder_layers);
  } else {
    s.compare("encoder layers", found.encoder_layers, base.encoder_layers);
    s.compare("decoder layers", found.decoder_layers, base.decoder_layers);
  }
  s.compare("d_model", found.d_model, base.d_model);
  s.compare("d_ff", found.d_ff, base.d_ff);
  s.compare("heads", found.heads, base.heads);
  s.compare("d_k", found.d_k, base.d_k);
  s.compare("d_v", found.d_v, base.d_v);
  s.compare("dropout", found.dropout, base.dropout);
  s.compare("label smoothing", found.label_smoothing, base.label_smoothing);
  if (found.learned_positions) s.add("learned positions instead of sinusoids");
  return s.take();
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
  }
  no_such_choice();
}

void compare_variants(const variants::Choices& chosen, Sentences& s) {
  for (const auto& [kind, choice] : variants::chosen(chosen)) {
    const auto about = variants::about(choice, kind);
    s.add("{}, a variant from outside, in the place of {}{}", variants::print(choice), papers_part(kind),
          about.empty() ? "" : fmt::format(": {}", about));
  }
}

void compare_model(const Experiment& e, Sentences& s) {
  const auto& model = e.model;
  if (const auto* departure = nn::scheme_of(model.positions).departure) s.add("{}", departure);
  compare_variants(model.variants, s);
  if (nn::norm_comes_first(model.norm))
    s.add(
        "layer normalisation before each sublayer (pre-norm) instead of after it (expected: easier to train, "
        "about the same or a slightly lower BLEU)");
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
    s.add("layer normalisation adds {} to the variance; the paper is silent, tensor2tensor used 1e-6",
          model.norm_epsilon);
}

void compare_data(const Experiment& e, Sentences& s) {
  const auto& data = e.data;
  const bool german = data.source == "en" && data.target == "de";
  const bool french = data.source == "en" && data.target == "fr";
  if (!german && !french)
    s.add("languages {} to {} instead of en to de or en to fr", data.source, data.target);
  s.compare<std::int64_t>("vocabulary", data.vocabulary, french ? 32000 : 37000);
  if (!data.shared_vocabulary) s.add("a vocabulary for each language instead of a shared one");
  // The paper is silent about lengths; the program it was made with, tensor2tensor, dropped training examples
  // of more than 256 tokens (transformer_base_v1), and had no limit on the ratio.
  if (data.max_tokens != 256)
    s.add(
        "training sentences of more than {} tokens are dropped; tensor2tensor dropped those of more than 256",
        data.max_tokens);
  if (data.max_ratio > 0)
    s.add(
        "training pairs with one side more than {} times as long as the other are dropped; the paper drops "
        "none",
        data.max_ratio);
  if (data.bpe_dropout > 0)
    s.add("each epoch leaves out {} of the merges of byte-pair encoding; the paper cuts words always alike",
          data.bpe_dropout);
  if (data.normalization.ends_with("_cf")) s.add("text in lower case; the paper keeps the case");
}

void compare_training(const Experiment& e, std::int64_t steps, Sentences& s) {
  const auto& train = e.train;
  const Expected more_a_step{.smaller = "lower BLEU after as many steps",
                             .larger = "higher BLEU after as many steps"};
  const Expected more{.smaller = "lower BLEU", .larger = "higher BLEU"};
  if (train.r_drop > 0)
    s.add(
        "R-Drop with α {}: each batch passes twice, and both predictions are to agree; the paper's pass once",
        train.r_drop);
  s.compare("steps", train.steps, steps, more);
  s.compare<std::int64_t>("source tokens an update", train.source_tokens, 25000, more_a_step);
  s.compare<std::int64_t>("target tokens an update", train.target_tokens, 25000, more_a_step);
  switch (train.schedule) {
    case train::Schedule::noam:
      s.compare("learning rate factor", train.factor, 1.0);
      break;
    case train::Schedule::inverse_sqrt:
    case train::Schedule::constant:
    case train::Schedule::cosine:
    case train::Schedule::linear:
      s.add("learning rate schedule {} with factor {} instead of the paper's (noam)", name_of(train.schedule),
            train.factor);
  }
  s.compare<std::int64_t>("warm-up steps", train.warmup, 4000);
  s.compare("Adam's beta1", train.beta1, 0.9);
  s.compare("Adam's beta2", train.beta2, 0.98, {.smaller = "", .larger = "about the same BLEU"});
  s.compare("Adam's epsilon", train.epsilon, 1e-9);
  if (train.weight_decay > 0) s.add("weight decay {} (AdamW); the paper has none", train.weight_decay);
  if (train.clip > 0) s.add("gradients are clipped to norm {}; the paper has no clipping", train.clip);
  if (train.patience > 0)
    s.add("training may stop early, after {} evaluations without improvement", train.patience);
}

void compare_search(const Experiment& e, Sentences& s) {
  const auto& decode = e.decode;
  s.compare<std::int64_t>("beam", decode.beam, 4, {.smaller = "lower BLEU", .larger = "about the same BLEU"});
  switch (decode.candidates) {
    case search::Candidates::twice:
      break;
    case search::Candidates::beam:
      if (decode.beam > 1)
        s.add(
            "in the beam, what ends takes the place of what would have gone on; tensor2tensor, the paper's "
            "program, takes twice as many candidates (expected: about the same BLEU)");
  }
  s.compare("length penalty alpha", decode.alpha, 0.6,
            {.smaller = "shorter outputs", .larger = "longer outputs"});
  switch (decode.length_penalty) {
    case search::LengthPenalty::gnmt:
      break;
    case search::LengthPenalty::length:
      s.add("length penalty length^alpha instead of ((5 + length) / 6)^alpha");
  }
  s.compare<std::int64_t>("length limit: source +", decode.length_offset, 50);
}

}  // namespace

std::vector<std::string> departures(const Experiment& experiment) {
  const auto found = sizes_of(experiment);
  const auto differing = differing_sizes(found);
  std::int64_t steps = 100000;
  Sentences s;
  bool named = false;
  for (const Row& row : table3()) {
    if (!(row.values == found)) continue;
    named = true;
    steps = row.steps;
    if (!differing.empty()) s.add("{}: {}", row.name, fmt::join(differing, ", "));
  }
  if (!named) {
    for (const auto& sentence : differing) s.add("{}", sentence);
  }
  compare_model(experiment, s);
  compare_data(experiment, s);
  compare_training(experiment, steps, s);
  compare_search(experiment, s);
  return s.take();
}

}  // namespace transformer::config
