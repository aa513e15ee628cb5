// Text to train small vocabularies on.
#pragma once

#include <string>
#include <vector>

namespace transformer::test {

/// Every line differs from the others.
inline std::vector<std::string> sample_lines(const std::vector<std::string>& subjects,
                                             const std::vector<std::string>& verbs,
                                             const std::vector<std::string>& objects) {
  std::vector<std::string> lines;
  for (const auto& subject : subjects) {
    for (const auto& verb : verbs) {
      for (const auto& object : objects) lines.push_back(subject + " " + verb + " " + object + ".");
    }
  }
  return lines;
}

inline std::vector<std::string> english_lines() {
  return sample_lines({"The woman", "An old man", "My neighbour", "The teacher"},
                      {"sees", "paints", "remembers", "is looking for"},
                      {"the red house", "a small dog", "two bicycles", "the mountains", "his friends"});
}

/// In line with english_lines().
inline std::vector<std::string> german_lines() {
  return sample_lines(
      {"Die Frau", "Ein alter Mann", "Mein Nachbar", "Die Lehrerin"},
      {"sieht", "malt", "erinnert sich an", "sucht"},
      {"das rote Haus", "einen kleinen Hund", "zwei Fahrräder", "die Berge", "seine Freunde"});
}

inline std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace transformer::test
