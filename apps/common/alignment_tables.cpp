#include "apps/common/alignment_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "transformer/base/error.h"

namespace transformer::apps {
namespace {

constexpr std::array kSteps{maps::Step::writes, maps::Step::reads};

std::size_t at(maps::Step step) {
  return static_cast<std::size_t>(step);
}

void add_to(eval::LinkCounts& sum, const eval::LinkCounts& counts) {
  sum.links += counts.links;
  sum.sure += counts.sure;
  sum.sure_found += counts.sure_found;
  sum.possible_found += counts.possible_found;
}

/// Rows for every head, made when the first map says how many there are.
template <typename Row>
void make_rows(std::vector<Row>& rows, const maps::AttentionWeights& weights) {
  if (!rows.empty()) return;
  for (const auto& heads : maps::all_choices(weights.layers, weights.heads)) rows.push_back({heads});
}

void check_inside(const Links& links, std::size_t sources, std::size_t targets, const std::string& name,
                  std::size_t line) {
  for (const auto& link : links)
    if (link.source >= static_cast<std::int64_t>(sources) ||
        link.target >= static_cast<std::int64_t>(targets))
      throw InputError(fmt::format("{}:{}: expected words of a sentence with {} and {} words, found {}", name,
                                   line, sources, targets, format_links({link})));
}

std::size_t count_words(const std::vector<maps::Piece>& pieces) {
  const auto words = maps::words_of(pieces);
  const auto special =
      std::ranges::count_if(pieces, [](const maps::Piece& piece) { return piece.is_special; });
  return words.empty() ? 0 : words.back() + 1 - static_cast<std::size_t>(special);
}

double percent_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

AlignmentTable::AlignmentTable(std::vector<GoldLinks> gold, std::string name, bool mask_end)
    : gold_(std::move(gold)), name_(std::move(name)), mask_end_(mask_end) {}

void AlignmentTable::add(const maps::AttentionMap& map) {
  make_rows(rows_, map.cross);
  const auto& gold = gold_.at(next_++);
  check_inside(gold.possible, count_words(map.source), count_words(map.target), name_, next_);
  for (auto& [heads, counts] : rows_) {
    for (const auto step : kSteps) {
      const auto links = links_of(
          maps::aligned_words(maps::word_weights(map, maps::AttentionKind::cross, heads, step), mask_end_));
      add_to(counts.at(at(step)), eval::count_links(links, gold));
    }
  }
}

std::string AlignmentTable::text() const {
  std::string text =
      "| heads | AER | precision | recall | AER, shifted | precision | recall |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  std::pair<double, std::string> best{101, ""};
  for (const auto& [heads, counts] : rows_) {
    text += fmt::format("| {} |", maps::name_of(heads));
    for (const auto step : kSteps) {
      const auto& sum = counts.at(at(step));
      const auto rate = eval::alignment_error_rate(sum);
      text += fmt::format(" {:.2f} | {:.2f} | {:.2f} |", rate, eval::alignment_precision(sum),
                          eval::alignment_recall(sum));
      if (rate < best.first)
        best = {rate, fmt::format("--alignment-heads {}{}{}", maps::name_of(heads),
                                  step == maps::Step::reads ? " --alignment-shift" : "",
                                  mask_end_ ? " --alignment-mask-end" : "")};
    }
    text += "\n";
  }
  return text + fmt::format("best: {}\n", best.second);
}

AntecedentTable::AntecedentTable(maps::AttentionKind kind, std::vector<Links> references, std::string name)
    : kind_(kind), references_(std::move(references)), name_(std::move(name)) {}

void AntecedentTable::add(const maps::AttentionMap& map) {
  const bool of_source = kind_ == maps::AttentionKind::encoder;
  make_rows(rows_, of_source ? map.encoder : map.masked);
  const auto& references = references_.at(next_++);
  const auto words = count_words(of_source ? map.source : map.target);
  check_inside(references, words, words, name_, next_);
  for (const auto& [pronoun, other] : references) {
    if (pronoun == other)
      throw InputError(fmt::format("{}:{}: expected a pronoun and another word, found {}-{}", name_, next_,
                                   pronoun, other));
    ++pronouns_;
    if (other < pronoun) ++distances_[static_cast<std::size_t>(pronoun - other)];
  }
  if (references.empty()) return;
  for (auto& [heads, found] : rows_) {
    for (const auto step : kSteps) {
      const auto weights = maps::word_weights(map, kind_, heads, step);
      for (const auto& [pronoun, other] : references)
        if (maps::most_attended(weights, static_cast<std::size_t>(pronoun)) ==
            static_cast<std::size_t>(other))
          ++found.at(at(step));
    }
  }
}

std::string AntecedentTable::text() const {
  const bool of_source = kind_ == maps::AttentionKind::encoder;
  std::string text = of_source ? "| heads | found |\n| --- | ---: |\n"
                               : "| heads | found | found, shifted |\n| --- | ---: | ---: |\n";
  std::pair<std::size_t, std::string> best{0, "none"};
  for (const auto& [heads, found] : rows_) {
    text += fmt::format("| {} |", maps::name_of(heads));
    for (const auto step : kSteps) {
      if (of_source && step == maps::Step::reads) continue;  // the same
      const auto count = found.at(at(step));
      text += fmt::format(" {:.1f} % |", percent_of(count, pronouns_));
      if (count > best.first)
        best = {count, maps::name_of(heads) + (step == maps::Step::reads ? " shifted" : "")};
    }
    text += "\n";
  }
  for (const auto& [distance, count] : distances_)
    text += fmt::format("| {} before | {:.1f} % |{}\n", distance, percent_of(count, pronouns_),
                        of_source ? "" : " |");
  return text + fmt::format("best: {}, {} of {} pronouns\n", best.second, best.first, pronouns_);
}

}  // namespace transformer::apps
