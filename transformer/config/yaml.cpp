#include "transformer/config/yaml.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/streams.h"
#include "transformer/base/text_file.h"
#include "transformer/config/flatten.h"
#include "transformer/config/scalar.h"
#include "transformer/config/unused_keys.h"
#include "transformer/config/validate.h"

namespace transformer::config {
namespace {

namespace fs = std::filesystem;

enum class Extends { follow, refuse };

/// Assignments of all files and overrides, the strongest last.
class Layers {
 public:
  explicit Layers(Extends extends = Extends::follow) : extends_(extends) {}

  void add_text(const std::string& text, const fs::path& file) { add_text(text, file, file.parent_path()); }

  /// folder: of relative paths.
  void add_text(const std::string& text, const fs::path& file, const fs::path& folder) {
    auto assignments = flatten(text, file.string());
    const auto extends = std::ranges::find_if(
        assignments, [](const Assignment& a) { return a.key->kind == Key::Kind::directive; });
    chain_.push_back(file);
    if (extends != assignments.end()) {
      switch (extends_) {
        case Extends::follow:
          break;
        case Extends::refuse:
          reject(extends->origin, "extends",
                 fmt::format("expected a configuration that is complete by itself, found {}",
                             quote(extends->value.text)));
      }
      if (extends->value.text.empty())
        reject(extends->origin, "extends", fmt::format("expected {}, found ''", extends->key->expected));
      add_parent((folder / extends->value.text).lexically_normal(), *extends);
      assignments.erase(extends);
    }
    add_level(std::move(assignments), folder);
  }

  void add_overrides(const std::vector<std::string>& overrides) {
    std::vector<Assignment> assignments;
    for (const auto& text : overrides) {
      const auto origin = one_line(fmt::format("--set {}", text));
      if (!is_valid_utf8(text) || text.find('\0') != std::string::npos)
        throw InputError(fmt::format("{}: expected UTF-8 without NUL characters", origin));
      const auto equals = text.find('=');
      if (equals == std::string::npos)
        throw InputError(fmt::format("{}: expected key.path=value, found no '='", origin));
      const auto name = text.substr(0, equals);
      const Key* key = find_key(name);
      if (key == nullptr) reject(origin, name, describe_unknown(name));
      if (key->kind == Key::Kind::directive) reject(origin, name, "can stand in a file only");
      assignments.push_back({.key = key, .value = {.text = text.substr(equals + 1)}, .origin = origin});
    }
    add_level(std::move(assignments), {});
  }

  Experiment apply() const {
    Experiment experiment;
    for (const auto& [assignment, rank] : assignments_) {
      const auto& [key, value, origin] = assignment;
      if (!key->set(experiment, value)) {
        const auto found = value.quoted ? fmt::format("the text {}", quote(value.text)) : quote(value.text);
        reject(origin, key->name, fmt::format("expected {}, found {}", key->expected, found));
      }
    }
    if (const auto problem = find_problem(experiment)) {
      reject(origin_of(problem->keys), fmt::format("{}", problem->keys.front()), problem->message);
    }
    check_use(experiment);
    return experiment;
  }

  /// The warning of load_given_experiment() about what apply() gave; empty: there is none.
  std::string note_on_head_widths(const models::ModelOptions& model) const {
    const auto differs = [&](std::int64_t width) { return model.heads * width != model.d_model; };
    if (!differs(model.d_k) && !differs(model.d_v)) return {};
    const auto* sizes = strongest({"model.d_model", "model.heads"});
    const auto* widths = strongest({"model.d_k", "model.d_v"});
    if (sizes == nullptr || (widths != nullptr && widths->rank >= sizes->rank)) return {};
    const auto chosen = as_of(widths).model;  // by whoever set the widths, who may want this proportion
    if (chosen.heads * chosen.d_k * model.d_model == model.heads * model.d_k * chosen.d_model &&
        chosen.heads * chosen.d_v * model.d_model == model.heads * model.d_v * chosen.d_model)
      return {};
    const bool of_keys = differs(model.d_k);
    const auto width = of_keys ? model.d_k : model.d_v;
    return fmt::format(
        "{}: model.heads {} · model.{} {} = {} is not model.d_model {}: model.d_k and model.d_v do not "
        "follow "
        "model.d_model, so set them beside it{}",
        sizes->assignment.origin, model.heads, of_keys ? "d_k" : "d_v", width, model.heads * width,
        model.d_model,
        model.d_model % model.heads == 0
            ? fmt::format(" ({} keeps heads as wide together as the model)", model.d_model / model.heads)
            : "");
  }

