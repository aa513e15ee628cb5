// Experiments as YAML files.
//
// Every key has a default, so that a file names only what it changes. `extends` names a file whose keys hold
// where this one is silent. A file that is nearer to the experiment wins over those that it extends, and
// --set wins over all files. `model.layers` stands for both stacks; within one file a stack's own key wins
// over it. Paths are relative to the file in which they stand (behind --set: to the current folder) and
// become absolute.
//
// Errors are InputErrors of one line: "file:line: key 'model.headz': unknown; did you mean 'model.heads'?"
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "transformer/config/experiment.h"

namespace transformer::config {

/// `overrides`: "key.path=value", applied in their order.
Experiment load_experiment(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// The same with overrides of several ranks: all of a later one win over all of those before it, as a file
/// over one that it extends. `note` gets what load_given_experiment() would log, or nothing.
Experiment load_ranked_experiment(const std::filesystem::path& file,
                                  const std::vector<std::vector<std::string>>& overrides,
                                  std::string* note = nullptr);

/// Loads the argument of --config: such a file, or a pipe that this process was given open, as by a shell's
/// <(…), which can be read once (read_given_pipe, streams.h). Paths in a pipe's text are relative to the
/// current folder.
///
/// Warns if heads · d_k or heads · d_v is not d_model because a nearer file or --set changed only d_model or
/// heads. The last place that set d_k or d_v has chosen their ratio to d_model; there is no warning while
/// that ratio holds.
Experiment load_given_experiment(const std::string& name, const std::vector<std::string>& overrides = {});

/// A configuration that a program wrote, complete by itself, such as a model directory's. `extends` in it is
/// an error, since a model from elsewhere must not make us read other files. A file of an earlier version
/// lacks train.bucket_tokens, which then gets the value of its train.micro_tokens.
Experiment load_resolved_experiment(const std::filesystem::path& file,
                                    const std::vector<std::string>& overrides = {});

/// The keys that such a file has, by their full names.
std::vector<std::string> keys_of(const std::filesystem::path& file);

/// What a configuration or a list of experiments may hold, in bytes.
inline constexpr std::uintmax_t kLongestConfiguration = std::uintmax_t{1} << 20U;

/// The same from text. `name` stands for the file in messages and gives the folder of relative paths.
Experiment parse_experiment(const std::string& text, const std::filesystem::path& name,
                            const std::vector<std::string>& overrides = {});

/// A complete file, in the order of the table of keys, that reads back as an equal experiment. (Of
/// train.steps and train.epochs it has the one that says how long the training is.)
std::string to_yaml(const Experiment& experiment);

struct Difference {
  std::string key;
  std::string left;  ///< values as YAML
  std::string right;

  bool operator==(const Difference&) const = default;
};

/// The keys in which two experiments differ, in the order of the table.
std::vector<Difference> differences(const Experiment& left, const Experiment& right);

/// Those of them on which a training's weights depend (decides_weights, keys.h), where `now` is to go on with
/// what `before` began: a train.bucket_tokens or train.micro_tokens of auto is then the number that it has.
std::vector<Difference> differences_in_weights(const Experiment& before, const Experiment& now);

}  // namespace transformer::config
