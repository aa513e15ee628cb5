#include "transformer/train/trainer.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/figure_text.h"
#include "transformer/base/progress.h"
#include "transformer/base/stopwatch.h"
#include "transformer/base/time_of_day.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/runtime/cuda.h"
#include "transformer/runtime/device.h"
#include "transformer/train/conditions.h"
#include "transformer/train/dev_evaluation.h"
#include "transformer/train/epochs.h"
#include "transformer/train/micro_tokens.h"
#include "transformer/train/optimizer_table.h"
#include "transformer/train/replicas.h"
#include "transformer/train/run_log.h"
#include "transformer/train/run_output.h"
#include "transformer/train/run_setup.h"
#include "transformer/train/schedule.h"
#include "transformer/train/sharded_moments.h"
#include "transformer/train/step_seed.h"
#include "transformer/train/update.h"

namespace transformer::train {
namespace {

/// How fast this process trains, since the last line of the log.
struct Speed {
  double tokens = 0, seconds = 0;

  double per_second() const { return tokens / seconds; }
};

class Trainer {
 public:
  Trainer(Task& task, const config::Experiment& experiment, const TrainerSettings& settings)
      : task_(task),
        module_(task.module()),
        settings_(settings),
        run_{settings.run},
        state_{.conditions = current_conditions(task, settings.precision, group_size(settings))},
        others_(meet_others(settings.group, task, experiment, state_.conditions)),
        lock_(leads() ? std::optional(claim_run(run_, settings.resume, task)) : std::nullopt),
        experiment_(begun(experiment)),
        trained_(module_, options_, experiment.seed),
        optimizer_(make_optimizer(trained_.parameters(), options_)),
        resumed_(enter()),
        shards_(others_ && experiment.distributed.shard_moments
                    ? std::make_unique<ShardedMoments>(*others_, *optimizer_)
                    : nullptr),
        saved_(resumed_),
        updater_(task.training(), *optimizer_, update_settings()) {
    if (leads()) output_.emplace(run_, task_, experiment_, state_);
  }

  TrainOutcome run() {
    log_beginning(task_, trained_, settings_.precision, group_size(settings_));
    if (resumed_)
      spdlog::info("going on after step {}", state_.step);
    else
      warn_of_few_checkpoints(options_);
    state_.be_patient(options_.patience);
    Progress progress("train", options_.steps, {.quiet = settings_.quiet || !leads(), .start = state_.step});
    try {
      if (state_.step > 0) settle();  // what an interruption left undone
      while (state_.step < options_.steps && !state_.finished) {
        if (output_) output_->check();
        update(progress);
        if (interrupted_) throw Interrupted();
        settle();
      }
    } catch (const Interrupted&) {
      if (!saved_ && state_.step > 0) save_interim();
      if (output_) output_->finish();
      log_interruption(state_.step);
      return TrainOutcome::interrupted;
    }
    if (output_) output_->finish();
    if (state_.step <= options_.steps) progress.finish();
    log_end(state_, options_.steps);
    return TrainOutcome::finished;
  }

 private:
  TrainingParts parts() { return {task_, *optimizer_, state_, experiment_, &trained_}; }

  static std::int64_t group_size(const TrainerSettings& settings) {
    return settings.group ? settings.group->size() : 1;
  }
  bool leads() const { return !settings_.group || settings_.group->leads(); }

  /// With numbers of bucket_tokens and micro_tokens, which rank 0 finds.
  config::Experiment begun(config::Experiment experiment) {
    const auto decided = [&] {
      return with_micro_tokens(task_, experiment, settings_.precision, settings_.interrupted);
    };
    if (leads()) {
      experiment = as_begun(run_, experiment);
      experiment = decided();
    }
    if (settings_.group)
      for (auto* tokens : {&experiment.train.bucket_tokens, &experiment.train.micro_tokens})
        *tokens = from_first(*settings_.group, *tokens);
    return decided();
  }

  bool enter() {
    const bool resumed = leads() && enter_run(run_, settings_.resume, parts());
    return others_ ? share_start(*others_, parts(), resumed) : resumed;
  }

  bool due(std::int64_t interval) const { return interval > 0 && state_.step % interval == 0; }

  /// Evaluates and saves as is due after an update, once.
  void settle() {
    const bool last = state_.step == options_.steps;
    bool improved = false;
    if (state_.evaluated != state_.step && (due(options_.eval_every) || due(options_.metric_every) || last))
      improved = evaluate();
    if (!saved_ && (is_save_due(options_, state_.step) || improved || state_.finished)) save();
  }

  void save() {
    auto snapshot = snapshot_of(parts());
    if (shards_) snapshot.moments = shards_->gather();
    if (output_) output_->save(snapshot);
    saved_ = true;
    meet();  // rank 0 may have waited for the disk
  }

  UpdateSettings update_settings() {
    auto settings = settings_of(options_, settings_.precision, settings_.interrupted);
    settings.seed = static_cast<std::uint64_t>(experiment_.seed);
    settings.loss_scale = state_.loss_scale.value_or(LossScale{});
    settings.others = others_.get();
    settings.wire = experiment_.distributed.gradients;
    settings.shards = shards_.get();
    settings.trained = &trained_;
    settings.graphs = true;
    return settings;
  }

  void save_interim() {
    state_.interim = !is_save_due(options_, state_.step);
    save();
    state_.interim = false;
  }

  /// The epoch that the next update belongs to.
  const Epoch& epoch() {
    return epochs_.at(state_.epoch, options_.steps - state_.step + state_.epoch_update);
  }

