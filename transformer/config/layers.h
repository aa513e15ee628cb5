// The assignments of an experiment's files and of --set, each over those before it. For yaml.cpp alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transformer/config/flatten.h"
#include "transformer/config/keys.h"

namespace transformer::config {

/// Whether a file may name another one that it extends.
enum class Extends { follow, refuse };

/// Assignments of all files and overrides, the strongest last. All functions throw InputError "place: key
/// 'name': …".
class Layers {
 public:
  explicit Layers(Extends extends = Extends::follow) : extends_(extends) {}

  void add_text(const std::string& text, const std::filesystem::path& file) {
    add_text(text, file, file.parent_path());
  }

  /// folder: of relative paths.
  void add_text(const std::string& text, const std::filesystem::path& file,
                const std::filesystem::path& folder);

  void add_overrides(const std::vector<std::string>& overrides);

  Experiment apply() const;

  /// Throws InputError for a key of the last add_overrides() that says nothing. In a file it may stand for
  /// rows that extend it.
  void check_last_overrides(const Experiment& experiment) const;

  /// The warning of load_given_experiment() about what apply() gave; empty: there is none.
  std::string note_on_head_widths(const models::ModelOptions& model) const;

 private:
  struct Ranked {
    Assignment assignment;
    std::size_t rank;  ///< of its file or --set: a larger one wins
  };

  /// Keys that the kind of model does not read have their defaults. Throws InputError where one is set beside
  /// the kind or nearer to the experiment: a row of another kind may extend a base.
  void forget_other_kinds(Experiment& experiment) const;

  void add_parent(const std::filesystem::path& parent, const Assignment& extends);

  /// A training is as long as one of two keys says: a level that has both is refused.
  static void check_length(const std::vector<Assignment>& level);

  /// Assignments of equal rank: shorthands first, so that the keys for which they stand win.
  void add_level(std::vector<Assignment> level, const std::filesystem::path& folder);

  /// The assignment of one of these keys that wins; null where none stands anywhere.
  const Ranked* strongest(const std::vector<std::string>& keys) const;

  /// The experiment that the files and overrides up to that of an assignment make; null: the defaults.
  Experiment as_of(const Ranked* last) const;

  /// Where the strongest of these keys stands. Defaults have no problems, so one of them stands somewhere.
  std::string origin_of(const std::vector<std::string>& keys) const;

  Extends extends_;
  std::vector<Ranked> assignments_;
  std::size_t ranks_ = 0;
  std::vector<std::filesystem::path> chain_;
};

}  // namespace transformer::config
