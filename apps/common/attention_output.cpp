#include "apps/common/attention_output.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "transformer/base/error.h"

namespace transformer::apps {
namespace {

constexpr std::size_t kPairsAtOnce = 32;  // whose maps are in memory together

const CLI::Validator kDocumentName(
    [](const std::string& value) {
      return maps::document_format(value)
                 ? std::string()
                 : fmt::format("expected a file that ends in .html or .json, found '{}'", value);
    },
    "");

const CLI::Validator kSummaryName(
    [](const std::string& value) {
      return value == "-" || value.ends_with(".md") || value.ends_with(".tsv")
                 ? std::string()
                 : fmt::format("expected a file that ends in .md or .tsv, or -, found '{}'", value);
    },
    "");

std::vector<std::filesystem::path> with(std::vector<std::filesystem::path> paths,
                                        const std::string& another) {
  paths.emplace_back(another);
  return paths;
}

}  // namespace

void add_attention_option(CLI::App& app, AttentionFiles& files) {
  app.add_option("--attention", files.document,
                 "Also write what each head attends to: FILE.html, a page to look at, or FILE.json, for "
                 "programs (docs/guides/looking-inside.md)")
      ->type_name("FILE")
      ->check(kDocumentName);
}

void add_attention_options(CLI::App& app, AttentionFiles& files) {
  add_attention_option(app, files);
  add_alignment_options(app, files.alignment);
  app.add_option(
         "--attention-summary", files.summary,
         "Also write a line of figures for each head: entropy, distance, shares of its weight; FILE.md, "
         "FILE.tsv, or -: Markdown on standard output in the place of the scores")
      ->type_name("FILE")
      ->check(kSummaryName);
  add_alignment_table_options(app, files.alignment);
  app.add_flag("--overwrite", files.overwrite, "Replace what these options write if it is a file");
}

AttentionOutput::AttentionOutput(const AttentionFiles& files, const std::string& model,
                                 std::vector<std::filesystem::path> inputs)
    : alignment_(files.alignment, files.overwrite, with(inputs, model)),
      markdown_(!files.summary.ends_with(".tsv")),
      prints_summary_(files.summary == "-") {
  if (prints_summary_ && alignment_.is_printed())
    throw InputError("--attention-summary -: expected a file, since standard output is for alignments");
  inputs.emplace_back(model);
  const auto& links = files.alignment.links;
  if (!links.empty() && links != "-") check_differs(links, inputs);
  for (const auto& file : alignment_.files()) inputs.emplace_back(file);
  if (!files.document.empty()) {
    check_differs(files.document, inputs);
    document_.emplace(maps::document_format(files.document).value(), model);
    document_file_ = std::make_unique<TranslationOutput>(files.document, files.overwrite, inputs);
    document_file_->write(document_->begin());
    inputs.emplace_back(files.document);
  }
  if (!files.summary.empty()) {
    check_differs(files.summary, inputs);
    summary_file_ = std::make_unique<TranslationOutput>(files.summary, files.overwrite, inputs);
  }
}

void AttentionOutput::check(const models::AnyModel& model) {
  if (!is_wanted()) return;
  sizes_ = translation::attention_sizes(model);
  if (sizes_.source_layers == 0) {
    if (!alignment_.is_wanted()) return;
    throw InputError("alignments: expected a model with attention over a source, found a language model");
  }
  alignment_.check(static_cast<std::size_t>(sizes_.source_layers), static_cast<std::size_t>(sizes_.heads));
}

void AttentionOutput::add(const models::AnyModel& model, const checkpoints::Tokenizers& tokenizers,
                          std::span<const translation::ForcedPair> pairs, translation::TextOrigin target) {
  for (std::size_t begin = 0; begin < pairs.size() && is_wanted(); begin += kPairsAtOnce) {
    const auto some = pairs.subspan(begin, std::min(kPairsAtOnce, pairs.size() - begin));
    if (!needs_all() && !document_->has_room()) {
      left_out_ += some.size();
      continue;
    }
    warn_of_memory(translation::count_attention_weights(sizes_, some));
    const auto maps = translation::attention_maps(model, tokenizers, some, target);
    alignment_.add(maps);
    for (const auto& map : maps) {
      if (summary_file_) statistics_.add(map);
      if (!document_) continue;
      if (document_->has_room())
        document_file_->write(document_->sentence(map));
      else
        ++left_out_;
    }
  }
}

void AttentionOutput::warn_of_memory(std::int64_t weights) {
  constexpr double kMuch = 1e9;  // bytes
  constexpr double kBytes = 28;  // of each, measured: as it is computed, as part of a map, and as text
  const auto bytes = kBytes * static_cast<double>(weights);
  if (bytes < kMuch || bytes < most_memory_) return;
  most_memory_ = 2 * bytes;
  spdlog::warn(
      "attention: the sentences that are looked at together have {:.0f} million weights, which take about "
      "{:.1f} "
      "GB of memory; it grows with the square of their length",
      static_cast<double>(weights) / 1e6, bytes / 1e9);
}

void AttentionOutput::finish() {
  alignment_.finish();
  if (document_) {
    document_file_->write(document_->end(left_out_));
    document_file_->finish();
  }
  if (summary_file_) {
    const auto heads = statistics_.summaries();
    summary_file_->write(markdown_ ? maps::heads_as_markdown(heads) : maps::heads_as_tsv(heads));
    summary_file_->finish();
  }
  if (left_out_ > 0)
    spdlog::warn("--attention: {} sentences are left out: a page has {} (a file that ends in .json has all)",
                 left_out_, maps::AttentionDocument::kMostOnPage);
}

}  // namespace transformer::apps
