#include "transformer/experiments/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "transformer/base/error.h"

namespace transformer::experiments {

bool Study::wants(const Variation& variation) const {
  return only.empty() || variation.name == kBaseline || std::ranges::find(only, variation.name) != only.end();
}

std::vector<std::string> names_in(const ExperimentList& list, const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size(); begin += names.back().size() + 1) {
    const auto rest = text.substr(begin) + ",";
    std::string longest;
    for (const auto& variation : list.variations)
      if (rest.starts_with(variation.name + ",") && variation.name.size() > longest.size())
        longest = variation.name;
    if (longest.empty()) {
      const auto word = rest.substr(0, rest.find(','));
      throw InputError(fmt::format("--only {}: expected the name of an experiment, such as {}, found {}",
                                   word.empty() ? text : word, list.variations.back().name,
                                   word.empty() ? "nothing" : "another word"));
    }
    names.push_back(std::move(longest));
  }
  return names;
}

std::vector<Run> runs_of(const Study& study) {
  std::vector<Run> runs;
  for (const auto& variation : study.list.variations) {
    for (const auto seed : variation.seeds) {
      auto experiment = variation.experiment;
      experiment.seed = seed;
      runs.push_back({&variation,
                      std::move(experiment),
                      {study.output / variation.name / fmt::format("seed-{}", seed)},
                      fmt::format("{}, seed {}", variation.name, seed)});
    }
  }
  return runs;
}

std::vector<std::string> command(const Study& study, const std::string& program,
                                 const std::vector<std::string>& arguments, const std::string& precision) {
  std::vector<std::string> all{study.programs / program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(),
             {"--device", study.device, "--precision", precision.empty() ? study.precision : precision,
              "--threads", std::to_string(study.threads)});
  for (const auto& file : study.load) all.insert(all.end(), {"--load", std::filesystem::absolute(file)});
  return all;
}

void check_averages(const ExperimentList& list) {
  for (const auto& variation : list.variations) {
    const auto& train = variation.experiment.train;
    if (train.keep < variation.average)
      throw InputError(
          fmt::format("{}: train.keep: expected at least the {} checkpoints to be averaged, found {}",
                      variation.name, variation.average, train.keep));
    if (train.epochs > 0) continue;  // how many steps these are is not known yet
    if (const auto made = train::count_due_saves(train); made < variation.average)
      throw InputError(
          fmt::format("{}: train.steps: expected at least {} checkpoints to be averaged, found {}: {} "
                      "updates with one each {}",
                      variation.name, variation.average, made, train.steps, train.save_every));
  }
}

void check_tests(const ExperimentList& list) {
  for (const auto& variation : list.variations)
    if (list.test && variation.experiment.data.test.empty())
      throw InputError(
          fmt::format("{}: data.test: expected a test set, which the list's 'test' asks for, found nothing",
                      variation.name));
}

void override_rows(ExperimentList& list, std::int64_t seeds, std::int64_t average) {
  for (auto& variation : list.variations) {
    if (average > 0) variation.average = average;
    if (seeds == 0) continue;
    variation.seeds.resize(static_cast<std::size_t>(seeds));
    std::iota(variation.seeds.begin(), variation.seeds.end(), 1);
  }
  check_averages(list);
  check_tests(list);
}

void check_precision(const Study& study) {
  for (const auto& run : runs_of(study)) {
    const auto record = read_record(run.folder);
    const auto& precision = record.precision;
    // Where `auto` is asked for, a finished training has said what that was.
    const bool same = precision == study.precision || (study.precision == "auto" && record.trained > 0);
    if (study.wants(*run.variation) && !precision.empty() && !same)
      throw InputError(
          fmt::format("{}: begun with --precision {}: expected the same, or another --output, found {}",
                      run.folder.path.string(), precision, study.precision));
  }
}

std::vector<std::string> last_lines(const std::filesystem::path& file, std::size_t most) {
  std::vector<std::string> lines;
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);) {
    if (line.empty()) continue;
    lines.push_back(std::move(line));
    if (lines.size() > most) lines.erase(lines.begin());
  }
  return lines;
}

}  // namespace transformer::experiments
