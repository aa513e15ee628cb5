#include "transformer/trees/tag_alignment.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace transformer::trees {
namespace {

constexpr auto kForms = std::to_array<std::pair<std::string_view, std::string_view>>({{",", ","},
                                                                                      {".", "."},
                                                                                      {"?", "."},
                                                                                      {"!", "."},
                                                                                      {":", ":"},
                                                                                      {";", ":"},
                                                                                      {"--", ":"},
                                                                                      {"...", ":"},
                                                                                      {"\u2014", ":"},
                                                                                      {"``", "``"},
                                                                                      {"\u201c", "``"},
                                                                                      {"\u2018", "``"},
                                                                                      {"''", "''"},
                                                                                      {"\u201d", "''"},
                                                                                      {"\u2019", "''"},
                                                                                      {"(", "-LRB-"},
                                                                                      {")", "-RRB-"},
                                                                                      {"-LRB-", "-LRB-"},
                                                                                      {"-RRB-", "-RRB-"}});

constexpr int kLeftOut = 2, kMarkLeftOut = 3, kOtherKind = 3, kOtherMark = 1;

int cost_of(std::string_view tag, std::string_view form) {
  if (is_tag_of_form(tag) != !form.empty()) return kOtherKind;
  return form.empty() || tag == form ? 0 : kOtherMark;
}

}  // namespace

std::string_view tag_of_form(std::string_view word) {
  const auto* found = std::ranges::find(kForms, word, &std::pair<std::string_view, std::string_view>::first);
  return found == kForms.end() ? std::string_view() : found->second;
}

bool is_tag_of_form(std::string_view tag) {
  return std::ranges::find(kForms, tag, &std::pair<std::string_view, std::string_view>::second) !=
         kForms.end();
}

bool admits(std::string_view word, std::string_view tag) {
  return cost_of(tag, tag_of_form(word)) == 0;
}

std::vector<std::optional<std::size_t>> align_tags(const std::vector<std::string_view>& tags,
                                                   const std::vector<std::string_view>& words) {
  const auto width = words.size() + 1;
  std::vector<std::string_view> forms;
  for (const auto word : words) forms.push_back(tag_of_form(word));
  std::vector<std::int32_t> costs((tags.size() + 1) * width);  // [tag][word], of all from there on
  const auto at = [&](std::size_t tag, std::size_t word) -> std::int32_t& {
    return costs[tag * width + word];
  };
  const auto without_tag = [&](std::size_t tag) {
    return is_tag_of_form(tags[tag]) ? kMarkLeftOut : kLeftOut;
  };
  const auto without_word = [&](std::size_t word) { return forms[word].empty() ? kLeftOut : kMarkLeftOut; };
  for (auto tag = tags.size() + 1; tag-- > 0;)
    for (auto word = width; word-- > 0;) {
      const bool no_tag = tag == tags.size(), no_word = word == words.size();
      if (no_tag || no_word) {
        at(tag, word) = no_tag && no_word ? 0
                        : no_tag          ? at(tag, word + 1) + without_word(word)
                                          : at(tag + 1, word) + without_tag(tag);
        continue;
      }
      at(tag, word) =
          std::min({at(tag + 1, word + 1) + cost_of(tags[tag], forms[word]),
                    at(tag + 1, word) + without_tag(tag), at(tag, word + 1) + without_word(word)});
    }
  std::vector<std::optional<std::size_t>> aligned(tags.size());
  for (std::size_t tag = 0, word = 0; tag < tags.size() && word < words.size();) {
    if (at(tag, word) == at(tag + 1, word + 1) + cost_of(tags[tag], forms[word]))
      aligned[tag++] = word++;
    else if (at(tag, word) == at(tag, word + 1) + without_word(word))
      ++word;
    else
      ++tag;
  }
  return aligned;
}

}  // namespace transformer::trees
