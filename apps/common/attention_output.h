// Attention maps as a program's output: a page or JSON, and a summary of each head.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/common/alignment_output.h"
#include "apps/common/translation_output.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/maps/attention_document.h"
#include "transformer/maps/head_summary.h"
#include "transformer/translation/attention_maps.h"

namespace transformer::apps {

struct AttentionFiles {
  std::string document;  ///< ends in .html or .json; empty: none
  std::string summary;   ///< ends in .md or .tsv, or is "-", standard output; empty: none
  AlignmentFiles alignment = {};
  bool overwrite = false;  ///< they may take the place of other files
};

/// --attention, for `files.document`.
void add_attention_option(CLI::App& app, AttentionFiles& files);
/// And --attention-summary, --overwrite, alignments and their tables.
void add_attention_options(CLI::App& app, AttentionFiles& files);

/// Files that appear when they are complete.
class AttentionOutput {
 public:
  /// Fails before there is any work to lose, as TranslationOutput does. model: as the user named it, which is
  /// an input, too.
  AttentionOutput(const AttentionFiles& files, const std::string& model,
                  std::vector<std::filesystem::path> inputs);

  /// Whether anything is asked for.
  bool is_wanted() const { return document_file_ || needs_all(); }

  /// Whether something goes to standard output.
  bool is_printed() const { return prints_summary_ || alignment_.is_printed(); }

  /// Comes before add(). Throws InputError where something is wanted of a model that has no weights to show.
  void check(const models::AnyModel& model);

  /// Throws InputError where gold alignments are not as many as the lines of `file`, whose pairs will come.
  void check_pairs(std::size_t lines, const std::string& file) const { alignment_.check_pairs(lines, file); }

  /// The maps of these pairs, or nothing where nothing is wanted.
  void add(const models::AnyModel& model, const checkpoints::Tokenizers& tokenizers,
           std::span<const translation::ForcedPair> pairs, translation::TextOrigin target);

  /// Makes the files appear.
  void finish();

 private:
  // Else a page takes no more sentences than it shows.
  bool needs_all() const { return summary_file_ || alignment_.is_wanted(); }

  /// Once, and again for twice as many.
  void warn_of_memory(std::int64_t weights);

  translation::AttentionSizes sizes_;  ///< of the model that was checked
  AlignmentOutput alignment_;
  std::unique_ptr<TranslationOutput> document_file_, summary_file_;
  std::optional<maps::AttentionDocument> document_;
  maps::HeadStatistics statistics_;
  bool markdown_ = false, prints_summary_ = false;
  std::size_t left_out_ = 0;
  double most_memory_ = 0;  ///< that needs no further word
};

}  // namespace transformer::apps
