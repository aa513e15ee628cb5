// Texts with labels: what encoders with a head learn from. A label is a whole word of the target's
// vocabulary.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "transformer/data/dataset.h"
#include "transformer/data/examples.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {

/// The number of a label among labels, from 0, by its id.
constexpr std::int64_t label_of(std::int64_t id) {
  return id - (kEos + 1);
}

/// Stands between the parts of a text, such as two sentences, where each but the last ends in kEos.
inline constexpr std::string_view kPartMark = "</s>";

/// Calls use(part) for each part of a text.
template <typename Use>
void for_each_part(std::string_view text, const Use& use) {
  for (auto found = text.find(kPartMark); found != std::string_view::npos; found = text.find(kPartMark)) {
    use(text.substr(0, found));
    text.remove_prefix(found + kPartMark.size());
  }
  use(text);
}

/// In a batch `source` is each text as kBos, its ids, kEos; `target_output` are the labels, by label_of();
/// and `target_input` are the places in `source`, from 0, that predict them: kBos of a text with one label,
/// or the first pieces of its words. Of answers both are the places of their first and last tokens, two a
/// text.
class LabelledTexts : public ExampleSource {
 public:
  /// The data set, whose targets are labels, is used as long as this lives. begins: of the source's
  /// tokenizer, where each word has a label; empty: each text has one. A word whose pieces a limit has cut
  /// off loses its label; other numbers of labels are the affair of check_labels().
  explicit LabelledTexts(const Dataset& data, std::vector<bool> begins = {})
      : data_(data), begins_(std::move(begins)) {}

  /// Labels are the numbers of an answer's first and last word (answers.h), by label. An answer whose words a
  /// limit has cut off is at kBos.
  LabelledTexts(const Dataset& data, std::vector<bool> begins, std::vector<double> numbers)
      : data_(data), begins_(std::move(begins)), numbers_(std::move(numbers)) {}

  std::int64_t size() const override { return data_.size(); }
  Tokens<std::int64_t> length(std::int64_t i) const override;
  Batch make_batch(std::span<const std::int64_t> indices) const override;

 private:
  std::vector<std::int64_t> places(std::int64_t i) const;

  std::vector<std::int64_t> answer(std::int64_t i) const;

  const Dataset& data_;
  std::vector<bool> begins_;
  std::vector<double> numbers_;  // empty: labels are no answers
};

}  // namespace transformer::data
