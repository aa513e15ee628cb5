#include "apps/sweep/run.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "apps/common/last_checkpoints.h"
#include "apps/common/model_output.h"
#include "apps/common/model_overrides.h"
#include "transformer/base/error.h"
#include "transformer/base/progress.h"
#include "transformer/base/stopwatch.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/eval/bleu.h"
#include "transformer/train/averaging.h"

namespace transformer::apps {
namespace {

SweepScore score(const eval::Metric& metric, const std::vector<translation::Translation>& translations,
                 const std::vector<std::string>& references, double seconds) {
  eval::Corpus corpus{{}, {references}};
  for (const auto& translation : translations) corpus.hypotheses.push_back(translation.texts.at(0));
  const auto bleu = eval::corpus_bleu(corpus);
  const auto& counts = bleu.counts;
  const auto reference_length = static_cast<double>(std::max(counts.reference_length, std::int64_t{1}));
  return {eval::corpus_score(metric, corpus), bleu.brevity_penalty,
          static_cast<double>(counts.hypothesis_length) / reference_length, seconds};
}

}  // namespace

Sweep::Sweep(const SweepArguments& arguments)
    : arguments_(arguments),
      engine_{.device = arguments.common.device, .precision = arguments.common.precision},
      newest_(last_checkpoints({arguments.run}, 1, "--average").back()),
      averages_(choose_averages(arguments)),
      setting_(load_setting(newest_, arguments.data, arguments.common, translation::device_of(engine_))),
      results_(arguments.output, key_of(setting_.metric)) {
  for (auto& average : averages_) {
    average.conditions = setting_.conditions;
    average.conditions["checkpoints"] = digest(average.checkpoints);
  }
  if (arguments.write.empty()) return;
  if (arguments.data != "dev")
    throw InputError(
        "--write: expected --data dev, since what is chosen on the test text is not tested by it");
  for (const auto& average : averages_)
    check_model_output({arguments.write, arguments.overwrite, average.checkpoints});
}

void Sweep::write(const SweepPoint& best) const {
  const auto& average = *std::ranges::find(averages_, best.average, &Average::count);
  auto experiment = override_model(average.checkpoints.back(), {}, {});
  const auto before = experiment.decode;
  experiment.decode = setting_.decode;
  experiment.decode.beam = best.beam;
  experiment.decode.alpha = best.alpha.value_or(before.alpha);
  experiment.decode.nbest = std::min(before.nbest, best.beam);
  write_mean_model({arguments_.write, arguments_.overwrite, average.checkpoints}, experiment);
}

std::vector<Sweep::Average> Sweep::choose_averages(const SweepArguments& arguments) {
  std::vector<Average> averages;
  for (const auto count : arguments.averages)
    averages.push_back({count, last_checkpoints({arguments.run}, count, "--average"), {}});
  return averages;
}

std::vector<SweepLine> Sweep::run() {
  const auto searches = missing();
  const auto lines = setting_.sources.size();
  Progress progress("sweeping", static_cast<std::int64_t>(searches.size() * lines),
                    {.quiet = arguments_.common.quiet});
  std::optional<translation::Translator> engine;
  for (std::size_t i = 0; i < searches.size(); ++i) {
    const auto& search = searches[i];
    if (i == 0 || search.average != searches[i - 1].average) {
      engine.reset();  // before the next takes memory
      const auto& checkpoints = search.average->checkpoints;
      engine.emplace(checkpoints::with_weights(checkpoints.back(), train::average_weights(checkpoints)),
                     engine_);
    }
    measure(search, *engine, {.progress = [&](std::size_t done) {
              progress.update(static_cast<std::int64_t>(i * lines + done),
                              fmt::format("average {}, beam {}", search.average->count, search.beam));
            }});
  }
  if (!searches.empty()) progress.finish();

  std::vector<SweepLine> found;
  for (const auto& average : averages_)
    for (const auto beam : arguments_.beams)
      for (const auto& point : points(average.count, beam))
        found.push_back({{point, results_.find(point, average.conditions).value()}, average.conditions});
  return found;
}

std::vector<SweepPoint> Sweep::points(std::size_t average, std::int64_t beam) const {
  if (beam == 1) return {{average, beam, std::nullopt}};
  std::vector<SweepPoint> found;
  for (const auto alpha : arguments_.alphas) found.push_back({average, beam, alpha});
  return found;
}

std::vector<Sweep::Search> Sweep::missing() const {
  std::vector<Search> searches;
  for (const auto& average : averages_) {
    for (const auto beam : arguments_.beams) {
      Search search{&average, beam, {}};
      std::ranges::copy_if(
          points(average.count, beam), std::back_inserter(search.points),
          [&](const SweepPoint& point) { return !results_.find(point, average.conditions); });
      if (!search.points.empty()) searches.push_back(std::move(search));
    }
  }
  return searches;
}

void Sweep::measure(const Search& search, translation::Translator& engine,
                    const translation::TranslateCallbacks& callbacks) {
  auto options = setting_.decode;
  options.beam = search.beam;
  std::vector<double> alphas;
  for (const auto& point : search.points) alphas.push_back(point.alpha.value_or(options.alpha));
  const Stopwatch watch;
  const auto translations = engine.translate_alphas(setting_.sources, options, alphas, callbacks);
  const auto seconds = watch.seconds();
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    const SweepRow row{search.points[i],
                       score(setting_.metric, translations[i], setting_.references, seconds)};
    results_.add(row, search.average->conditions);
    spdlog::info("{}: {} {:.2f}", describe(row.point), setting_.metric.name, row.score.score);
  }
}

}  // namespace transformer::apps