 private:
  struct Ranked {
    Assignment assignment;
    std::size_t rank;  ///< of its file or --set: a larger one wins
  };

  /// Throws InputError for a key that says nothing, unless that follows from what stands nearer to the
  /// experiment: a row without positions may extend a base that says how many of them it learns. What a
  /// program wrote has all keys.
  void check_use(const Experiment& experiment) const {
    switch (extends_) {
      case Extends::refuse:
        return;
      case Extends::follow:
        break;
    }
    for (const auto& [key, cause, message] : unused_keys(experiment)) {
      const auto *own = strongest({key}), *by = strongest({cause});
      if (own != nullptr && (by == nullptr || own->rank >= by->rank))
        reject(own->assignment.origin, key, message);
    }
  }

  void add_parent(const fs::path& parent, const Assignment& extends) {
    for (const auto& file : chain_) {
      std::error_code ignored;
      if (!fs::equivalent(file, parent, ignored)) continue;
      std::string circle;
      for (const auto& link : chain_) circle += link.string() + " → ";
      reject(extends.origin, "extends", fmt::format("circular: {}{}", circle, parent.string()));
    }
    check_extends(extends.origin, parent);
    std::string text;
    try {
      text = read_file(parent, kLongestConfiguration);
    } catch (const InputError& error) {
      reject(extends.origin, "extends", error.what());
    }
    add_text(text, parent);
  }

  /// A training is as long as one of two keys says: a level that has both is refused.
  static void check_length(const std::vector<Assignment>& level) {
    const auto find = [&](std::string_view name) {
      return std::ranges::find_if(level, [&](const Assignment& a) { return a.key->name == name; });
    };
    const auto steps = find("train.steps"), epochs = find("train.epochs");
    if (steps == level.end() || epochs == level.end() || epochs->value.text == "0") return;
    reject(epochs->origin, epochs->key->name,
           fmt::format("expected one of train.steps and train.epochs, found {} beside train.steps {}",
                       quote(epochs->value.text), quote(steps->value.text)));
  }

  /// Assignments of equal rank: shorthands first, so that the keys for which they stand win.
  void add_level(std::vector<Assignment> level, const fs::path& folder) {
    check_length(level);
    std::stable_partition(level.begin(), level.end(),
                          [](const Assignment& a) { return a.key->kind == Key::Kind::shorthand; });
    for (auto& assignment : level) {
      if (assignment.key->kind == Key::Kind::path) {
        assignment.value.text = absolute_path(folder, assignment.value.text);
        // The folder's name may be any bytes, and configurations that are written name the whole path.
        if (!is_valid_utf8(assignment.value.text))
          reject(assignment.origin, assignment.key->name,
                 fmt::format("expected a path in UTF-8, found '{}'", printable(assignment.value.text)));
      }
      assignments_.push_back({std::move(assignment), ranks_});
    }
    ++ranks_;
  }

  /// The assignment of one of these keys that wins; null where none stands anywhere.
  const Ranked* strongest(const std::vector<std::string>& keys) const {
    const auto found = std::find_if(assignments_.rbegin(), assignments_.rend(), [&](const Ranked& a) {
      return std::ranges::find(keys, a.assignment.key->name) != keys.end();
    });
    return found == assignments_.rend() ? nullptr : &*found;
  }

  /// The experiment that the files and overrides up to that of an assignment make; null: the defaults.
  Experiment as_of(const Ranked* last) const {
    Experiment experiment;
    for (const auto& [assignment, rank] : assignments_)
      if (last != nullptr && rank <= last->rank) assignment.key->set(experiment, assignment.value);
    return experiment;
  }

  /// Where the strongest of these keys stands. Defaults have no problems, so one of them stands somewhere.
  std::string origin_of(const std::vector<std::string>& keys) const {
    const auto* found = strongest(keys);
    return found == nullptr ? "configuration" : found->assignment.origin;
  }

