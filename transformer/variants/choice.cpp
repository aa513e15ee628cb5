#include "transformer/variants/choice.h"

#include <algorithm>

#include "transformer/base/ascii.h"

namespace transformer::variants {
namespace {

constexpr std::string_view kNone = "none";

bool is_value(std::string_view text) {
  const auto allowed = [](char c) {
    return is_small_letter(c) || is_digit(c) || is_capital_letter(c) ||
           std::string_view(".+-_/").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::ranges::all_of(text, allowed);
}

/// Takes the first word from a text; nothing is left of a text that has no more.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

std::vector<std::pair<Kind, Choice>> without_none(std::vector<std::pair<Kind, Choice>> all) {
  std::erase_if(all, [](const auto& one) { return !one.second; });
  return all;
}

}  // namespace

std::string key_of(Kind kind) {
  if (kind == Kind::model) return "model.kind";
  return std::string(is_of_training(kind) ? "train" : "model") + ".variants." + name_of(kind);
}

std::vector<std::pair<Kind, Choice>> chosen(const Choices& choices) {
  return without_none({{Kind::attention, choices.attention},
                       {Kind::feed_forward, choices.feed_forward},
                       {Kind::norm, choices.norm},
                       {Kind::positions, choices.positions}});
}

std::vector<std::pair<Kind, Choice>> chosen(const TrainChoices& choices) {
  return without_none(
      {{Kind::optimizer, choices.optimizer}, {Kind::schedule, choices.schedule}, {Kind::loss, choices.loss}});
}

std::vector<std::string> describe(const Choices& choices) {
  std::vector<std::string> all;
  for (const auto& [kind, choice] : chosen(choices)) all.push_back(key_of(kind) + ": " + print(choice));
  return all;
}

bool is_name(std::string_view text) {
  return !text.empty() && is_small_letter(text.front()) && std::ranges::all_of(text, [](char c) {
    return is_small_letter(c) || is_digit(c) || c == '-' || c == '_';
  });
}

std::optional<Choice> parse(std::string_view text) {
  const auto name = take_word(text);
  Choice choice;
  if (!name.empty() && name != kNone) {
    if (!is_name(name)) return std::nullopt;
    choice.name = name;
  }
  for (auto word = take_word(text); !word.empty(); word = take_word(text)) {
    const auto equals = word.find('=');
    if (!choice || equals == std::string_view::npos) return std::nullopt;
    const auto option = word.substr(0, equals), value = word.substr(equals + 1);
    if (!is_name(option) || !is_value(value)) return std::nullopt;
    if (!choice.options.emplace(option, value).second) return std::nullopt;
  }
  return choice;
}

std::string print(const Choice& choice) {
  if (!choice) return std::string(kNone);
  std::string text = choice.name;
  for (const auto& [option, value] : choice.options) text += " " + option + "=" + value;
  return text;
}

}  // namespace transformer::variants
