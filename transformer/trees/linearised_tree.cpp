#include "transformer/trees/linearised_tree.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "transformer/trees/tag_alignment.h"

namespace transformer::trees {
namespace {

std::string without_brackets(std::string_view word) {
  std::string result;
  for (const char c : word) {
    if (c == '(')
      result += "-LRB-";
    else if (c == ')')
      result += "-RRB-";
    else
      result += c;
  }
  return result;
}

class Mender {
 public:
  Mender(std::vector<std::string_view> words, bool align_marks)
      : words_(std::move(words)), align_marks_(align_marks) {}

  RestoredTree run(const std::vector<std::string_view>& tokens) {
    const bool bare = tokens.size() == 1 && words_.size() == 1 && !is_bracket(tokens.front());
    if (!bare && (tokens.empty() || !tokens.front().starts_with('('))) {
      mended_ = true;
      begin("S");
    }
    align(tokens);
    for (const auto token : tokens) take(token);
    finish();
    return {std::move(tree_), mended_};
  }

 private:
  static bool is_bracket(std::string_view token) { return token.starts_with('(') || token.starts_with(')'); }

  void take(std::string_view token) {
    if (token.starts_with(')')) return end(token.substr(1));
    mended_ = mended_ || ended_;
    if (token.starts_with('(')) return begin(token.substr(1));
    const auto aligned = places_.empty() ? std::optional(tree_.words.size()) : places_[tag_++];
    if (!aligned || *aligned == words_.size()) return;
    while (tree_.words.size() < *aligned) word(kAnyTag);
    word(token);
  }

  /// tags: as many as words.
  bool marks_agree(const std::vector<std::string_view>& tags) const {
    return std::ranges::equal(tags, words_, [](std::string_view tag, std::string_view word) {
      return tag == kAnyTag || admits(word, tag);
    });
  }

  void align(const std::vector<std::string_view>& tokens) {
    std::vector<std::string_view> tags;
    std::ranges::copy_if(tokens, std::back_inserter(tags), [](auto token) { return !is_bracket(token); });
    if (tags.size() == words_.size() && (!align_marks_ || marks_agree(tags))) return;
    mended_ = true;
    if (std::ranges::all_of(tags, [](auto tag) { return tag == kAnyTag; }))
      return;                                  // nothing to tell them by
    constexpr std::size_t kMostMissing = 500;  // a long line, of which a model has read the beginning
    const auto end = std::min(words_.size(), tags.size() + kMostMissing);
    places_ = align_tags(tags, {words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(end)});
  }

  /// Tags that are aligned may be another word's, but a mark's tag is known.
  void word(std::string_view tag) {
    const auto text = words_[tree_.words.size()];
    if (const auto form = tag_of_form(text); !places_.empty() && !form.empty())
      tag = form;
    else if (!places_.empty() && is_tag_of_form(tag))
      tag = kAnyTag;
    tree_.words.push_back({std::string(tag), without_brackets(text)});
  }

  void begin(std::string_view label) {
    open_.push_back(tree_.constituents.size());
    tree_.constituents.push_back({std::string(label), tree_.words.size(), 0});
  }

  /// The outermost constituent stays open to the end.
  void end(std::string_view label) {
    const auto found = std::find_if(open_.rbegin(), open_.rend(), [&](std::size_t constituent) {
      return tree_.constituents[constituent].label == label;
    });
    const auto above = static_cast<std::size_t>(found - open_.rbegin());
    mended_ = mended_ || above > 0 || ended_ || found == open_.rend();
    if (found == open_.rend()) return;
    for (std::size_t i = 0; i < above; ++i) close();
    if (open_.size() > 1)
      close();
    else
      ended_ = true;
  }

  void close() {
    tree_.constituents[open_.back()].end = tree_.words.size();
    open_.pop_back();
  }

  void finish() {
    mended_ =
        mended_ || open_.size() > 1 || (!open_.empty() && !ended_) || tree_.words.size() < words_.size();
    while (open_.size() > 1) close();
    while (tree_.words.size() < words_.size()) word(kAnyTag);
    while (!open_.empty()) close();
    const auto empty =
        std::erase_if(tree_.constituents, [](const auto& one) { return one.begin == one.end; });
    mended_ = mended_ || empty > 0;
  }

  std::vector<std::string_view> words_;
  bool align_marks_;
  std::vector<std::optional<std::size_t>> places_;  // the word of each tag; empty: the next one
  std::size_t tag_ = 0;
  BracketedTree tree_;
  std::vector<std::size_t> open_;  // constituents, the outermost first
  bool ended_ = false;             // the outermost one, by its token
  bool mended_ = false;
};

}  // namespace

std::string linearised(const BracketedTree& tree, bool tags) {
  std::string text;
  const auto add = [&](std::string_view before, std::string_view token) {
    if (!text.empty()) text += ' ';
    text += before;
    text += token;
  };
  std::vector<const Constituent*> open;
  auto next = tree.constituents.begin();
  for (std::size_t i = 0; i < tree.words.size(); ++i) {
    for (; next != tree.constituents.end() && next->begin == i; ++next) {
      add("(", next->label);
      open.push_back(&*next);
    }
    add("", tags ? std::string_view(tree.words[i].tag) : kAnyTag);
    for (; !open.empty() && open.back()->end == i + 1; open.pop_back()) add(")", open.back()->label);
  }
  return text;
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const auto begin = std::min(text.find_first_not_of(" \t\r"), text.size());
    if (begin == text.size()) return words;
    const auto end = std::min(text.find_first_of(" \t\r", begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

RestoredTree restored(std::string_view tokens, std::string_view words, bool align_marks) {
  auto all = words_in(words);
  if (all.empty()) return {};
  return Mender(std::move(all), align_marks).run(words_in(tokens));
}

}  // namespace transformer::trees
