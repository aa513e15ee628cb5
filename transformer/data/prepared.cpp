#include "transformer/data/prepared.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/data/answers.h"
#include "transformer/data/corpus.h"
#include "transformer/data/summary.h"

namespace transformer::data {
namespace {

namespace fs = std::filesystem;

/// Penn's treebank has 26 labels of constituents, which count twice, and 45 tags. Valid until they are
/// counted.
constexpr std::int64_t kTreeTokens = kEos + 1 + 2 * 26 + 45;

void check_sides(const Dataset& data, bool pairs, const fs::path& file) {
  if (data.has_source() == pairs) return;
  throw InputError(pairs ? fmt::format("{}: expected sentence pairs, found one side alone", file.string())
                         : fmt::format("{}: expected documents, found sentence pairs", file.string()));
}

void check_vocabulary(const Tokenizer& tokenizer, const PreparedPaths& paths, std::int64_t vocabulary) {
  if (tokenizer.size() != vocabulary) {
    throw InputError(fmt::format("{}: expected the {} pieces of {}, found {}", tokenizer.path().string(),
                                 vocabulary, paths.train().string(), tokenizer.size()));
  }
}

/// The checksum of a file. It is remembered, since the file may be large and several parts of a program ask
/// for it.
std::string remembered_checksum(const fs::path& file) {
  static std::mutex mutex;
  static std::map<fs::path, std::pair<fs::file_time_type, std::string>> known;
  const std::lock_guard lock(mutex);
  const auto written = fs::last_write_time(file);
  auto& [then, checksum] = known[file];
  if (checksum.empty() || then != written) checksum = sha256_file(file);
  then = written;
  return checksum;
}

/// A text that is gone, or may not be read, says nothing.
bool can_be_read(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && std::ifstream(file).good();
}

/// inputs: checksums by name, of when the folder was made.
void check_inputs(const nlohmann::json& inputs, const DataOptions& options) {
  for (const auto& [name, key, path] : input_files(options)) {
    if (!inputs.contains(name) || !can_be_read(path) || remembered_checksum(path) == inputs[name]) continue;
    throw InputError(
        fmt::format("{}: expected the data of {} (data.{}), found those of another file: run "
                    "transformer-prepare --overwrite, or name another folder as data.prepared",
                    options.prepared, path.string(), key));
  }
}

/// The files that a training reads, and all others that have checksums, such as a vocabulary beside a
/// tokenizer. The data sets are left out, because they are large.
std::vector<std::string> verified_files(const fs::path& folder, const nlohmann::json& summary) {
  const auto needed = small_files(summary);
  std::set<std::string> names(needed.begin(), needed.end());
  for (const auto& [name, checksum] : read_checksums(folder))
    if (!name.ends_with(".bin")) names.insert(name);
  return {names.begin(), names.end()};
}

}  // namespace

fs::path PreparedPaths::source_tokenizer(bool shared) const {
  return folder / (shared ? "tokenizer.model" : "tokenizer.source.model");
}

fs::path PreparedPaths::target_tokenizer(bool shared) const {
  return folder / (shared ? "tokenizer.model" : "tokenizer.target.model");
}

PreparedFolder::PreparedFolder(const fs::path& folder) : paths{folder} {
  if (folder.empty())
    throw InputError("data.prepared: expected the folder of the prepared data, found nothing");
  if (!fs::exists(paths.summary())) {
    throw InputError(
        fmt::format("{}: no prepared data here: run transformer-prepare first", folder.string()));
  }
  if (!fs::exists(folder / checksums_name)) {
    throw InputError(fmt::format(
        "{}: expected {} beside summary.json, found none: move the folder away and run transformer-prepare",
        folder.string(), checksums_name));
  }
  verify_some_checksums(folder, {paths.summary().filename()});
  const auto summary = read_summary(paths.summary());
  verify_some_checksums(folder, verified_files(folder, summary));
  shared_vocabulary = has_shared_vocabulary(summary);
  has_pairs = data::has_pairs(summary);
  has_test = has_split(summary, "test");
  train_texts = report_from_json(summary.at("report")).splits.at("train").kept;
}

PreparedFolder::PreparedFolder(const DataOptions& options) : PreparedFolder(fs::path(options.prepared)) {
  const auto summary = read_summary(paths.summary());
  if (const auto difference = first_difference(summary.at("options"), content_options(options))) {
    throw InputError(fmt::format("{}: {} when it was prepared: run transformer-prepare --overwrite",
                                 options.prepared, *difference));
  }
  check_inputs(summary.at("inputs"), options);
}

std::pair<std::int64_t, std::int64_t> vocabulary_sizes(const DataOptions& options) {
  if (const PreparedPaths paths{options.prepared}; !paths.folder.empty() && fs::exists(paths.summary())) {
    const auto summary = read_summary(paths.summary());
    if (!first_difference(summary.at("options"), content_options(options))) {
      const auto report = report_from_json(summary.at("report"));
      return {report.source_vocabulary, report.target_vocabulary};
    }
  }
  const bool given = !options.tokenizer.empty() && fs::exists(options.tokenizer);
  const auto size = given ? Tokenizer(options.tokenizer).size() : options.vocabulary;
  if (options.examples == ExampleKind::labelled)
    return {size, kEos + 1 + 2};  // two labels, until they are counted
  if (options.examples == ExampleKind::answers) return {size, kEos + 1 + most_words(options)};
  if (options.examples == ExampleKind::trees) return {size, kTreeTokens};
  return {size, size};
}

Prepared::Prepared(PreparedFolder folder)
    : paths(std::move(folder.paths)),
      train_texts(std::move(folder.train_texts)),
      shared_vocabulary(folder.shared_vocabulary),
      source_tokenizer(paths.source_tokenizer(shared_vocabulary)),
      target_tokenizer(shared_vocabulary ? source_tokenizer
                                         : Tokenizer(paths.target_tokenizer(shared_vocabulary))),
      train(paths.train()),
      dev(paths.dev()),
      test(folder.has_test ? std::optional<Dataset>(paths.test()) : std::nullopt) {
  check_sides(train, folder.has_pairs, paths.train());
  check_sides(dev, folder.has_pairs, paths.dev());
  if (test) check_sides(*test, folder.has_pairs, paths.test());
  if (folder.has_pairs) check_vocabulary(source_tokenizer, paths, train.source_vocabulary());
  check_vocabulary(target_tokenizer, paths, train.target_vocabulary());
}

}  // namespace transformer::data
