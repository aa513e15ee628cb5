#include "apps/common/alignment_output.h"

#include <fmt/format.h>

#include <utility>

#include "apps/common/not_empty.h"
#include "apps/common/text_input.h"
#include "transformer/base/error.h"

namespace transformer::apps {

namespace {

std::string wrong_with_heads(const std::string& text) {
  try {
    maps::parse_heads(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

void add_alignment_options(CLI::App& app, AlignmentFiles& files) {
  auto* links =
      app.add_option("--alignment", files.links,
                     "Also write which source word each target word comes from, by the weights of "
                     "--alignment-heads: a line a sentence of links such as 0-0 1-2 (source word - target "
                     "word, from 0; docs/guides/looking-inside.md)")
          ->type_name("FILE")
          ->check(kNotEmpty);
  auto* heads =
      app.add_option("--alignment-heads", files.heads,
                     "For --alignment: heads of cross-attention, counted from 1: LAYER:HEAD, LAYER for the "
                     "mean of its heads, or all")
          ->check(wrong_with_heads)
          ->needs(links);
  links->needs(heads);
  app.add_flag("--alignment-shift", files.shift,
               "For --alignment: the weights of the step that reads a word, not of the one that writes it")
      ->needs(links);
  app.add_flag("--alignment-mask-end", files.mask_end,
               "For alignments: every target word gets a link; else none where the end of the source has the "
               "largest weight");
}

void add_alignment_table_options(CLI::App& app, AlignmentFiles& files) {
  const auto add = [&](const char* option, std::string& file, const char* help) {
    return app.add_option(option, file, help)->type_name("FILE")->check(kNotEmpty);
  };
  add("--alignment-reference", files.gold,
      "In the place of the scores, print the alignment error rate of every head of cross-attention against "
      "these gold "
      "links (0-0 sure, 0?1 possible), and the best")
      ->excludes(app.get_option("--alignment"));
  add("--source-antecedents", files.source_antecedents,
      "In the place of the scores, print how often each head of the encoder looks at the word that a pronoun "
      "refers to: pairs of source words, pronoun - other word, from 0")
      ->excludes(app.get_option("--alignment"));
  add("--target-antecedents", files.target_antecedents,
      "The same of the decoder's masked attention and words of the target")
      ->excludes(app.get_option("--alignment"));
}

AlignmentOutput::AlignmentOutput(const AlignmentFiles& files, bool overwrite,
                                 const std::vector<std::filesystem::path>& inputs)
    : files_(files) {
  if (files.mask_end && files.links.empty() && files.gold.empty())
    throw InputError("--alignment-mask-end: expected an alignment to be asked for, found none");
  if (!files.links.empty()) {
    heads_ = maps::parse_heads(files.heads);
    file_ = std::make_unique<TranslationOutput>(files.links, overwrite, inputs);
  }
  const auto read = [&](const char* option, const std::string& file) {
    if (file == "-") throw InputError(fmt::format("{} -: expected a file, found standard input", option));
    auto lines = read_text(file);
    gold_lines_.emplace_back(file, lines.size());
    return lines;
  };
  if (!files.gold.empty())
    table_.emplace(parse_gold_links(read("--alignment-reference", files.gold), files.gold), files.gold,
                   files.mask_end);
  const auto add = [&](maps::AttentionKind kind, const char* option, const std::string& file) {
    if (!file.empty()) antecedents_.emplace_back(kind, parse_links(read(option, file), file), file);
  };
  add(maps::AttentionKind::encoder, "--source-antecedents", files.source_antecedents);
  add(maps::AttentionKind::masked, "--target-antecedents", files.target_antecedents);
}

std::vector<std::string> AlignmentOutput::files() const {
  std::vector<std::string> all;
  for (const auto& file : {files_.links, files_.gold, files_.source_antecedents, files_.target_antecedents})
    if (!file.empty() && file != "-") all.push_back(file);
  return all;
}

void AlignmentOutput::check_pairs(std::size_t lines, const std::string& file) const {
  for (const auto& [gold, gold_lines] : gold_lines_) check_line_count(gold_lines, gold, lines, file);
}

void AlignmentOutput::add(std::span<const maps::AttentionMap> maps) {
  const auto step = files_.shift ? maps::Step::reads : maps::Step::writes;
  for (const auto& map : maps) {
    if (file_) {
      const auto cross = maps::word_weights(map, maps::AttentionKind::cross, heads_, step);
      file_->write(format_links(links_of(maps::aligned_words(cross, files_.mask_end))) + "\n");
    }
    if (table_) table_->add(map);
    for (auto& table : antecedents_) table.add(map);
  }
}

void AlignmentOutput::finish() {
  if (file_) file_->finish();
  if (table_) fmt::print("{}", table_->text());
  for (const auto& table : antecedents_) fmt::print("{}", table.text());
}

}  // namespace transformer::apps
