#include "transformer/config/layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/streams.h"
#include "transformer/base/text_file.h"
#include "transformer/config/scalar.h"
#include "transformer/config/unused_keys.h"
#include "transformer/config/validate.h"
#include "transformer/config/yaml.h"

namespace transformer::config {

namespace fs = std::filesystem;

void Layers::add_text(const std::string& text, const fs::path& file, const fs::path& folder) {
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

void Layers::add_overrides(const std::vector<std::string>& overrides) {
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

Experiment Layers::apply() const {
  Experiment experiment;
  for (const auto& [assignment, rank] : assignments_) {
    const auto& [key, value, origin] = assignment;
    if (!key->set(experiment, value)) {
      const auto text = quote(fmt::format("{}", fmt::join(parts_of(value.text, kBetweenPaths), ", ")));
      const auto found = value.quoted ? fmt::format("the text {}", text) : text;
      reject(origin, key->name, fmt::format("expected {}, found {}", key->expected, found));
    }
  }
  if (const auto problem = find_problem(experiment)) {
    reject(origin_of(problem->keys), fmt::format("{}", problem->keys.front()), problem->message);
  }
  forget_other_kinds(experiment);
  return experiment;
}

void Layers::check_last_overrides(const Experiment& experiment) const {
  for (const auto& [key, unless] : idle_keys(experiment)) {
    const auto* own = strongest({key->name});
    if (own != nullptr && own->rank + 1 == ranks_ && !has_default(*key, experiment))
      reject(own->assignment.origin, key->name,
             refusal_of(*key, experiment, fmt::format("unless {}", unless)));
  }
}

std::string Layers::note_on_head_widths(const models::ModelOptions& model) const {
  if (!models::stacks_of(model).any()) return {};  // another kind may have no heads
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

void Layers::forget_other_kinds(Experiment& experiment) const {
  const auto others = keys_of_other_kinds(experiment);
  // A shorthand of several keys may be meant for one that the kind reads.
  const auto says_more = [&](const Key& own) {
    return std::ranges::any_of(keys(), [&](const Key& key) {
      return is_written(key.kind) && overrules(own.name, key.name) &&
             std::ranges::find(others, &key) == others.end();
    });
  };
  for (const auto* key : others) {
    if (has_default(*key, experiment)) continue;
    const auto own = std::find_if(assignments_.rbegin(), assignments_.rend(), [&](const Ranked& one) {
      return overrules(one.assignment.key->name, key->name);  // a shorthand, too
    });
    if (own != assignments_.rend() && !says_more(*own->assignment.key) &&
        own->rank >= strongest({"model.kind"})->rank)
      reject(own->assignment.origin, key->name,
             refusal_of(
                 *key, experiment,
                 fmt::format("with model.kind {}, which does not know the key", experiment.model.kind.name)));
    key->set(experiment, {.text = key->get(Experiment{})});
  }
}

void Layers::add_parent(const fs::path& parent, const Assignment& extends) {
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

void Layers::check_length(const std::vector<Assignment>& level) {
  const auto find = [&](std::string_view name) {
    return std::ranges::find_if(level, [&](const Assignment& a) { return a.key->name == name; });
  };
  const auto steps = find("train.steps"), epochs = find("train.epochs");
  if (steps == level.end() || epochs == level.end() || epochs->value.text == "0") return;
  reject(epochs->origin, epochs->key->name,
         fmt::format("expected one of train.steps and train.epochs, found {} beside train.steps {}",
                     quote(epochs->value.text), quote(steps->value.text)));
}

void Layers::add_level(std::vector<Assignment> level, const fs::path& folder) {
  check_length(level);
  std::stable_partition(level.begin(), level.end(),
                        [](const Assignment& a) { return a.key->kind == Key::Kind::shorthand; });
  for (auto& assignment : level) {
    if (assignment.key->kind == Key::Kind::path) {
      auto paths = parts_of(assignment.value.text, kBetweenPaths);
      for (auto& path : paths) path = absolute_path(folder, path);
      assignment.value.text = fmt::format("{}", fmt::join(paths, std::string_view(&kBetweenPaths, 1)));
      // The folder's name may be any bytes, and configurations that are written name the whole path.
      if (!is_valid_utf8(assignment.value.text))
        reject(assignment.origin, assignment.key->name,
               fmt::format("expected a path in UTF-8, found '{}'", printable(assignment.value.text)));
    }
    assignments_.push_back({std::move(assignment), ranks_});
  }
  ++ranks_;
}

const Layers::Ranked* Layers::strongest(const std::vector<std::string>& keys) const {
  const auto found = std::find_if(assignments_.rbegin(), assignments_.rend(), [&](const Ranked& a) {
    return std::ranges::find(keys, a.assignment.key->name) != keys.end();
  });
  return found == assignments_.rend() ? nullptr : &*found;
}

Experiment Layers::as_of(const Ranked* last) const {
  Experiment experiment;
  for (const auto& [assignment, rank] : assignments_)
    if (last != nullptr && rank <= last->rank) assignment.key->set(experiment, assignment.value);
  return experiment;
}

std::string Layers::origin_of(const std::vector<std::string>& keys) const {
  const auto* found = strongest(keys);
  return found == nullptr ? "configuration" : found->assignment.origin;
}

}  // namespace transformer::config
