#include "data/demo_corpus/meaning.h"

#include <algorithm>
#include <optional>

#include "data/demo_corpus/words.h"

namespace transformer::demo {
namespace {

std::vector<WordLink> phrase_links(const Phrase& phrase) {
  std::vector<WordLink> links;
  for (const std::string& link : split(phrase.links))  // "0-1" or "0?1": no phrase has ten words
    links.push_back(
        {static_cast<std::size_t>(link[0] - '0'), static_cast<std::size_t>(link[2] - '0'), link[1] == '-'});
  if (!links.empty()) return links;
  const std::size_t english = split(phrase.en).size(), german = split(phrase.de).size();
  for (std::size_t en = 0; en < english; ++en) {
    for (std::size_t de = 0; de < german; ++de) {
      if (english != german || en == de) links.push_back({en, de});
    }
  }
  return links;
}

/// The words that are not marks, one for each that spaces part.
std::vector<const Word*> spaced(const Words& words) {
  std::vector<const Word*> result;
  for (const Word& word : words) {
    if (!is_mark(word.text)) result.push_back(&word);
  }
  return result;
}

bool says(const Word& word, const void* part) {
  return std::ranges::any_of(word.says, [&](const Meaning& meaning) { return meaning.part == part; });
}

/// Whether they share a meaning, and if so, whether a sure one.
std::optional<bool> shared(const Word& english, const Word& german) {
  std::optional<bool> sure;
  for (const Meaning& a : english.says) {
    for (const Meaning& b : german.says) {
      if (a.part == b.part && a.word == b.word) sure = sure.value_or(false) || (a.sure && b.sure);
    }
  }
  return sure;
}

void add_pair(std::string& line, std::size_t first, char mark, std::size_t second) {
  line += (line.empty() ? "" : " ") + std::to_string(first) + mark + std::to_string(second);
}

}  // namespace

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

Words bracketed(const char* label, Words words) {
  if (words.empty()) return words;
  words.front().opens = "(" + std::string(label) + " " + words.front().opens;
  ++words.back().closes;
  return words;
}

Words words_saying(const std::string& text, const Meaning& meaning) {
  Words words;
  for (std::string& word : split(text)) words.push_back({std::move(word), {meaning}});
  return words;
}

void refer(Words& words, const void* pronoun, const void* noun, bool is_relative) {
  for (Word& word : words) {
    if (!says(word, pronoun)) continue;
    word.refers_to = noun;
    word.is_relative = is_relative;
  }
}

Words english_phrase(const Phrase& phrase, const void* part) {
  Words words;
  for (std::string& word : split(phrase.en)) words.push_back({std::move(word)});
  for (const WordLink& link : phrase_links(phrase))
    words.at(link.en).says.push_back({part, link.de, link.sure});
  return words;
}

Words german_phrase(const Phrase& phrase, const void* part) {
  Words words;
  for (std::string& word : split(phrase.de)) words.push_back({std::move(word), {{part, words.size()}}});
  return words;
}

std::vector<WordLink> links_between(const Words& english, const Words& german) {
  std::vector<WordLink> links;
  const auto source = spaced(english), target = spaced(german);
  for (std::size_t en = 0; en < source.size(); ++en) {
    for (std::size_t de = 0; de < target.size(); ++de) {
      if (const auto sure = shared(*source[en], *target[de])) links.push_back({en, de, *sure});
    }
  }
  return links;
}

std::vector<Reference> references(const Words& words) {
  std::vector<Reference> result;
  const auto all = spaced(words);
  for (std::size_t pronoun = 0; pronoun < all.size(); ++pronoun) {
    if (all[pronoun]->refers_to == nullptr) continue;
    const auto noun = std::find_if(all.rbegin(), all.rend(),
                                   [&](const Word* word) { return says(*word, all[pronoun]->refers_to); });
    if (noun != all.rend())
      result.push_back({pronoun, static_cast<std::size_t>(all.rend() - noun) - 1, all[pronoun]->is_relative});
  }
  return result;
}

std::string pharaoh(const std::vector<WordLink>& links) {
  std::string line;
  for (const auto& [en, de, sure] : links) add_pair(line, en, sure ? '-' : '?', de);
  return line;
}

std::string pharaoh(const std::vector<Reference>& references, bool relative) {
  std::string line;
  for (const auto& [pronoun, noun, is_relative] : references) {
    if (is_relative == relative) add_pair(line, pronoun, '-', noun);
  }
  return line;
}

std::string text_of(const Words& words) {
  std::vector<std::string> texts;
  for (const Word& word : words) texts.push_back(word.text);
  return join_sentence(texts);
}

std::string tree_of(const Words& words) {
  std::string tree, opens;
  std::size_t closes = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    const bool mark = is_mark(word.text);
    opens += word.opens;
    closes += word.closes;
    if (mark && i + 1 < words.size() && is_mark(words[i + 1].text)) continue;  // as in the line
    const auto text = tree.empty() ? upper_first(word.text) : word.text;
    if (!tree.empty()) tree += ' ';
    tree += opens + "(" +
            (!mark         ? "XX"
             : text == "," ? ","
                           : ".") +
            " " + text + ")" + std::string(closes, ')');
    opens.clear();
    closes = 0;
  }
  return tree;
}

}  // namespace transformer::demo
