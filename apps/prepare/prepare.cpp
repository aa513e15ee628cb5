// transformer-prepare: raw text → tokenizers and a binary data set.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "transformer/config/scalar.h"
#include "transformer/config/yaml.h"
#include "transformer/data/prepare.h"
#include "transformer/data/sides.h"

namespace {

using namespace transformer;

double per(std::int64_t amount, std::int64_t of) {
  return of == 0 ? 0.0 : static_cast<double>(amount) / static_cast<double>(of);
}

void print_split(const std::string& name, const data::SplitReport& split, const data::DataOptions& options) {
  const auto& examples = split.examples;
  const auto* kind = data::name_of(options.examples);
  const bool pairs = has_two_sides(options.examples);
  if (pairs) {
    fmt::print("{:<6}{:>10} {} {:>12} source tokens ({:.1f} a sentence) {:>12} target tokens ({:.1f})\n",
               name, examples.kept, options.examples == data::ExampleKind::trees ? kind : "pairs",
               split.source_tokens, per(split.source_tokens, examples.kept), split.target_tokens,
               per(split.target_tokens, examples.kept));
    fmt::print("{:>16} unknown: {:.3f} % of the source, {:.3f} % of the target\n", "",
               100 * per(split.source_unknown, split.source_tokens),
               100 * per(split.target_unknown, split.target_tokens));
  } else {
    fmt::print("{:<6}{:>10} documents {:>12} tokens ({:.1f} a document), unknown: {:.3f} %\n", name,
               examples.kept, split.target_tokens, per(split.target_tokens, examples.kept),
               100 * per(split.target_unknown, split.target_tokens));
  }
  const auto dropped = examples.total() - examples.kept;
  if (dropped > 0) {
    fmt::print("{:>16} dropped: {} of {} {}: {} with an empty side, {} longer than {} tokens{}\n", "",
               dropped, examples.total(), kind, examples.empty, examples.too_long, options.max_tokens,
               options.max_ratio > 0
                   ? fmt::format(", {} with lengths beyond 1:{}", examples.ratio, options.max_ratio)
                   : "");
  }
  if (split.windows_line_ends > 0)
    fmt::print("{:>16} {} lines{} ended in CR LF\n", "", split.windows_line_ends,
               pairs ? " of both sides" : "");
  if (split.shortened > 0)
    fmt::print("{:>16} cut: {} of {} {}, to {} tokens a {}\n", "", split.shortened, examples.total(), kind,
               name == "train" ? options.max_tokens : data::longest_kept(options),
               pairs ? "side" : "document");
}

/// What a person may want to mend in the texts.
void warn(const data::PrepareReport& report, const data::DataOptions& options) {
  if (const auto there = report.splits.at("train").examples.total(); there < options.pairs)
    spdlog::warn("data.pairs: expected {} {} in data.train, found {}: all of them are taken", options.pairs,
                 data::name_of(options.examples), there);
  std::int64_t windows_line_ends = 0;
  std::int64_t shortened = 0;
  std::vector<std::string> places;
  for (const auto& [name, split] : report.splits) {
    windows_line_ends += split.windows_line_ends;
    if (name == "train") continue;  // asked for, by data.longer
    shortened += split.shortened;
    if (split.shortened > 0) places.push_back(name + " " + split.shortened_lines.names());
  }
  if (windows_line_ends > 0)
    spdlog::warn("{} lines ended in CR LF, as on Windows: the CR was left out", windows_line_ends);
  if (shortened > 0)
    spdlog::warn("{} {} of dev and test were too long and are cut: {}", shortened,
                 data::name_of(options.examples), fmt::join(places, "; "));
  if (const auto pairs = report.splits.at("train").without_links; pairs > 0)
    spdlog::warn("{} training pairs lose their links: their pieces have other words than their texts", pairs);
  if (report.untrained_lines > 0)
    spdlog::warn("{} lines were too long to shape the vocabulary", report.untrained_lines);
}

/// A person sees at once which language is taken for which.
void show_sides(const data::DataOptions& options) {
  const auto width = std::max(options.source.size(), options.target.size());
  if (const auto pair = data::first_training_pair(options)) {
    fmt::print("first pair of train\n");
    for (const auto& [language, text] :
         {std::pair(options.source, pair->first), std::pair(options.target, pair->second)})
      fmt::print("  {:<{}}  {}\n", language, width, config::quote(text));
  }
  for (const auto& split : data::exchanged_splits(options))
    spdlog::warn(
        "data.train and data.{0} have their sides exchanged: {1} of the one reads like {2} of the other, and "
        "{2} like {1} (data.columns says which column of a table is which)",
        split, options.source, options.target);
}

int prepare(const std::string& config, bool overwrite, const apps::CommonOptions& common) {
  const auto options = config::load_given_experiment(config, common.set).data;
  const auto report =
      data::prepare(options, {.overwrite = overwrite,
                              .inputs = {config},
                              .threads = common.threads,
                              .quiet = common.quiet,
                              .stage = [](std::string_view text) { spdlog::info("{}", text); }});
  if (!report.up_to_date) warn(report, options);
  fmt::print("{}: {}\n", options.prepared, report.up_to_date ? "up to date" : "prepared");
  fmt::print("{}\n", data::has_one_vocabulary(options)
                         ? fmt::format("one vocabulary of {} pieces", report.source_vocabulary)
                         : fmt::format("vocabularies of {} source and {} target pieces",
                                       report.source_vocabulary, report.target_vocabulary));
  for (const auto* name : {"train", "dev", "test"}) {
    if (const auto split = report.splits.find(name); split != report.splits.end()) {
      print_split(name, split->second, options);
    }
  }
  if (options.examples == data::ExampleKind::pairs) show_sides(options);
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Turns raw text, pairs or documents, into tokenizers and a binary data set.",
               "transformer-prepare");
  apps::CommonOptions common;
  std::string config;
  bool overwrite = false;
  app.add_option("--config", config, "The experiment, a YAML file; its data section is used")
      ->required()
      ->type_name("FILE")
      ->check(apps::kNotEmpty);
  app.add_flag("--overwrite", overwrite,
               "Replace a prepared folder that was made from other inputs, if nobody changed it");
  apps::add_common_options(app, common);
  apps::run_program(app, common, argc, argv, [&] { return prepare(config, overwrite, common); });
}
