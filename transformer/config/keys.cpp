#include "transformer/config/keys.h"

#include "transformer/config/key_types.h"
#include "transformer/config/list_key_types.h"
#include "transformer/search/options.h"

namespace transformer::config {
namespace {

#define FIELD(path) ([](auto& experiment) -> auto& { return experiment.path; })

const Range kPositive{.above_min = true};

// A training is as long as one of two keys says: the one that is said nearer to the experiment.
Key steps() {
  const auto own = integer("train.steps", FIELD(train.steps), kFromOne, "updates of the whole training");
  Key key = own;
  key.set = [=](Experiment& experiment, const Value& value) {
    if (!own.set(experiment, value)) return false;
    experiment.train.epochs = 0;
    return true;
  };
  return key;
}

Key epochs() {
  const auto own =
      integer("train.epochs", FIELD(train.epochs), {.min = 0, .max = 10000},
              "passes over the training pairs, in the place of train.steps; 0: train.steps says how long");
  Key key = own;
  key.set = [=](Experiment& experiment, const Value& value) {
    if (!own.set(experiment, value)) return false;
    if (experiment.train.epochs > 0) experiment.train.steps = train::TrainOptions{}.steps;
    return true;
  };
  return key;
}

// Of before there were other metrics: stands for both keys.
Key bleu_every() {
  const auto own = integer("train.bleu_every", FIELD(train.metric_every), kFromZero,
                           "sets metric_every, and metric to bleu unless it is 0");
  Key both = own;
  both.kind = Key::Kind::shorthand;
  both.set = [=](Experiment& experiment, const Value& value) {
    if (!own.set(experiment, value)) return false;
    if (experiment.train.metric_every > 0) experiment.train.metric = "bleu";
    return true;
  };
  return both;
}

// It was called bleu before there were other metrics.
Key best() {
  const auto own =
      choice("train.best", FIELD(train.best),
             "what the best checkpoint is chosen by, on the dev set; loss: without smoothing, as "
             "perplexity; metric: train.metric");
  Key key = own;
  key.set = [=](Experiment& experiment, const Value& value) {
    return own.set(experiment, value.text == "bleu" ? Value{name_of(train::BestBy::metric)} : value);
  };
  return key;
}

std::vector<Key> general_keys() {
  return {
      {.name = "extends",
       .expected = "the path of a configuration file",
       .help = "a file whose keys hold where this one is silent",
       .kind = Key::Kind::directive,
       .set = [](Experiment&, const Value&) { return true; },
       .get = [](const Experiment&) { return std::string("none"); }},
      integer("seed", FIELD(seed), {.min = 0, .max = 9007199254740992.0}, "seed of all random numbers"),
  };
}

/// An ending that may be missing.
Key links() {
  auto key = ending("data.links", FIELD(data.links),
                    "ending of files beside those of the training text: which words of a pair translate each "
                    "other, such as 0-0 1-2, line by line (train.guided_alignment)");
  key.expected = "the ending of a file name, such as links, or nothing";
  key.set = [of_ending = key.set](Experiment& experiment, const Value& value) {
    if (!value.text.empty()) return of_ending(experiment, value);
    experiment.data.links.clear();
    return true;
  };
  return key;
}

std::vector<Key> data_keys() {
  return {
      choice("data.examples", FIELD(data.examples),
             "what is learnt from: pairs of a source and its target; documents, for language models and "
             "masked tokens; labelled: a text and its label, or those of its words (model.head); answers: a "
             "text and a part of it (model.head: span); trees: the "
             "words "
             "of a bracketed tree and the tree, for parsing"),
      choice("data.document", FIELD(data.document),
             "what of a text file is a document; paragraphs have blank lines between them"),
      integer("data.block", FIELD(data.block), kFromZero,
              "documents become one stream of tokens in blocks of this length; 0: each is an example"),
      ending("data.source", FIELD(data.source), "ending of the source side's files"),
      ending("data.target", FIELD(data.target), "ending of the target side's files"),
      paths(
          "data.train", FIELD(data.train), FIELD(data.more_train),
          "training text, without the ending; or a table (X.tsv, X.jsonl, or a file of any name with tabs): "
          "a pair in each line; of documents and trees the file itself; or a list of several"),
      reals("data.weights", FIELD(data.weights), {.max = 1000, .above_min = true},
            "for each text of data.train, how often an epoch has each of its examples: 0.1 is once in ten "
            "epochs; none: once"),
      path("data.dev", FIELD(data.dev), "text on which checkpoints are judged, without the ending"),
      path("data.test", FIELD(data.test), "test text, without the ending; may be left out"),
      columns("data.columns", FIELD(data.columns),
              "where source and target stand in tables; names are those of their first line"),
      links(),
      boolean("data.tree_tags", FIELD(data.tree_tags),
              "of trees: whether the words' tags are learnt; else each is XX, and tagging is not scored"),
      integer("data.pairs", FIELD(data.pairs), kFromZero,
              "training takes so many pairs from the front of each text; 0: all"),
      choice("data.tokenizer_kind", FIELD(data.tokenizer_kind),
             "what a vocabulary is made of: subwords of byte-pair encoding, words between blanks, "
             "characters, or bytes"),
      integer("data.vocabulary", FIELD(data.vocabulary), {.min = data::kFewestPieces, .max = 1e6},
              "tokens in a vocabulary; of words and characters: at most; of bytes: 260"),
      integer("data.min_frequency", FIELD(data.min_frequency), kFromOne,
              "of words and characters: those that the training text has less often are unknown"),
      boolean("data.shared_vocabulary", FIELD(data.shared_vocabulary), "one vocabulary for both languages"),
      integer("data.max_tokens", FIELD(data.max_tokens), kFromOne,
              "longer training sentences are dropped, or cut (data.longer)"),
      choice("data.longer", FIELD(data.longer), "what becomes of a training pair with a longer side"),
      real("data.max_ratio", FIELD(data.max_ratio), kFromZero,
           "training pairs are dropped if one side is more than this many times longer; 0: none is"),
      choice(
          "data.normalization", FIELD(data.normalization),
          "SentencePiece's rule of normalisation; cf: and to lower case; lower_punctuation: to lower case, "
          "no-break spaces as blanks, a blank before , . and !"),
      boolean("data.byte_fallback", FIELD(data.byte_fallback), "unknown characters become bytes"),
      boolean("data.masks", FIELD(data.masks),
              "whether the vocabulary has the token <mask>, which encoders need (model.kind)"),
      path("data.tokenizer", FIELD(data.tokenizer),
           "a SentencePiece model to use instead of training one, with its own pieces, normalisation and "
           "bytes"),
      path("data.prepared", FIELD(data.prepared), "folder of the prepared data set"),
      real("data.bpe_dropout", FIELD(data.bpe_dropout), kShare,
           "training: the share of byte-pair merges that each epoch leaves out anew; 0.05 is about "
           "BPE-dropout's 0.1"),
  };
}

std::vector<Key> train_keys() {
  return {
      steps(),
      epochs(),
      integer("train.source_tokens", FIELD(train.source_tokens), kFromOne,
              "source tokens in an update, which is closed when either limit is reached"),
      integer("train.target_tokens", FIELD(train.target_tokens), kFromOne, "target tokens in an update"),
      integer("train.sentences", FIELD(train.sentences), kFromZero,
              "sentence pairs in an update, a third limit; 0: none"),
      integer_or_auto(
          "train.bucket_tokens", FIELD(train.bucket_tokens), kFromOne,
          "tokens, padding included, of sentences of like length that stay together in an update; "
          "auto: 4096"),
      integer_or_auto("train.micro_tokens", FIELD(train.micro_tokens), kFromOne,
                      "tokens in a forward pass, padding included; auto: as many as a device's memory holds"),
      real("train.r_drop", FIELD(train.r_drop), kFromZero,
           "R-Drop's α: each batch passes twice, and both predictions are to agree; 0: it passes once"),
      real("train.guided_alignment", FIELD(train.guided_alignment), kFromZero,
           "how much a head's attention to the source counts in the loss, which is to follow data.links, or "
           "in parsing the next word; 0: not at all"),
      integer("train.guided_layer", FIELD(train.guided_layer), kFromZero,
              "the decoder's layer of that head, from 1; 0: the last but one"),
      integer("train.guided_head", FIELD(train.guided_head), kFromOne, "that head in its layer, from 1"),
      choice(
          "train.guided_step", FIELD(train.guided_step),
          "whose attention follows a token's links: that of the step that writes the token, as in a search, "
          "or of the next one, which reads it and so knows it"),
      boolean(
          "train.guided_null", FIELD(train.guided_null),
          "whether words without links learn to look at the source's end, which aligns them with nothing"),
      real("train.label_smoothing", FIELD(train.label_smoothing), kShare,
           "probability that is spread over the whole vocabulary"),
      real("train.mask_share", FIELD(train.mask_share), {.min = 0, .max = 1, .above_min = true},
           "of encoders: the share of a text's tokens that are masked and predicted, drawn in each epoch"),
      choice("train.class_weights", FIELD(train.class_weights),
             "of encoders with labels: balanced: a label counts the more the rarer it is"),
      boolean("train.mask_words", FIELD(train.mask_words), "of encoders: whether whole words are masked"),
      choice("train.schedule", FIELD(train.schedule),
             fmt::format("of the learning rate: noam is the paper's; {} end at train.steps",
                         names_where(train::depends_on_steps, "and"))),
      integer("train.warmup", FIELD(train.warmup), kFromZero, "updates in which the learning rate rises"),
      real("train.factor", FIELD(train.factor), kPositive,
           "multiplies the noam schedule; the peak rate of the others"),
      real("train.floor", FIELD(train.floor), kFromZero,
           fmt::format("the rate at which {} end", names_where(train::has_floor, "and"))),
      choice("train.optimizer", FIELD(train.optimizer),
             "adamw: Adam, from whose gradients a weight decay is apart; adam: with it in the gradients; "
             "without one both are the paper's; muon: orthogonal steps for matrices of hidden layers (named "
             "weight*, but not *embedding*, *positions* or output*), adamw's for the rest"),
      real("train.beta1", FIELD(train.beta1), kShare, "Adam's"),
      real("train.beta2", FIELD(train.beta2), kShare, "Adam's"),
      real("train.epsilon", FIELD(train.epsilon), kEpsilon, "Adam's"),
      real("train.momentum", FIELD(train.momentum), kShare, "sgd's"),
      real("train.muon_momentum", FIELD(train.muon_momentum), kShare, "muon's"),
      real("train.weight_decay", FIELD(train.weight_decay), kFromZero,
           "for all matrices and tables, but not for the biases of layers and for norms"),
      parameter_groups(
          "train.groups", FIELD(train.groups),
          "parameters with a rate (a factor; 0 freezes them) or a weight decay of their own; the "
          "first pattern that fits a name counts; * stands for any characters"),
      path("train.from", FIELD(train.from),
           "a model or run directory whose weights the training begins with, those whose names and shapes "
           "agree; embeddings by piece"),
      choice(
          "train.new_pieces", FIELD(train.new_pieces),
          "with train.from: how the embedding begins of a piece that the other vocabulary lacks; parts: as "
          "the mean of the pieces that its tokenizer makes of it"),
      patterns("train.adapters", FIELD(train.adapters),
               "matrices that low-rank adapters train (LoRA); all other parameters are frozen, but those to "
               "which train.groups gives a rate"),
      integer("train.adapter_rank", FIELD(train.adapter_rank), kFromOne, "of train.adapters"),
      real("train.adapter_alpha", FIELD(train.adapter_alpha), kPositive,
           "of train.adapters: the product of an adapter's matrices counts alpha / rank times"),
      variant(variants::Kind::optimizer, FIELD(train.variants.optimizer),
              "a variant from a shared library (--load), in place of train.optimizer"),
      variant(variants::Kind::schedule, FIELD(train.variants.schedule),
              "the same, in place of train.schedule; train.warmup, factor and floor are handed to it"),
      variant(variants::Kind::loss, FIELD(train.variants.loss),
              "a term from a shared library (--load), which is added to the loss"),
      real("train.clip", FIELD(train.clip), kFromZero,
           "gradients of a larger norm are scaled down to it; 0: none are"),
      boolean("train.clip_sum", FIELD(train.clip_sum),
              "whether train.clip is for the gradient of the tokens' summed loss, not of their mean"),
      integer("train.eval_every", FIELD(train.eval_every), kFromOne, "updates between evaluations"),
      integer("train.save_every", FIELD(train.save_every), kFromOne,
              "updates between checkpoints; these are the ones that are averaged"),
      integer("train.log_every", FIELD(train.log_every), kFromOne, "updates between lines of metrics"),
      integer(
          "train.keep", FIELD(train.keep), kFromOne,
          "how many of the newest checkpoints are kept, and of those at save_every; the best is kept too"),
      integer("train.patience", FIELD(train.patience), kFromZero,
              "evaluations without improvement after which the training ends; 0: it goes on"),
      integer("train.max_skipped", FIELD(train.max_skipped), kFromOne,
              "updates in a row with a NaN or infinite loss or gradient after which the training ends"),
      word("train.metric", FIELD(train.metric),
           "the name of a metric, such as bleu, chrf, chrf++ or perplexity",
           "what the dev set is judged by besides its loss, in trainings and lists; --load brings others"),
      integer("train.metric_every", FIELD(train.metric_every), kFromZero,
              "updates between measurements of train.metric on the dev set; 0: none"),
      bleu_every(),
      best(),
      integer("train.samples", FIELD(train.samples), {.min = 0, .max = 1000},
              "sentences of the dev set that each evaluation translates greedily into samples.jsonl"),
      boolean("train.tensorboard", FIELD(train.tensorboard),
              "whether the run's folder tensorboard/ gets event files"),
  };
}

std::vector<Key> distributed_keys() {
  return {
      integer("distributed.timeout", FIELD(distributed.timeout), {.min = 1, .max = 86400},
              "seconds that one of several processes waits for the others in an exchange of tensors"),
      choice("distributed.gradients", FIELD(distributed.gradients),
             "what gradients are on their way between processes; bf16: half the bytes, rounded"),
      boolean("distributed.shard_moments", FIELD(distributed.shard_moments),
              "whether what the optimiser keeps is divided among the processes (ZeRO stage 1)"),
  };
}

std::vector<Key> decode_keys() {
  return {
      integer("decode.beam", FIELD(decode.beam), {.min = 1, .max = 1000}, "hypotheses kept at each step"),
      choice("decode.candidates", FIELD(decode.candidates),

             "continuations considered at each step: twice the beam, as in the paper's program, or the beam; "
             "one where the beam is 1: greedy search"),
      real("decode.alpha", FIELD(decode.alpha), {.min = 0, .max = 100}, "strength of the length penalty"),
      choice("decode.length_penalty", FIELD(decode.length_penalty),

             "gnmt: ((5 + length) / 6)^alpha, the paper's; length: length^alpha"),
      integer("decode.length_offset", FIELD(decode.length_offset),
              {.min = 0, .max = static_cast<double>(search::kMostLengthOffset)},
              "tokens by which a translation may be longer than its source"),
      integer("decode.batch_tokens", FIELD(decode.batch_tokens), kFromOne,
              "source tokens translated together, padding included"),
      integer("decode.nbest", FIELD(decode.nbest), {.min = 1, .max = 1000}, "translations of each sentence"),
      boolean("decode.whole_trees", FIELD(decode.whole_trees),
              "of trees: whether the search finds only trees with as many tags as the sentence has words"),
  };
}

#undef FIELD

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> table = [] {
    std::vector<Key> all;
    for (auto* section : {general_keys, data_keys, model_keys, train_keys, distributed_keys, decode_keys}) {
      for (Key& key : section()) all.push_back(std::move(key));
    }
    return all;
  }();
  return table;
}

}  // namespace transformer::config
