// The training regime of section 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/variants/options.h"

namespace transformer::train {

enum class Schedule {
  noam,          ///< section 5.3: factor · d_model^-0.5 · min(step^-0.5, step · warmup^-1.5)
  inverse_sqrt,  ///< factor · min(step / warmup, sqrt(warmup / step)): the factor is the peak
  constant,      ///< factor, after a linear warm-up
  cosine,        ///< a linear warm-up to factor, then half a cosine down to the floor at the last step
  linear,        ///< a linear warm-up to factor, then straight down to the floor at the last step
};

constexpr const char* name_of(Schedule schedule) {
  switch (schedule) {
    case Schedule::noam:
      return "noam";
    case Schedule::inverse_sqrt:
      return "inverse_sqrt";
    case Schedule::constant:
      return "constant";
    case Schedule::cosine:
      return "cosine";
    case Schedule::linear:
      return "linear";
  }
  no_such_choice();
}

/// Whether the rate at a step depends on how many there are to be.
constexpr bool depends_on_steps(Schedule schedule) {
  switch (schedule) {
    case Schedule::cosine:
    case Schedule::linear:
      return true;
    case Schedule::noam:
    case Schedule::inverse_sqrt:
    case Schedule::constant:
      return false;
  }
  no_such_choice();
}

/// Whether the rate ends at TrainOptions::floor, and not at what the schedule makes of it.
constexpr bool has_floor(Schedule schedule) {
  switch (schedule) {
    case Schedule::cosine:
    case Schedule::linear:
      return true;
    case Schedule::noam:
    case Schedule::inverse_sqrt:
    case Schedule::constant:
      return false;
  }
  no_such_choice();
}

/// Whether there is no schedule without a warm-up: with none the rate would begin at infinity.
constexpr bool needs_warmup(Schedule schedule) {
  switch (schedule) {
    case Schedule::noam:
    case Schedule::inverse_sqrt:
      return true;
    case Schedule::constant:
    case Schedule::cosine:
    case Schedule::linear:
      return false;
  }
  no_such_choice();
}

/// How a step follows from the gradients g. A weight decay λ is either decoupled, as in AdamW: w ← w − rate ·
/// λ · w before the step. Or it is a part of the gradient: g + λ w.
enum class OptimizerKind {
  adamw,  ///< Adam, decoupled decay; without a decay both are the paper's Adam
  adam,   ///< Adam, the decay is a part of the gradient
  sgd,    ///< b ← momentum · b + g, w ← w − rate · b, the decay is a part of the gradient
  muon,   ///< orthogonal steps for hidden layers' matrices, adamw for the rest (optimizers/muon.h)
};

constexpr const char* name_of(OptimizerKind optimizer) {
  switch (optimizer) {
    case OptimizerKind::adamw:
      return "adamw";
    case OptimizerKind::adam:
      return "adam";
    case OptimizerKind::sgd:
      return "sgd";
    case OptimizerKind::muon:
      return "muon";
  }
  no_such_choice();
}

/// What else is to be known of an optimiser.
struct OptimizerFacts {
  bool is_papers = false;  ///< without a weight decay it is the paper's Adam
  bool decoupled = false;  ///< its weight decay
  /// What it keeps for each number that is trained, by the names that checkpoints have: "m.NAME".
  std::vector<std::string> kept;
  std::vector<std::string> keys;  ///< those of "train." that it reads and another one may not
};

inline OptimizerFacts facts_of(OptimizerKind optimizer) {
  switch (optimizer) {
    case OptimizerKind::adamw:
      return {.is_papers = true,
              .decoupled = true,
              .kept = {"m", "v"},
              .keys = {"train.beta1", "train.beta2", "train.epsilon"}};
    case OptimizerKind::adam:
      return {.is_papers = true, .kept = {"m", "v"}, .keys = {"train.beta1", "train.beta2", "train.epsilon"}};
    case OptimizerKind::sgd:
      return {.kept = {"momentum"}, .keys = {"train.momentum"}};
    case OptimizerKind::muon:
      return {.decoupled = true,
              .kept = {"m", "v"},
              .keys = {"train.beta1", "train.beta2", "train.epsilon", "train.muon_momentum"}};
  }
  no_such_choice();
}

/// The measure of the best checkpoint: the dev set's loss, or train.metric.
enum class BestBy { loss, metric };

constexpr const char* name_of(BestBy best) {
  switch (best) {
    case BestBy::loss:
      return "loss";
    case BestBy::metric:
      return "metric";
  }
  no_such_choice();
}

/// train.bucket_tokens where it is auto and a run begins.
inline constexpr std::int64_t kBucketTokens = 4096;

/// train.micro_tokens where it is auto and nothing is tried: on the CPU, and where costs are only reckoned.
inline constexpr std::int64_t kUntriedMicroTokens = 4096;

/// Parameters that a step treats in a way of their own.
struct ParameterGroup {
  std::string pattern;  ///< of their whole names: * stands for any characters, ? for one
  double rate = 1.0;    ///< times the learning rate; with 0 they are frozen (trained_parts.h)
  /// Of all of them, biases and norms among them. Nothing: as it is without a group.
  std::optional<double> weight_decay = {};

