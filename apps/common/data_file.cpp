#include "apps/common/data_file.h"

#include <fmt/format.h>

#include <utility>

#include "apps/common/data_direction.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/temporary.h"
#include "transformer/data/prepared.h"
#include "transformer/tasks/text_task.h"

namespace transformer::apps {
namespace {

namespace fs = std::filesystem;

/// A data set's place.
fs::path find(const std::string& data, const config::Experiment& experiment) {
  const bool split = data == "train" || data == "dev" || data == "test";
  if (split && experiment.data.prepared.empty())
    throw InputError(
        fmt::format("--data {}: the model's configuration has no data.prepared; name a file or give --set "
                    "data.prepared=FOLDER",
                    data));
  return split ? fs::path(experiment.data.prepared) / (data + ".bin") : fs::path(data);
}

/// Vocabularies of equal sizes may differ. A data set lies beside the tokenizers that it was made with.
void check_tokenizers(const fs::path& data, const checkpoints::Tokenizers& tokenizers) {
  const data::PreparedPaths there{parent_folder(data)};
  const bool shared = fs::exists(there.source_tokenizer(true));
  if (!fs::exists(there.source_tokenizer(shared))) return;  // a data set that was moved
  const auto check = [](const fs::path& found, const data::Tokenizer& expected) {
    const data::Tokenizer tokenizer(found);
    if (sha256_file(found) != sha256_file(expected.path()) || tokenizer.begin() != expected.begin() ||
        tokenizer.all_pieces() != expected.all_pieces())
      throw InputError(fmt::format("{}: expected the vocabulary of {}, found another", found.string(),
                                   expected.path().string()));
  };
  check(there.source_tokenizer(shared), *tokenizers.source);
  check(there.target_tokenizer(shared), *tokenizers.target);
}

}  // namespace

DataFile open_data(const std::string& name, const config::Experiment& experiment,
                   const checkpoints::LoadedModel& model, const std::string& model_name) {
  const auto file = find(name, experiment);
  data::Dataset data(file);
  const auto sizes = model.model->vocabulary();
  const auto source = data.has_source() ? data.source_vocabulary() : sizes.source;
  if (source != sizes.source || data.target_vocabulary() != sizes.target)
    throw InputError(fmt::format("{}: made with vocabularies of {} and {} pieces, the model has {} and {}",
                                 file.string(), source, data.target_vocabulary(), sizes.source,
                                 sizes.target));
  const auto block = data.has_source() ? 0 : model.experiment.data.block;
  tasks::check_text(data, 0, file);
  tasks::check_lengths(data, block, model.model->options(), file);
  check_tokenizers(file, model.tokenizers);
  if (data.has_source()) check_direction(file, model.experiment.data, model_name);
  return {std::move(data), block};
}

}  // namespace transformer::apps