  Extends extends_;
  std::vector<Ranked> assignments_;
  std::size_t ranks_ = 0;
  std::vector<fs::path> chain_;
};

Experiment parse(const std::string& text, const fs::path& name,
                 const std::vector<std::vector<std::string>>& ranks, Extends extends,
                 std::string* note = nullptr) {
  Layers layers(extends);
  layers.add_text(text, name);
  for (const auto& rank : ranks) layers.add_overrides(rank);
  auto experiment = layers.apply();
  if (note != nullptr) *note = layers.note_on_head_widths(experiment.model);
  return experiment;
}

std::vector<std::string> keys_in(const std::string& text, const fs::path& name) {
  std::vector<std::string> names;
  for (const auto& assignment : flatten(text, name.string())) names.push_back(assignment.key->name);
  return names;
}

bool has_key(const std::string& text, const fs::path& name, std::string_view key) {
  const auto names = keys_in(text, name);
  return std::ranges::find(names, key) != names.end();
}

}  // namespace

Experiment load_experiment(const fs::path& file, const std::vector<std::string>& overrides) {
  return load_ranked_experiment(file, {overrides});
}

Experiment load_ranked_experiment(const fs::path& file,
                                  const std::vector<std::vector<std::string>>& overrides, std::string* note) {
  return parse(read_file(file, kLongestConfiguration), file, overrides, Extends::follow, note);
}

Experiment load_given_experiment(const std::string& name, const std::vector<std::string>& overrides) {
  const auto piped = read_given_pipe(name, kLongestConfiguration);
  const fs::path file = name;
  Layers layers;
  layers.add_text(piped ? *piped : read_file(file, kLongestConfiguration), file,
                  piped ? fs::path() : file.parent_path());
  layers.add_overrides(overrides);
  auto experiment = layers.apply();
  if (const auto note = layers.note_on_head_widths(experiment.model); !note.empty()) spdlog::warn("{}", note);
  return experiment;
}

Experiment load_resolved_experiment(const fs::path& file, const std::vector<std::string>& overrides) {
  const auto text = read_file(file, kLongestConfiguration);
  auto experiment = parse(text, file, {overrides}, Extends::refuse);
  // Before there were train.bucket_tokens, updates were planned with train.micro_tokens.
  if (auto& bucket = experiment.train.bucket_tokens; !bucket && !has_key(text, file, "train.bucket_tokens"))
    bucket = parse(text, file, {}, Extends::refuse).train.micro_tokens;
  return experiment;
}

std::vector<std::string> keys_of(const fs::path& file) {
  return keys_in(read_file(file, kLongestConfiguration), file);
}

Experiment parse_experiment(const std::string& text, const fs::path& name,
                            const std::vector<std::string>& overrides) {
  return parse(text, name, {overrides}, Extends::follow);
}

std::string to_yaml(const Experiment& experiment) {
  std::string text;
  std::string section;
  for (const Key& key : keys()) {
    if (!is_written(key.kind) || (key.name == "train.steps" && experiment.train.epochs > 0)) continue;
    const auto dot = key.name.find('.');
    if (dot == std::string::npos) {
      text += fmt::format("{}: {}\n", key.name, key.get(experiment));
      continue;
    }
    if (const auto own = key.name.substr(0, dot); own != section) {
      section = own;
      text += fmt::format("{}:\n", section);
    }
    text += fmt::format("  {}: {}\n", key.name.substr(dot + 1), key.get(experiment));
  }
  return text;
}

std::vector<Difference> differences(const Experiment& left, const Experiment& right) {
  std::vector<Difference> found;
  for (const Key& key : keys()) {
    if (!is_written(key.kind)) continue;
    auto a = key.get(left);
    auto b = key.get(right);
    if (a != b) found.push_back({.key = key.name, .left = std::move(a), .right = std::move(b)});
  }
  return found;
}

std::vector<Difference> differences_in_weights(const Experiment& before, const Experiment& now) {
  auto goes_on = now;
  if (!now.train.bucket_tokens) goes_on.train.bucket_tokens = before.train.bucket_tokens;
  if (!now.train.micro_tokens) goes_on.train.micro_tokens = before.train.micro_tokens;
  auto found = differences(before, goes_on);
  std::erase_if(found, [&](const Difference& difference) {
    return !decides_weights(difference.key, before) && !decides_weights(difference.key, now);
  });
  return found;
}

}  // namespace transformer::config
