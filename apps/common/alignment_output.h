// Alignments of words by cross-attention as a program's output, and how well heads do against gold ones.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/common/alignment_tables.h"
#include "apps/common/translation_output.h"
#include "transformer/maps/word_attention.h"

namespace transformer::apps {

struct AlignmentFiles {
  std::string links;  ///< to write, or "-"; empty: none
  std::string heads;
  bool mask_end = false, shift = false;
  std::string gold, source_antecedents, target_antecedents;  ///< to read, for tables; empty: none
};

/// --alignment, --alignment-heads and what else decides which words are linked.
void add_alignment_options(CLI::App& app, AlignmentFiles& files);
/// And those for tables on standard output.
void add_alignment_table_options(CLI::App& app, AlignmentFiles& files);

class AlignmentOutput {
 public:
  /// Reads the gold, and fails before there is any work to lose, as TranslationOutput does. Throws InputError
  /// for options that do not go together.
  AlignmentOutput(const AlignmentFiles& files, bool overwrite,
                  const std::vector<std::filesystem::path>& inputs);

  /// Whether anything is asked for.
  bool is_wanted() const { return file_ || has_tables(); }
  /// Whether it goes to standard output.
  bool is_printed() const { return files_.links == "-" || has_tables(); }

  /// All that it reads and writes.
  std::vector<std::string> files() const;

  /// Throws InputError where a model has no such heads.
  void check(std::size_t layers, std::size_t heads) const { maps::check_heads(heads_, layers, heads); }

  /// Throws InputError unless all gold has as many lines as `file`, whose pairs they are.
  void check_pairs(std::size_t lines, const std::string& file) const;

  void add(std::span<const maps::AttentionMap> maps);

  /// Makes the file appear, or prints the tables.
  void finish();

 private:
  bool has_tables() const { return table_ || !antecedents_.empty(); }

  AlignmentFiles files_;
  maps::HeadChoice heads_;
  std::unique_ptr<TranslationOutput> file_;
  std::optional<AlignmentTable> table_;
  std::vector<AntecedentTable> antecedents_;
  std::vector<std::pair<std::string, std::size_t>> gold_lines_;  // of each file
};

}  // namespace transformer::apps
