#include "transformer/config/departures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transformer/config/flatten.h"
#include "transformer/config/keys.h"
#include "transformer/config/model_departures.h"
#include "transformer/config/table3_files.h"
#include "transformer/variants/choice.h"

namespace transformer::config {
namespace {

/// The paper's base model and its training: all keys have these defaults.
const Experiment& paper() {
  static const Experiment defaults;
  return defaults;
}

/// What Table 3 varies.
struct Sizes {
  std::int64_t encoder_layers, decoder_layers;
  std::int64_t d_model, d_ff;
  std::int64_t heads, d_k, d_v;
  double dropout, label_smoothing;
  bool learned_positions;

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
  std::int64_t steps;
};

/// A row's file over the defaults, which are the base that it extends.
Experiment read(const Table3File& file) {
  Experiment experiment;
  for (const auto& [key, value, origin] : flatten(file.text, file.name + ".yaml"))
    if (key->kind != Key::Kind::directive) key->set(experiment, value);
  return experiment;
}

std::vector<Row> read_table3() {
  std::vector<Row> rows{{"the base model", sizes_of(paper()), paper().train.steps}};
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

/// What Table 3 varies, as separate sentences.
std::vector<std::string> differing_sizes(const Sizes& found) {
  Sentences s;
  const auto base = sizes_of(paper());
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

/// For models that are no row of Table 3, whose rows B have narrower keys themselves.
void compare_head_widths(const models::ModelOptions& model, Sentences& s) {
  const auto keys = model.heads * model.d_k, values = model.heads * model.d_v;
  if (keys == model.d_model && values == model.d_model) return;
  s.add("heads · d_k is {}, heads · d_v {} and d_model {}; the paper's are equal, except in rows B", keys,
        values, model.d_model);
}

void compare_data(const Experiment& e, Sentences& s) {
  const auto& data = e.data;
  const bool german = data.source == "en" && data.target == "de";
  const bool french = data.source == "en" && data.target == "fr";
  if (data.examples == data::ExampleKind::labelled)
    s.add("labelled texts instead of translation");
  else if (data.examples == data::ExampleKind::answers)
    s.add("answers in texts instead of translation");
  else if (data.examples == data::ExampleKind::trees)
    s.add("constituency parsing (6.3) instead of translation{}", data.tree_tags ? "" : ", without tags");
  else if (data.examples == data::ExampleKind::documents)
    s.add("{} of documents ({}s{}) instead of translation",
          e.model.kind.name == models::kEncoder ? "masked tokens" : "a language model",
          name_of(data.document), data.block > 0 ? fmt::format(" in blocks of {} tokens", data.block) : "");
  else if (!german && !french)
    s.add("languages {} to {} instead of en to de or en to fr", data.source, data.target);
  s.compare<std::int64_t>("vocabulary", data.vocabulary, french ? 32000 : paper().data.vocabulary);
  if (data.examples == data::ExampleKind::trees)
    s.add("a vocabulary for words, and one for the tokens of trees, instead of a shared one");
  else if (!data::has_one_vocabulary(data))
    s.add("a vocabulary for each language instead of a shared one");
  // The paper is silent about lengths; the program it was made with, tensor2tensor, dropped training examples
  // of more tokens than the default (transformer_base_v1), and had no limit on the ratio.
  const bool cut = data.longer == data::Longer::cut;
  if (const auto most = paper().data.max_tokens; (data.max_tokens != most || cut) && data.block == 0)
    s.add("training sentences of more than {} tokens are {}; tensor2tensor dropped those of more than {}",
          data.max_tokens, cut ? "cut" : "dropped", most);
  if (data.max_ratio > 0)
    s.add(
        "training pairs with one side more than {} times as long as the other are dropped; the paper drops "
        "none",
        data.max_ratio);
  if (data.bpe_dropout > 0)
    s.add("each epoch leaves out {} of the merges of byte-pair encoding; the paper cuts words always alike",
          data.bpe_dropout);
  const bool own = !data.tokenizer.empty();  // and has a normalization and bytes of its own, or none
  if (!own && data::makes_lower_case(data.normalization))
    s.add("text in lower case; the paper keeps the case");
  if (!own && data.byte_fallback)
    s.add("characters that the vocabulary lacks become bytes; the paper has no such pieces");
  if (own) s.add("a given model cuts the text instead of one that is made of it");
  if (french && !own && data.tokenizer_kind == data::TokenizerKind::bpe)
    s.add("byte pairs; the paper has word pieces for English to French (expected: about the same BLEU)");
  if (data::has_counts(data.tokenizer_kind))
    s.add("a vocabulary of {} that occur {} times or more; the paper has subwords",
          name_of(data.tokenizer_kind), data.min_frequency);
  if (data.tokenizer_kind == data::TokenizerKind::bytes) s.add("bytes; the paper has subwords");
  if (data.pairs > 0) s.add("trained on the first {} pairs of the text", data.pairs);
}

void compare_optimizer(const Experiment& e, Sentences& s) {
  const auto &train = e.train, &papers = paper().train;
  const auto facts = train::facts_of(train.optimizer);
  const bool outside{train.variants.optimizer};
  if (!outside && !facts.is_papers) {
    std::string settings;
    for (const auto& key : facts.keys)
      settings += fmt::format("{} {} {}", settings.empty() ? " with" : ",", key.substr(key.find('.') + 1),
                              find_key(key)->get(e));
    s.add("the optimiser {}{} instead of Adam", name_of(train.optimizer), settings);
  } else if (!outside) {
    s.compare("Adam's beta1", train.beta1, papers.beta1);
    s.compare("Adam's beta2", train.beta2, papers.beta2, {.smaller = "", .larger = "about the same BLEU"});
    s.compare("Adam's epsilon", train.epsilon, papers.epsilon);
  }
  if (train.weight_decay > 0)
    s.add("weight decay {}{}; the paper has none", train.weight_decay,
          outside            ? ""
          : !facts.decoupled ? " (in the gradient)"
          : facts.is_papers  ? " (AdamW)"
                             : " (decoupled)");
}

void compare_groups(const train::TrainOptions& train, Sentences& s) {
  for (const auto& group : train.groups) {
    std::vector<std::string> own;
    if (group.rate != 1.0) own.push_back(fmt::format("{} times the learning rate", group.rate));
    if (group.weight_decay && (*group.weight_decay > 0 || train.weight_decay > 0))
      own.push_back(fmt::format("weight decay {}", *group.weight_decay));
    if (!own.empty())
      s.add("parameters named {}: {}; the paper treats all alike", group.pattern, fmt::join(own, ", "));
  }
}

void compare_beginning(const train::TrainOptions& train, Sentences& s) {
  if (!train.from.empty())
    s.add("begins from trained weights{}; the paper begins from random ones",
          train.new_pieces == train::NewPieces::parts ? ", and new pieces from their parts" : "");
  if (!train.adapters.empty())
    s.add("adapters of rank {} and alpha {} train {}; the paper trains all parameters", train.adapter_rank,
          train.adapter_alpha, fmt::join(train.adapters, ", "));
}

void compare_training(const Experiment& e, std::int64_t steps, Sentences& s) {
  const auto &train = e.train, &papers = paper().train;
  const Expected more_a_step{.smaller = "lower BLEU after as many steps",
                             .larger = "higher BLEU after as many steps"};
  const Expected more{.smaller = "lower BLEU", .larger = "higher BLEU"};
  if (train.r_drop > 0)
    s.add(
        "R-Drop with α {}: each batch passes twice, and both predictions are to agree; the paper's pass once",
        train.r_drop);
  if (train.guided_alignment > 0)
    s.add(
        "head {} of the decoder's layer {} learns {}{} by its attention{} (weight {}); the paper's learn "
        "freely",
        train.guided_head,
        train.guided_layer > 0 ? train.guided_layer : std::max<std::int64_t>(e.model.decoder_layers - 1, 1),
        e.data.examples == data::ExampleKind::trees ? "which word is next" : "which words translate which",
        train.guided_null ? ", and which none," : "",
        train.guided_step == train::GuidedStep::reads ? " at the step that reads a word" : "",
        train.guided_alignment);
  if (train.epochs > 0)
    s.add("{} epochs instead of {} steps", train.epochs, steps);
  else
    s.compare("steps", train.steps, steps, more);
  if (train.sentences > 0)
    s.add("{} sentence pairs an update at most; the paper counts tokens alone", train.sentences);
  s.compare("source tokens an update", train.source_tokens, papers.source_tokens, more_a_step);
  s.compare("target tokens an update", train.target_tokens, papers.target_tokens, more_a_step);
  switch (train.schedule) {
    case train::Schedule::noam:
      s.compare("learning rate factor", train.factor, papers.factor);
      break;
    case train::Schedule::inverse_sqrt:
    case train::Schedule::constant:
    case train::Schedule::cosine:
    case train::Schedule::linear:
      s.add("learning rate schedule {} with factor {}{} instead of the paper's (noam)",
            name_of(train.schedule), train.factor,
            train.floor > 0 ? fmt::format(" and floor {}", train.floor) : "");
  }
  s.compare("warm-up steps", train.warmup, papers.warmup);
  compare_variants(variants::chosen(train.variants), s);
  compare_optimizer(e, s);
  compare_groups(train, s);
  compare_beginning(train, s);
  if (train.clip > 0)
    s.add("{} clipped to norm {}; the paper has no clipping",
          train.clip_sum ? "gradients of the tokens' summed loss are" : "gradients are", train.clip);
  if (train.patience > 0)
    s.add("training may stop early, after {} evaluations without improvement", train.patience);
  switch (e.distributed.gradients) {
    case distributed::Wire::fp32:
      break;
    case distributed::Wire::bf16:
      s.add("gradients are rounded to bf16 between processes");
  }
}

void compare_search(const Experiment& e, Sentences& s) {
  const auto &decode = e.decode, &papers = paper().decode;
  s.compare("beam", decode.beam, papers.beam, {.smaller = "lower BLEU", .larger = "about the same BLEU"});
  switch (decode.candidates) {
    case search::Candidates::twice:
      break;
    case search::Candidates::beam:
      if (decode.beam > 1)
        s.add(
            "in the beam, what ends takes the place of what would have gone on; tensor2tensor, the paper's "
            "program, takes twice as many candidates (expected: about the same BLEU)");
  }
  s.compare("length penalty alpha", decode.alpha, papers.alpha,
            {.smaller = "shorter outputs", .larger = "longer outputs"});
  switch (decode.length_penalty) {
    case search::LengthPenalty::gnmt:
      break;
    case search::LengthPenalty::length:
      s.add("length penalty length^alpha instead of ((5 + length) / 6)^alpha");
  }
  s.compare("length limit: source +", decode.length_offset, papers.length_offset);
  if (decode.whole_trees) s.add("the search is bound to trees of the sentence's words; the paper's is free");
}

}  // namespace

std::vector<std::string> departures(const Experiment& experiment) {
  const auto found = sizes_of(experiment);
  const auto differing = differing_sizes(found);
  auto steps = paper().train.steps;
  Sentences s;
  bool named{experiment.model.kind};  // whose sizes are not the paper's
  for (const Row& row : table3()) {
    if (experiment.model.kind || !(row.values == found)) continue;
    named = true;
    steps = row.steps;
    if (!differing.empty()) s.add("{}: {}", row.name, fmt::join(differing, ", "));
  }
  if (!named) {
    for (const auto& sentence : differing) s.add("{}", sentence);
    compare_head_widths(experiment.model, s);
  }
  compare_model(experiment, s);
  compare_data(experiment, s);
  compare_training(experiment, steps, s);
  compare_search(experiment, s);
  return s.take();
}

}  // namespace transformer::config
