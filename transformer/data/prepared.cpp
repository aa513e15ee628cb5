#include "transformer/data/prepared.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/data/summary.h"

namespace transformer::data {
namespace {

namespace fs = std::filesystem;

PreparedPaths existing(const fs::path& folder) {
  if (folder.empty())
    throw InputError("data.prepared: expected the folder of the prepared data, found nothing");
  PreparedPaths paths = {folder};
  if (!fs::exists(paths.summary())) {
    throw InputError(
        fmt::format("{}: no prepared data here: run transformer-prepare first", folder.string()));
  }
  return paths;
}

PreparedPaths matching(const DataOptions& options) {
  auto paths = existing(options.prepared);
  const auto recorded = read_summary(paths.summary()).at("options");
  if (const auto difference = first_difference(recorded, content_options(options))) {
    throw InputError(fmt::format("{}: {} when it was prepared: run transformer-prepare --overwrite",
                                 options.prepared, *difference));
  }
  return paths;
}

std::optional<Dataset> open_if_there(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  return Dataset(file);
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

Prepared::Prepared(const fs::path& folder) : Prepared(existing(folder)) {}

Prepared::Prepared(const DataOptions& options) : Prepared(matching(options)) {}

Prepared::Prepared(PreparedPaths there)
    : paths(std::move(there)),
      shared_vocabulary(fs::exists(paths.source_tokenizer(true))),
      source_tokenizer(paths.source_tokenizer(shared_vocabulary)),
      target_tokenizer(paths.target_tokenizer(shared_vocabulary)),
      train(paths.train()),
      dev(paths.dev()),
      test(open_if_there(paths.test())) {
  check_vocabulary(source_tokenizer, paths, train.source_vocabulary());
  check_vocabulary(target_tokenizer, paths, train.target_vocabulary());
}

}  // namespace transformer::data