  bool operator==(const ParameterGroup&) const = default;
};

/// How the embedding begins of a piece that the vocabulary of train.from lacks.
enum class NewPieces {
  drawn,  ///< as in a new model
  parts,  ///< the mean of the pieces that their tokenizer cuts it into
};

constexpr const char* name_of(NewPieces pieces) {
  switch (pieces) {
    case NewPieces::drawn:
      return "drawn";
    case NewPieces::parts:
      return "parts";
  }
  no_such_choice();
}

/// A token of the target is written at one step and read at the next one: whose attention is to follow its
/// links (tasks/guided_attention.h).
enum class GuidedStep { writes, reads };

constexpr const char* name_of(GuidedStep step) {
  switch (step) {
    case GuidedStep::writes:
      return "writes";
    case GuidedStep::reads:
      return "reads";
  }
  no_such_choice();
}

/// How much the labels of texts or words count in the loss of an encoder.
enum class ClassWeights {
  none,      ///< all alike
  balanced,  ///< n / (K · n_k), of n labels of K kinds n_k of this one
};

constexpr const char* name_of(ClassWeights weights) {
  switch (weights) {
    case ClassWeights::none:
      return "none";
    case ClassWeights::balanced:
      return "balanced";
  }
  no_such_choice();
}

struct TrainOptions {
  std::int64_t steps = 100000;
  /// Passes over the training pairs, from which `steps` is computed (epoch_steps.h); 0: `steps` is given.
  std::int64_t epochs = 0;
  std::int64_t source_tokens = 25000;  ///< real tokens an update; reaching either limit closes it (5.1)
  std::int64_t target_tokens = 25000;
  std::int64_t sentences = 0;  ///< a third limit, in pairs; 0: none
  /// Padded tokens of sentences of similar length that stay together when updates are planned
  /// (data::BatchLimits). Nothing: auto, kBucketTokens. A run of an earlier version goes on with its
  /// micro_tokens, which had both meanings then.
  std::optional<std::int64_t> bucket_tokens = {};
  /// Padded tokens of the longer side in one forward pass. They bound memory and change no update. Nothing:
  /// auto, as many as the device's memory holds, found when a run begins (micro_tokens.h).
  std::optional<std::int64_t> micro_tokens = {};
  double label_smoothing = 0.1;  ///< 5.4; spread over all classes
  double r_drop = 0;             ///< α: two passes a batch that are to agree (ops/r_drop.h); 0: one pass
  /// λ: λ times the cross-entropy of a head's attention against links of words is added to the loss
  /// (tasks/guided_attention.h); 0: none.
  double guided_alignment = 0;
  std::int64_t guided_layer = 0;  ///< the decoder's layer of that head, from 1; 0: the last but one
  std::int64_t guided_head = 1;   ///< from 1
  GuidedStep guided_step = GuidedStep::writes;
  bool guided_null = false;  ///< words without links learn to look at the source's end
  double mask_share = 0.15;  ///< of a text's tokens, which an encoder predicts (tasks/masked_tokens.h)
  bool mask_words = false;   ///< all tokens of a word, or none
  ClassWeights class_weights = ClassWeights::none;
  Schedule schedule = Schedule::noam;
  std::int64_t warmup = 4000;
  double factor = 1.0;
  double floor = 0.0;  ///< rate at the last step; 0 where a schedule has none (has_floor)
  OptimizerKind optimizer = OptimizerKind::adamw;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double momentum = 0.9;  ///< sgd's
  double muon_momentum = 0.95;
  double weight_decay = 0.0;  ///< of matrices, not of biases and norms; the optimiser says how it acts
  std::vector<ParameterGroup> groups = {};  ///< a parameter's is the first whose pattern matches its name
  std::string from = {};  ///< a model or run directory whose weights the training begins with; empty: none
  NewPieces new_pieces = NewPieces::drawn;
  /// Patterns of the names of matrices that are trained by low-rank adapters (trained_parts.h); empty: none.
  std::vector<std::string> adapters = {};
  std::int64_t adapter_rank = 8;
  double adapter_alpha = 16;
  variants::TrainChoices variants = {};  ///< they replace optimizer and schedule
  double clip = 0.0;                     ///< largest gradient norm; 0: off
  bool clip_sum = false;  ///< the limit is for the gradient of the summed loss, not of the mean per token
  std::int64_t eval_every = 1500;
  std::int64_t save_every = 1500;  ///< 6.1: checkpoints 10 minutes apart, 0.4 s per update of the base model
  std::int64_t log_every = 100;
  std::int64_t keep = 20;         ///< latest checkpoints to keep; the latest due ones and the best stay, too
  std::int64_t patience = 0;      ///< evaluations without improvement before stopping; 0: never
  std::int64_t max_skipped = 10;  ///< updates in a row with NaN or infinity that end the training
  std::string metric = "bleu";    ///< score of the dev set besides its loss (eval/metric_table.h)
  std::int64_t metric_every = 0;  ///< steps between measurements of it; 0: never
  BestBy best = BestBy::loss;
  std::int64_t samples = 4;  ///< sentences of the dev set that each evaluation translates for a person
  bool tensorboard = true;   ///< whether event files for TensorBoard are written beside metrics.jsonl

  bool operator==(const TrainOptions&) const = default;
};

/// Forward passes that each batch of a training makes.
constexpr double passes_of(double r_drop) {
  return r_drop > 0 ? 2 : 1;
}

/// The number where it is one, and what stands for auto where nothing is tried.
constexpr std::int64_t reckoned_micro_tokens(const TrainOptions& options) {
  return options.micro_tokens.value_or(kUntriedMicroTokens);
}

/// Whether a checkpoint is due after a step, whatever else is saved between: at multiples of save_every, and
/// at the end. Averages are made of these (6.1).
constexpr bool is_save_due(const TrainOptions& options, std::int64_t step) {
  return step % options.save_every == 0 || step == options.steps;
}

/// How many are due in a whole training.
constexpr std::int64_t count_due_saves(const TrainOptions& options) {
  return options.steps / options.save_every + (options.steps % options.save_every == 0 ? 0 : 1);
}

/// How many of these are left at its end; one at the end that is no multiple is kept beside the others.
constexpr std::int64_t count_left_checkpoints(const TrainOptions& options) {
  const auto kept = options.keep + (options.steps % options.save_every == 0 ? 0 : 1);
  return count_due_saves(options) < kept ? count_due_saves(options) : kept;
}

}  // namespace transformer::train
