#include "transformer/data/prepared.h"

#include <fmt/format.h>

#include <utility>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/data/summary.h"

namespace transformer::data {
namespace {

namespace fs = std::filesystem;

void check_two_sides(const Dataset& data, const fs::path& file) {
  if (!data.has_source())
    throw InputError(fmt::format("{}: expected sentence pairs, found one side alone", file.string()));
}

void check_vocabulary(const Tokenizer& tokenizer, const PreparedPaths& paths, std::int64_t vocabulary) {
  if (tokenizer.size() != vocabulary) {
    throw InputError(fmt::format("{}: expected the {} pieces of {}, found {}", tokenizer.path().string(),
                                 vocabulary, paths.train().string(), tokenizer.size()));
  }
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
  verify_some_checksums(folder, small_files(summary));
  shared_vocabulary = has_shared_vocabulary(summary);
  has_test = has_split(summary, "test");
}

PreparedFolder::PreparedFolder(const DataOptions& options) : PreparedFolder(fs::path(options.prepared)) {
  const auto recorded = read_summary(paths.summary()).at("options");
  if (const auto difference = first_difference(recorded, content_options(options))) {
    throw InputError(fmt::format("{}: {} when it was prepared: run transformer-prepare --overwrite",
                                 options.prepared, *difference));
  }
}

Prepared::Prepared(PreparedFolder folder)
    : paths(std::move(folder.paths)),
      shared_vocabulary(folder.shared_vocabulary),
      source_tokenizer(paths.source_tokenizer(shared_vocabulary)),
      target_tokenizer(shared_vocabulary ? source_tokenizer
                                         : Tokenizer(paths.target_tokenizer(shared_vocabulary))),
      train(paths.train()),
      dev(paths.dev()),
      test(folder.has_test ? std::optional<Dataset>(paths.test()) : std::nullopt) {
  check_two_sides(train, paths.train());
  check_two_sides(dev, paths.dev());
  if (test) check_two_sides(*test, paths.test());
  check_vocabulary(source_tokenizer, paths, train.source_vocabulary());
  check_vocabulary(target_tokenizer, paths, train.target_vocabulary());
}

}  // namespace transformer::data
