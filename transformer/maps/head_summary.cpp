#include "transformer/maps/head_summary.h"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "transformer/base/blank_mark.h"

namespace transformer::maps {
namespace {

constexpr std::array kKinds{AttentionKind::encoder, AttentionKind::masked, AttentionKind::cross};

/// A figure of a head, as a table has it.
struct Column {
  const char* name;
  double HeadSummary::*figure;
};
constexpr std::array kColumns{Column{"entropy", &HeadSummary::entropy},
                              Column{"largest", &HeadSummary::largest},
                              Column{"distance", &HeadSummary::distance},
                              Column{"previous", &HeadSummary::previous},
                              Column{"same", &HeadSummary::same},
                              Column{"next", &HeadSummary::next},
                              Column{"punctuation", &HeadSummary::punctuation},
                              Column{"special", &HeadSummary::special}};

/// What a row of weights adds to its head's sums.
void add_row(std::span<const float> row, std::size_t query, const std::vector<bool>& punctuation,
             const std::vector<Piece>& keys, HeadSummary& sums) {
  double largest = 0;
  for (std::size_t key = 0; key < row.size(); ++key) {
    const double p = row[key];
    if (p > 0) sums.entropy -= p * std::log(p);
    largest = std::max(largest, p);
    const auto distance = static_cast<double>(key) - static_cast<double>(query);
    sums.distance += p * std::abs(distance);
    if (distance == -1) sums.previous += p;
    if (distance == 0) sums.same += p;
    if (distance == 1) sums.next += p;
    if (punctuation[key]) sums.punctuation += p;
    if (keys[key].is_special) sums.special += p;
  }
  sums.largest += largest;
}

std::string header(std::string_view separator) {
  auto line = fmt::format("kind{0}layer{0}head", separator);
  for (const auto& column : kColumns) line += fmt::format("{}{}", separator, column.name);
  return line;
}

std::string row(const HeadSummary& head, std::string_view separator, int decimals) {
  auto line = fmt::format("{1}{0}{2}{0}{3}", separator, name_of(head.kind), head.layer + 1, head.head + 1);
  for (const auto& column : kColumns)
    line += fmt::format("{}{:.{}f}", separator, head.*column.figure, decimals);
  return line;
}

}  // namespace

bool is_punctuation(std::string_view piece) {
  const auto text = without_blank_marks(piece);
  const auto size = static_cast<std::int32_t>(text.size());
  if (size == 0) return false;
  for (std::int32_t i = 0; i < size;) {
    UChar32 character = 0;
    U8_NEXT(text.data(), i, size, character);
    if (character < 0 || !u_ispunct(character)) return false;
  }
  return true;
}

void HeadStatistics::add(const AttentionMap& map) {
  add(AttentionKind::encoder, map.encoder, map.source);
  add(AttentionKind::masked, map.masked, map.read);
  add(AttentionKind::cross, map.cross, map.source);
}

void HeadStatistics::add(AttentionKind kind, const AttentionWeights& weights,
                         const std::vector<Piece>& keys) {
  auto& sums = sums_[static_cast<std::size_t>(kind)];
  sums.layers = weights.layers, sums.heads = weights.heads;
  sums.queries += weights.queries;
  sums.of_heads.resize(weights.layers * weights.heads);
  std::vector<bool> punctuation;
  for (const auto& key : keys) punctuation.push_back(!key.is_special && is_punctuation(key.text));
  for (std::size_t layer = 0; layer < weights.layers; ++layer)
    for (std::size_t head = 0; head < weights.heads; ++head)
      for (std::size_t query = 0; query < weights.queries; ++query)
        add_row(weights.row(layer, head, query), query, punctuation, keys,
                sums.of_heads[layer * weights.heads + head]);
}

std::vector<HeadSummary> HeadStatistics::summaries() const {
  std::vector<HeadSummary> all;
  for (const auto kind : kKinds) {
    const auto& sums = sums_[static_cast<std::size_t>(kind)];
    for (std::size_t i = 0; i < sums.of_heads.size(); ++i) {
      auto& head = all.emplace_back(sums.of_heads[i]);
      head.kind = kind, head.layer = i / sums.heads, head.head = i % sums.heads;
      for (const auto& column : kColumns) head.*column.figure /= static_cast<double>(sums.queries);
    }
  }
  return all;
}

std::string heads_as_tsv(const std::vector<HeadSummary>& heads) {
  auto text = header("\t") + "\n";
  for (const auto& head : heads) text += row(head, "\t", 6) + "\n";
  return text;
}

std::string heads_as_markdown(const std::vector<HeadSummary>& heads) {
  auto text = fmt::format("| {} |\n| --- |", header(" | "));
  for (std::size_t i = 0; i < kColumns.size() + 2; ++i) text += " ---: |";
  text += "\n";
  for (const auto& head : heads) text += fmt::format("| {} |\n", row(head, " | ", 2));
  return text;
}

}  // namespace transformer::maps
