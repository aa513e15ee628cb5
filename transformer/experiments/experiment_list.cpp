#include "transformer/experiments/experiment_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "transformer/base/error.h"
#include "transformer/config/flatten.h"
#include "transformer/config/keys.h"
#include "transformer/config/scalar.h"
#include "transformer/config/yaml.h"
#include "transformer/eval/metric_table.h"
#include "transformer/experiments/experiment_entries.h"
#include "transformer/experiments/list_metric.h"
#include "transformer/experiments/own_reports.h"

namespace transformer::experiments {
namespace {

using namespace config;  // whose language a list is written in

namespace fs = std::filesystem;

constexpr std::string_view kBleuName = "bleu";  // which tokenizations are for

std::string last_part(const std::string& key) {
  return key.substr(key.rfind('.') + 1);
}

/// The setting that multiplies a key's value in `base`.
std::string scaled(const Experiment& base, const Scaling& scaling) {
  // A shorthand has no value of its own: layers are the encoder's, if the decoder has as many.
  const bool layers = scaling.key == "model.layers";
  // How long a training is, one of two keys says.
  const bool length = scaling.key == "train.steps" || scaling.key == "train.epochs";
  const std::string name = !length ? scaling.key : base.train.epochs > 0 ? "train.epochs" : "train.steps";
  const Key* key = find_key(layers ? "model.encoder_layers" : name);
  if (layers && base.model.encoder_layers != base.model.decoder_layers)
    reject(scaling.origin, scaling.key,
           "cannot be scaled where encoder and decoder differ: scale each of them");
  const auto text = key->get(base);
  if (text == "auto") return fmt::format("{}={}", name, text);  // each run finds its own
  const auto value = parse_real(text);
  if (!value)
    reject(scaling.origin, scaling.key,
           fmt::format("expected a number to scale, found {} in the base", text));
  if (*value == 0)  // the experiment would be the base once more
    reject(scaling.origin, scaling.key,
           "expected a number other than 0 to scale, found 0 in the base: set it");
  // Twelve digits: three times 0.1 is 0.3, and a third of 6 is whole.
  const auto product = fmt::format("{:.12g}", *value * scaling.factor);
  const auto finite = parse_real(product);
  const auto written = finite ? print_real(*finite) : product;
  Experiment probe = base;
  if (!finite || !key->set(probe, {.text = written}))
    reject(scaling.origin, scaling.key,
           fmt::format("expected {} after scaling, found {} · {:.4g} = {}", key->expected, text,
                       scaling.factor, written));
  return fmt::format("{}={}", name, written);
}

/// One experiment of a grid.
struct Point {
  std::string suffix;
  std::vector<std::string> settings;
};

std::vector<Point> grid(const std::vector<Setting>& set) {
  std::vector<Point> points(1);
  for (const auto& [key, values, origin] : set) {
    if (points.size() * values.size() > 10000)
      reject(origin, key, "the grid has more than 10000 experiments");
    // A run's folder is the same wherever the project lies.
    const bool is_path = find_key(key)->kind == Key::Kind::path;
    std::vector<Point> next;
    for (const auto& point : points) {
      for (const auto& value : values) {
        next.push_back(point);
        next.back().settings.push_back(fmt::format("{}={}", key, value));
        if (values.size() > 1)
          next.back().suffix += fmt::format("{}{}={}", point.suffix.empty() ? "." : ",", last_part(key),
                                            is_path ? fs::path(value).filename().string() : value);
      }
    }
    points = std::move(next);
  }
  for (auto& point : points)
    std::ranges::replace_if(
        point.suffix, [](char c) { return c == '/' || c == ' '; }, '-');
  return points;
}

/// Throws InputError for values of a grid that are one number, written in two ways.
void check_different(const Setting& setting) {
  const auto& values = setting.values;
  for (auto value = values.begin(); value != values.end(); ++value) {
    const auto number = parse_real(*value);
    if (!number) continue;
    const auto same = std::find_if(values.begin(), value,
                                   [&](const std::string& other) { return parse_real(other) == number; });
    if (same != value && *same != *value)
      reject(setting.origin, setting.key,
             fmt::format("expected different values, found {} and {}", *same, *value));
  }
}

/// Throws InputError for a name that a grid's values have made unfit for a folder, or that is a report's.
void check_folder(const std::string& name, const std::string& origin) {
  constexpr std::size_t kLongest = 200;
  const bool printable =
      std::ranges::none_of(name, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; });
  if (name.size() > kLongest || !printable)
    reject(origin, "set",
           fmt::format("expected values that can be part of a folder's name, of at most {} bytes, found {}",
                       kLongest, quote(name)));
  if (is_report_file(name))
    reject(origin, "name",
           fmt::format("expected another than that of a file of the reports, found {}", name));
}

class ListMaker {
 public:
  ListMaker(ExperimentEntries entries, std::vector<std::string> overrides)
      : entries_(std::move(entries)), overrides_(std::move(overrides)) {
    for (const auto& [key, values, origin] : entries_.set) {
      if (values.size() > 1)
        reject(origin, key, "expected one value for all experiments; a grid stands in an experiment");
      common_.push_back(fmt::format("{}={}", key, values.front()));
    }
  }