  void update(Progress& progress) {
    const auto begin = watch_.seconds();
    const auto step = state_.step + 1;
    runtime::seed_generators(
        seed_of_step(experiment_.seed, step, settings_.group ? settings_.group->rank() : 0));
    module_.train();
    const double rate = learning_rate(options_, task_.d_model(), step);
    const auto& [plan, examples] = epoch();
    const auto i = state_.epoch_update;
    const auto* next = i + 1 < plan.size() && step < options_.steps ? &plan.update(i + 1) : nullptr;
    const auto result = updater_.run(*examples, plan.update(i), rate, step, next);
    advance(result);
    interrupted_ = result.interrupted;
    speed_.tokens += static_cast<double>(result.target_tokens);
    speed_.seconds += watch_.seconds() - begin;
    if (result.skipped()) report_skipped(result);
    if (result.overflowed) log_overflow(state_);
    if (state_.open_tokens == 0) return;  // no update since the last line has made its step
    const auto tokens = static_cast<double>(state_.open_tokens);
    const double loss = state_.open_loss / tokens, perplexity = std::exp(state_.open_nll / tokens);
    progress.update(step, fmt::format("loss {:.3f} ppl {} lr {:.2e} {:.0f} tok/s", loss,
                                      figure_text(perplexity, 2), rate, speed_.per_second()));
    if (!due(options_.log_every)) return;
    auto line = metrics("train", loss, perplexity);
    line.tokens_per_second = speed_.per_second();
    if (result.stepped()) line.gradient_norm = result.gradient_norm;
    write(line);
    state_.open_loss = state_.open_nll = 0;
    state_.open_tokens = 0;
    speed_ = {};
  }

  /// Ends the training when there were too many in a row.
  void report_skipped(const UpdateResult& result) {
    log_skipped(state_, result);
    if (state_.skipped_in_row < options_.max_skipped) return;
    const auto in_row = std::exchange(state_.skipped_in_row, 0);  // so many more when the run goes on
    save_interim();
    if (output_) output_->finish();
    meet();  // this ends the others, too
    throw too_many_skipped(state_.step, in_row, run_);
  }

  void write(const Metrics& line) {
    if (output_) output_->write(line);
  }

  /// A line of metrics as of the last update, with what both splits have in common.
  Metrics metrics(std::string split, double loss, double perplexity) const {
    Metrics line;
    line.step = state_.step;
    line.split = std::move(split);
    line.loss = loss;
    line.perplexity = perplexity;
    line.learning_rate = learning_rate(options_, task_.d_model(), state_.step);
    line.flops = state_.flops;
    line.epoch = state_.epoch;
    line.target_tokens = state_.target_tokens;
    line.skipped = state_.skipped;
    line.loss_scale = state_.loss_scale;
    line.seconds = watch_.seconds();
    line.time = time_of_day();
    return line;
  }

  void advance(const UpdateResult& result) {
    saved_ = false;
    count(state_, result);
    state_.loss_scale = updater_.loss_scale();
    if (++state_.epoch_update == epoch().plan.size()) {
      ++state_.epoch;
      state_.epoch_update = 0;
    }
  }

  /// Measures the dev set; true when this is the best model so far.
  bool evaluate() {
    const auto dev = evaluate_dev(task_, due(options_.metric_every), settings_.interrupted, others_.get());
    log_evaluation(state_, dev);
    auto line = metrics("dev", dev.loss.loss, dev.loss.perplexity);
    line.tokens_per_second = static_cast<double>(dev.loss.tokens) / dev.loss_seconds;
    line.metric = dev.metric;
    write(line);
    if (options_.samples > 0) write_samples();
    state_.evaluated = state_.step;
    saved_ = false;
    if (options_.best == BestBy::loss) return state_.judge(-dev.loss.nll, options_.patience);
    return dev.metric && state_.judge(dev.metric->merit(), options_.patience);
  }

  /// By rank 0, while the others wait for it, however long it takes.
  void write_samples() {
    distributed::interrupt_together(settings_.group, [&] {
      if (output_) output_->write_samples(task_, state_.step);
    });
  }

  /// Waits for all processes after work that one did alone, so that this work does not count against the
  /// timeout of their next exchange.
  void meet() {
    if (settings_.group) settings_.group->meet();
  }

  Task& task_;
  torch::nn::Module& module_;
  const TrainerSettings& settings_;
  checkpoints::RunDirectory run_;
  TrainState state_;
  std::unique_ptr<distributed::Collectives> others_;  ///< where there are some
  std::optional<FolderLock> lock_;
  const config::Experiment experiment_;
  const TrainOptions& options_ = experiment_.train;
  TrainedParts trained_;
  std::unique_ptr<Optimizer> optimizer_;
  bool resumed_;  ///< a checkpoint was loaded
  std::unique_ptr<ShardedMoments> shards_;
  bool interrupted_ = false;  ///< as all processes have agreed
  bool saved_;                ///< the newest checkpoint, which may still be written, is of this very state
  Updater updater_;
  std::optional<RunOutput> output_;  ///< rank 0's
  Epochs epochs_{task_.training(), experiment_.seed};
  Speed speed_;
  Stopwatch watch_;
};

}  // namespace

TrainOutcome train(Task& task, const config::Experiment& experiment, const TrainerSettings& settings) {
  if (experiment.train.epochs > 0)
    throw std::invalid_argument("train: expected train.steps, found train.epochs: with_steps() comes first");
  check_steps(checkpoints::named_parameters(task.module()), experiment.train);
  // What is refused is refused before a run is made.
  TrainedParts(task.module(), experiment.train, experiment.seed);
  if (!experiment.train.from.empty() && !settings.resume)
    task.begin_from(experiment.train.from, experiment.train.new_pieces, /*reported=*/false);
  try {
    return Trainer(task, experiment, settings).run();
  } catch (const Interrupted&) {  // while train.micro_tokens was sought
    log_interruption(0);
    return TrainOutcome::interrupted;
  }
}

}  // namespace transformer::train
