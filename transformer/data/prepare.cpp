#include "transformer/data/prepare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/base/own_files.h"
#include "transformer/base/temporary.h"
#include "transformer/data/answers.h"
#include "transformer/data/piece_limit.h"
#include "transformer/data/prepared.h"
#include "transformer/data/split.h"
#include "transformer/data/summary.h"
#include "transformer/data/tokenizer.h"
#include "transformer/data/tokenizer_training.h"
#include "transformer/data/vocabularies.h"

namespace transformer::data {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void check_options(const DataOptions& options) {
  const auto expect = [](bool holds, const char* key, const char* expected, const auto& found) {
    if (!holds) throw InputError(fmt::format("data.{}: expected {}, found {}", key, expected, found));
  };
  expect(!options.train.empty(), "train", "a path without ending", "nothing");
  expect(!options.dev.empty(), "dev", "a path without ending", "nothing");
  expect(!options.prepared.empty(), "prepared", "a folder to write", "nothing");
  if (has_two_sides(options.examples) && !is_one_file(options.examples))
    expect(options.source != options.target, "target", "another language than data.source", options.target);
  expect(options.vocabulary >= kFewestPieces, "vocabulary", fmt::format("at least {}", kFewestPieces).c_str(),
         options.vocabulary);
  expect(options.pairs >= 0, "pairs", "at least 0", options.pairs);
  expect(options.max_tokens >= 1, "max_tokens", "at least 1", options.max_tokens);
  expect(is_ratio(options.max_ratio), "max_ratio", "0 or at least 1", options.max_ratio);
  expect(options.tokenizer.empty() || options.shared_vocabulary, "tokenizer",
         "data.shared_vocabulary: true beside an existing tokenizer", "false");
}

/// Which texts are tables only their files say.
void check_columns(const DataOptions& options) {
  if (options.columns == Columns{}) return;
  for (const auto& [name, texts] : splits_of(options))
    for (const auto& text : texts)
      if (is_table(text, options)) return;
  throw InputError(fmt::format(
      "data.columns: expected nothing where no text is a table (X.tsv, or another file with a tab in its "
      "first line), found '{},{}'",
      options.columns.source, options.columns.target));
}

/// The checksum of each file that the result depends on.
json inputs_of(const DataOptions& options) {
  json inputs = json::object();
  for (const auto& file : input_files(options)) inputs[file.name] = sha256_file(file.path);
  return inputs;
}

/// All that is read, and must not lie where it would be replaced.
std::vector<fs::path> all_that_is_read(const DataOptions& options, std::vector<fs::path> files) {
  for (const auto& file : input_files(options)) files.push_back(file.path);
  return files;
}

/// The first way in which what is there differs from what would be made, or nothing.
std::optional<std::string> difference_to(const json& summary, const json& options, const json& inputs) {
  if (auto difference = first_difference(summary.at("options"), options)) return difference;
  if (summary.at("inputs") == inputs) return std::nullopt;
  for (const auto& [name, checksum] : inputs.items()) {
    if (summary.at("inputs").value(name, "") != checksum.get<std::string>())
      return fmt::format("the file for {} changed", name);
  }
  const bool lost_vocabulary =
      summary.at("inputs").contains("tokenizer.vocabulary") && !inputs.contains("tokenizer.vocabulary");
  return lost_vocabulary ? "there is no vocabulary beside the tokenizer any more"
                         : "there is no test set any more";
}

/// The folder's summary, when all that it speaks of is there and whole.
json read_whole(const PreparedPaths& paths) {
  verify_some_checksums(paths.folder, {paths.summary().filename()});
  auto summary = read_summary(paths.summary());
  auto names = small_files(summary);
  for (const auto& split : summary.at("report").at("splits").items()) names.push_back(split.key() + ".bin");
  verify_checksums(paths.folder, names);
  return summary;
}

/// What a person can do about a folder that is in the way.
std::string way_out(const fs::path& folder) {
  try {
    check_wholly_ours(folder);
    return "--overwrite replaces it";
  } catch (const InputError&) {
    return "move the folder away (--overwrite replaces none that was changed)";
  }
}

/// The report of a folder that need not be made again; nothing when it is to be made. Throws InputError when
/// something else lies there.
std::optional<PrepareReport> look_at_existing(const DataOptions& options, const json& inputs,
                                              bool overwrite) {
  const PreparedPaths paths = {options.prepared};
  if (!lies_at(paths.folder) || (fs::is_directory(paths.folder) && fs::is_empty(paths.folder)))
    return std::nullopt;
  if (!fs::exists(paths.summary())) {
    throw InputError(
        fmt::format("{}: expected no folder or a prepared one, found something else, which is not replaced",
                    options.prepared));
  }
  try {
    const auto summary = read_whole(paths);
    const auto difference = difference_to(summary, content_options(options), inputs);
    if (!difference) {
      auto report = report_from_json(summary.at("report"));
      report.up_to_date = true;
      return report;
    }
    throw InputError(fmt::format("{}: prepared from other inputs ({})", options.prepared, *difference));
  } catch (const InputError& error) {
    if (!overwrite) throw InputError(fmt::format("{}: {}", error.what(), way_out(paths.folder)));
  }
  check_wholly_ours(paths.folder);
  return std::nullopt;
}

/// Calls add(line) for each line of a text.
template <typename Add>
void for_each_line(std::string_view text, const Add& add) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    add(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// Refuses a vocabulary that the training text cannot give, as far as that is known without training one.
class VocabularyCheck {
 public:
  explicit VocabularyCheck(const DataOptions& options)
      : options_(options), source_(options.vocabulary - pieces_of_no_text(options)), target_(source_) {}

  /// side: 0, or 1 of a pair's target.
  void add(std::string_view line, std::size_t side) {
    (side == 0 || options_.shared_vocabulary ? source_ : target_).add(line);
  }

  void finish() const {
    if (!options_.tokenizer.empty() || options_.tokenizer_kind != TokenizerKind::bpe) return;
    expect(source_);
    if (!options_.shared_vocabulary) expect(target_);
  }

 private:
  void expect(const PieceLimit& limit) const {
    if (limit.reached() || limit.words() == 0) return;  // without words there is another thing to say
    throw InputError(
        fmt::format("data.vocabulary: expected at most {} pieces, and rather far fewer, since the training "
                    "text has no more than {} different words, found {}",
                    limit.pieces() + pieces_of_no_text(options_), limit.words(), options_.vocabulary));
  }

  const DataOptions& options_;
  PieceLimit source_, target_;
};

void check_answer(const std::vector<std::string>& texts, const ExampleReader& reader,
                  const std::string& prefix, const DataOptions& options) {
  try {
    find_answer(texts.front(), texts.back());
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}:{}: {}", side_path(prefix, options.target, options).string(),
                                 reader.lines_read(), error.what()));
  }
}

