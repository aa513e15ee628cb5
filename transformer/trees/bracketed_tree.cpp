#include "transformer/trees/bracketed_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"

namespace transformer::trees {
namespace {

class TreeReader {
 public:
  explicit TreeReader(std::string_view line) : line_(line) {}

  BracketedTree read() {
    skip_blanks();
    if (here() != '(') refuse("an opening bracket");
    node();
    skip_blanks();
    if (place_ < line_.size()) refuse("the end of the line behind the tree");
    return std::move(tree_);
  }

 private:
  /// From an opening bracket to what comes behind its closing one. Sentences may nest deeply, but not without
  /// an end.
  void node() {
    constexpr std::size_t kDeepest = 1000;
    if (++depth_ > kDeepest) refuse(fmt::format("at most {} brackets in each other", kDeepest));
    ++place_;
    const auto label = word();
    skip_blanks();
    if (here() != '(' && here() != ')' && here() != '\0') {
      if (label.empty()) refuse("a tag before the word");
      tree_.words.push_back({std::string(label), std::string(word())});
    } else {
      constituent(label);
    }
    skip_blanks();
    if (here() != ')') refuse("a closing bracket");
    ++place_;
    --depth_;
  }

  void constituent(std::string_view label) {
    const auto number = tree_.constituents.size(), begin = tree_.words.size();
    tree_.constituents.push_back({std::string(label), begin, begin});
    for (; here() == '('; skip_blanks()) node();
    tree_.constituents[number].end = tree_.words.size();
    if (tree_.words.size() == begin) refuse("a word in the bracket");
  }

  std::string_view word() {
    const auto begin = place_;
    while (place_ < line_.size() && !is_blank(line_[place_]) && line_[place_] != '(' && line_[place_] != ')')
      ++place_;
    return line_.substr(begin, place_ - begin);
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (place_ < line_.size() && is_blank(line_[place_])) ++place_;
  }
  char here() const { return place_ < line_.size() ? line_[place_] : '\0'; }

  [[noreturn]] void refuse(const std::string& expected) const {
    constexpr std::size_t kShown = 20;
    const auto found = line_.substr(std::min(place_, line_.size()), kShown);
    throw InputError(fmt::format("character {}: expected {}, found {}", place_ + 1, expected,
                                 found.empty() ? "the end of the line" : "'" + printable(found) + "'"));
  }

  std::string_view line_;
  std::size_t place_ = 0, depth_ = 0;
  BracketedTree tree_;
};

/// Whether the first constituent holds all others, or the one word that there is.
bool is_outer(const BracketedTree& tree) {
  constexpr auto kOuter = std::to_array<std::string_view>({"", "TOP", "S1", "ROOT"});
  return !tree.constituents.empty() && tree.constituents.front().begin == 0 &&
         tree.constituents.front().end == tree.words.size() &&
         std::ranges::find(kOuter, tree.constituents.front().label) != kOuter.end();
}

/// Whether that one holds one bracket alone.
bool holds_one(const BracketedTree& tree) {
  const auto& constituents = tree.constituents;
  return constituents.size() == 1 ? tree.words.size() == 1
                                  : constituents[1].end == constituents[0].end && constituents[1].begin == 0;
}

}  // namespace

BracketedTree parse_tree(std::string_view line) {
  return TreeReader(line).read();
}

std::string to_brackets(const BracketedTree& tree) {
  std::string text;
  std::vector<std::size_t> open;  // ends of constituents
  const auto blank = [&] {
    if (!text.empty()) text += ' ';
  };
  auto next = tree.constituents.begin();
  for (std::size_t i = 0; i < tree.words.size(); ++i) {
    for (; next != tree.constituents.end() && next->begin == i; ++next) {
      blank();
      text += '(' + next->label;
      open.push_back(next->end);
    }
    blank();
    text += fmt::format("({} {})", tree.words[i].tag, tree.words[i].word);
    for (; !open.empty() && open.back() == i + 1; open.pop_back()) text += ')';
  }
  return text;
}

std::string words_of(const BracketedTree& tree) {
  std::string text;
  for (const auto& word : tree.words) text += (text.empty() ? "" : " ") + word.word;
  return text;
}

std::string_view plain_label(std::string_view label) {
  const auto cut = label.find_first_of("-=", 1);
  return label.starts_with('-') ? label : label.substr(0, cut);
}

BracketedTree plain_tree(const BracketedTree& tree) {
  BracketedTree plain;
  std::vector<std::size_t> places;  // of each word among those that stay, and behind the last
  for (const auto& word : tree.words) {
    places.push_back(plain.words.size());
    if (word.tag != "-NONE-") plain.words.push_back(word);
  }
  places.push_back(plain.words.size());
  for (const auto& [label, begin, end] : tree.constituents)
    if (places[begin] < places[end])
      plain.constituents.push_back({std::string(plain_label(label)), places[begin], places[end]});
  while (is_outer(plain) && holds_one(plain)) plain.constituents.erase(plain.constituents.begin());
  if (is_outer(plain)) plain.constituents.front().label = "TOP";
  return plain;
}

}  // namespace transformer::trees
