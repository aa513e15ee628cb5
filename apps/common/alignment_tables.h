// How well each head aligns words or finds what pronouns refer to, against gold.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "transformer/eval/alignment.h"
#include "transformer/maps/word_attention.h"

namespace transformer::apps {

/// Alignment error rates of cross-attention: of every head, of each layer's mean, and of the mean of all.
class AlignmentTable {
 public:
  /// name: of the gold alignments, for messages. mask_end: links are made where the end token has more, too.
  AlignmentTable(std::vector<GoldLinks> gold, std::string name, bool mask_end);

  /// The next sentence. Throws InputError where its gold links lie outside it.
  void add(const maps::AttentionMap& map);

  /// A table of Markdown, and a line "best: …" with the options that choose the lowest error rate.
  std::string text() const;

 private:
  struct Row {
    maps::HeadChoice heads;
    std::array<eval::LinkCounts, 2> counts{};  // by maps::Step
  };
  std::vector<GoldLinks> gold_;
  std::string name_;
  bool mask_end_;
  std::size_t next_ = 0;
  std::vector<Row> rows_;
};

/// How often a pronoun has the largest weight of self-attention on the word that it refers to.
class AntecedentTable {
 public:
  /// references: of a pronoun's word to the other word. kind: the encoder's attention for words of the
  /// source, the decoder's masked one for words of the target.
  AntecedentTable(maps::AttentionKind kind, std::vector<Links> references, std::string name);

  /// The next sentence. Throws InputError where a reference lies outside it or is one to itself.
  void add(const maps::AttentionMap& map);

  /// A table of Markdown; of the decoder with two columns, for the step that writes the pronoun and the one
  /// that reads it. The last rows are of who says the word at a fixed distance before the pronoun. And a line
  /// "best: …".
  std::string text() const;

 private:
  struct Row {
    maps::HeadChoice heads;
    std::array<std::size_t, 2> found{};  // by maps::Step
  };
  maps::AttentionKind kind_;
  std::vector<Links> references_;
  std::string name_;
  std::size_t next_ = 0, pronouns_ = 0;
  std::vector<Row> rows_;
  std::map<std::size_t, std::size_t> distances_;  // how often the word stands so many before the pronoun
};

}  // namespace transformer::apps