/// Adds a text's size to that of its split. vocabulary: null unless it is a training text.
void measure_text(const std::string& prefix, const DataOptions& options, SplitSize& size,
                  VocabularyCheck* vocabulary) {
  ExampleReader reader(prefix, options, vocabulary ? options.pairs : 0, vocabulary && !options.links.empty());
  const auto before = size.examples;
  for (std::vector<std::string> texts; reader.next(texts); ++size.examples) {
    size.sides.resize(texts.size());
    if (options.examples == ExampleKind::answers) check_answer(texts, reader, prefix, options);
    for (std::size_t side = 0; side < texts.size(); ++side)
      for_each_line(texts[side], [&](std::string_view line) {
        size.sides[side].add(line);
        if (vocabulary) vocabulary->add(line, side);
      });
  }
  size.lines.push_back(reader.lines_read());
  if (size.examples == before)
    throw InputError(fmt::format("{}: expected {}, found an empty file",
                                 side_path(prefix, options.source, options).string(),
                                 options.examples == ExampleKind::documents ? "documents" : "sentences"));
}

/// Reads all texts, so that bad ones are refused before anything is made.
Sizes measure_texts(const DataOptions& options) {
  Sizes sizes;
  VocabularyCheck vocabulary(options);
  for (const auto& [name, texts] : splits_of(options)) {
    const bool training = name == "train";
    for (const auto& text : texts) measure_text(text, options, sizes[name], training ? &vocabulary : nullptr);
    if (training) vocabulary.finish();
  }
  return sizes;
}

/// Makes one prepared folder's content, step by step.
class Maker {
 public:
  Maker(const DataOptions& options, const PrepareSettings& settings, PreparedPaths paths)
      : options_(options), settings_(settings), paths_(std::move(paths)) {}

  PrepareReport make(const Sizes& sizes) {
    report_.untrained_lines = make_vocabularies(options_, settings_, sizes, paths_);
    const bool shared = has_one_vocabulary(options_);
    const Tokenizer source(paths_.source_tokenizer(shared));
    const Tokenizer target(paths_.target_tokenizer(shared));
    report_.source_vocabulary = source.size();
    report_.target_vocabulary = target.size();
    for (const auto& split : splits_of(options_)) {
      const auto count = sizes.at(split.name).examples;
      stage(fmt::format("Encoding {}: {} {}", split.name, count, name_of(options_.examples)));
      report_.splits[split.name] = make_split({split, count}, options_, settings_, paths_, source, target);
    }
    return report_;
  }

 private:
  void stage(std::string_view text) const {
    if (settings_.stage) settings_.stage(text);
  }

  const DataOptions& options_;
  const PrepareSettings& settings_;
  PreparedPaths paths_;
  PrepareReport report_;
};

}  // namespace

std::int64_t longest_kept(const DataOptions& options) {
  return std::max(longest_text(options), kLongestSource);
}

PrepareReport prepare(const DataOptions& options, const PrepareSettings& settings) {
  check_options(options);
  check_output_place(options.prepared, all_that_is_read(options, settings.inputs));
  const auto inputs = inputs_of(options);
  check_columns(options);
  if (auto report = look_at_existing(options, inputs, settings.overwrite)) return *report;

  check_whole_folder(options.prepared, {});
  const fs::path folder = options.prepared;
  if (settings.stage) settings.stage("Reading the texts");
  const auto sizes = measure_texts(options);  // first, so that bad ones leave no parents of the folder behind
  AtomicDirectory output(folder);
  remove_abandoned_temporaries(parent_folder(followed(folder)));
  const PreparedPaths paths = {output.temporary()};
  auto report = Maker(options, settings, paths).make(sizes);
  const json summary = {{"version", kSummaryVersion},
                        {"options", content_options(options)},
                        {"inputs", inputs},
                        {"report", report_to_json(report)}};
  write_file_atomically(paths.summary(), summary.dump(2) + "\n");
  write_checksums(output.temporary());
  if (!settings.overwrite) {  // another preparing may have been faster
    if (auto made = look_at_existing(options, inputs, false)) return *made;
    ::rmdir(followed(folder).c_str());  // an empty folder is free
  }
  output.commit(settings.overwrite ? AtomicDirectory::Existing::replace : AtomicDirectory::Existing::refuse);
  return report;
}

}  // namespace transformer::data