  void add(const ExperimentEntry& entry, std::vector<Variation>& to) const {
    const auto& file = entry.config.empty() ? entries_.base : entry.config;
    std::vector<std::string> settings;
    if (!entry.scale.empty()) {
      const auto base = load(file, {}, entry.origin);
      for (const auto& scaling : entry.scale) settings.push_back(scaled(base, scaling));
    }
    std::ranges::for_each(entry.set, check_different);
    for (const auto& point : grid(entry.set)) {
      auto all = settings;
      all.insert(all.end(), point.settings.begin(), point.settings.end());
      std::string note;
      auto experiment = load(file, all, entry.origin, &note);
      Variation variation{
          .group = entry.group,
          .name = entry.name + point.suffix,
          .experiment = std::move(experiment),
          .seeds = entry.seeds.empty() ? entries_.seeds : entry.seeds,
          .paper = entry.paper,
          .average = entry.average > 0 ? entry.average : std::max<std::int64_t>(entries_.average, 1),
          .note = std::move(note)};
      if (variation.seeds.empty()) variation.seeds = {1};
      check_folder(variation.name, entry.origin);
      if (std::ranges::find(to, variation.name, &Variation::name) != to.end())
        reject(entry.origin, "name", fmt::format("a second experiment would be called '{}'", variation.name));
      to.push_back(std::move(variation));
    }
  }

 private:
  /// The list's settings, an experiment's over them, and --set over all.
  Experiment load(const fs::path& file, const std::vector<std::string>& own, const std::string& origin,
                  std::string* note = nullptr) const {
    try {
      return load_ranked_experiment(file, {common_, own, overrides_}, note);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", origin, error.what()));
    }
  }

  ExperimentEntries entries_;
  std::vector<std::string> overrides_, common_;
};

}  // namespace

std::vector<Variation> make_variations(ExperimentEntries entries, const std::vector<std::string>& overrides) {
  const auto baseline = std::ranges::find(entries.experiments, kBaseline, &ExperimentEntry::name);
  if (baseline == entries.experiments.end())
    entries.experiments.insert(entries.experiments.begin(),
                               {.name = kBaseline, .origin = entries.base_origin});
  else
    std::rotate(entries.experiments.begin(), baseline, baseline + 1);
  const ListMaker maker(entries, overrides);
  std::vector<Variation> variations;
  for (const auto& entry : entries.experiments) maker.add(entry, variations);
  if (variations.front().name != kBaseline)
    reject(entries.experiments.front().origin, "set", "expected no grid in the experiment 'base', found one");
  return variations;
}

namespace {

/// Throws InputError unless the rows that a claim names are among the experiments.
std::vector<report::Claim> checked_claims(const std::vector<ClaimEntry>& entries,
                                          const std::vector<Variation>& variations) {
  std::vector<report::Claim> claims;
  for (const auto& [claim, origin] : entries) {
    for (const auto& [key, name] : {std::pair("row", claim.row), std::pair("against", claim.against)})
      if (std::ranges::find(variations, name, &Variation::name) == variations.end())
        reject(origin, key,
               fmt::format("expected the name of an experiment, such as {}, found {}", variations.back().name,
                           quote(name)));
    if (claim.row == claim.against)
      reject(origin, "against", fmt::format("expected another experiment than {}", quote(claim.row)));
    claims.push_back(claim);
  }
  return claims;
}

/// Throws InputError for a score that there is not, and for tokenizations that nothing is scored by.
void check_by_metric(const fs::path& file, const ExperimentEntries& entries, const std::string& name,
                     const eval::Metric& metric) {
  if (const auto& target = entries.target; target && !(*target >= 0 && *target <= metric.most))
    reject(entries.target_origin, "target",
           fmt::format("expected {} from 0{}, found '{}'", metric.name,
                       std::isfinite(metric.most) ? fmt::format(" to {}", metric.most) : "", *target));
  if (!entries.tokenize.empty() && name != kBleuName)
    reject(file.string(), "tokenize", fmt::format("expected train.metric bleu beside it, found {}", name));
}

/// A figure called `bleu` becomes the score if the list's metric is BLEU, else it is dropped.
template <typename Figures>
Figures of_metric(Figures figures, const std::string& metric) {
  if (figures.bleu && metric == kBleuName) figures.score = figures.bleu;
  figures.bleu.reset();
  return figures;
}

std::string note_of(const fs::path& file, const std::vector<Variation>& variations) {
  const auto has_note = [](const Variation& variation) { return !variation.note.empty(); };
  const auto first = std::ranges::find_if(variations, has_note);
  if (first == variations.end()) return {};
  const auto others = std::count_if(first + 1, variations.end(), has_note);
  return fmt::format(
      "{}: {}{}: {}", file.string(), first->name,
      others > 0 ? fmt::format(", and {} other{} likewise", others, others > 1 ? "s" : "") : "", first->note);
}

}  // namespace

ExperimentList load_experiment_list(const fs::path& file, const std::vector<std::string>& overrides) {
  const auto entries = read_experiment_entries(file);
  if (entries.base.empty()) reject(file.string(), "base", "expected an experiment's file, found nothing");
  for (const auto& setting : overrides)
    if (setting.starts_with("seed="))
      throw InputError(
          fmt::format("--set {}: expected --seeds, or seeds in the list, since there are several", setting));
  auto variations = make_variations(entries, overrides);
  auto claims = checked_claims(entries.claims, variations);
  const auto metric_name = variations.front().experiment.train.metric;
  auto metric = metric_of(file, variations);
  check_by_metric(file, entries, metric_name, metric);
  for (auto& variation : variations) variation.paper = of_metric(variation.paper, metric_name);
  std::vector<report::PublishedSystem> published;
  for (const auto& system : entries.published) published.push_back(of_metric(system, metric_name));
  auto note = note_of(file, variations);
  return {.file = file,
          .title = entries.title.empty() ? file.stem().string() : entries.title,
          .output = entries.output,
          .variations = std::move(variations),
          .test = entries.test.value_or(false),
          .metric = std::move(metric),
          .tokenize = entries.tokenize.empty() ? std::vector{eval::MetricOptions{}} : entries.tokenize,
          .sustained = entries.sustained.value_or(0),
          .target = entries.target,
          .reach_base = entries.reach_base.value_or(false),
          .published = std::move(published),
          .claims = std::move(claims),
          .note = std::move(note)};
}

}  // namespace transformer::experiments
