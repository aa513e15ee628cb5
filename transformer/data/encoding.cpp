#include "transformer/data/encoding.h"

#include <algorithm>
#include <span>

#include "transformer/base/special_tokens.h"
#include "transformer/data/answers.h"
#include "transformer/data/labelled_texts.h"
#include "transformer/data/tree_texts.h"

namespace transformer::data {

namespace {

std::span<const std::int32_t> first_ids(std::span<const std::int32_t> ids, std::size_t most) {
  return ids.first(std::min(ids.size(), most));
}

}  // namespace

void Lines::add(std::string_view line) {
  text_ += line;
  ends_.push_back(text_.size());
}

std::string_view Lines::operator[](std::size_t i) const {
  const auto begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(text_).substr(begin, ends_[i] - begin);
}

bool ExampleBlock::read(ExampleReader& reader) {
  constexpr std::size_t most_examples = 2048;
  constexpr std::size_t most_bytes = std::size_t{1} << 20U;  // but for a single example that is longer
  std::size_t bytes = 0;
  std::vector<std::string> example;
  for (std::size_t i = 0; i < most_examples && bytes < most_bytes && reader.next(example); ++i) {
    texts.resize(example.size());
    for (std::size_t side = 0; side < example.size(); ++side) {
      texts[side].add(example[side]);
      bytes += example[side].size();
    }
    if (reader.has_links()) links.push_back(reader.links());
  }
  ids.resize(texts.size());
  return !texts.empty();
}

ExampleEncoder::ExampleEncoder(const std::vector<const Tokenizer*>& tokenizers, std::size_t memory,
                               const DataOptions& options)
    : has_parts_(has_parts(options.examples)),
      has_answers_(options.examples == ExampleKind::answers),
      has_trees_(options.examples == ExampleKind::trees),
      tree_tags_(options.tree_tags) {
  for (const auto* tokenizer : tokenizers) encoders_.emplace_back(*tokenizer, memory / tokenizers.size());
}

void ExampleEncoder::encode(const ExampleBlock& block, std::size_t example, std::size_t most) {
  ids_.clear();
  for (std::size_t side = 0; side < encoders_.size(); ++side) {
    const bool other = side > 0 && (has_answers_ || has_trees_);
    ids_.emplace_back(other ? encoders_[side].encode(as_encoded(block, side, example), most)
                            : encoders_[side].encode(block.texts[side][example], most));
  }
  const auto text = block.texts.front()[example];
  if (!has_parts_ || text.find(kPartMark) == std::string_view::npos) return;
  parts_.clear();
  for_each_part(text, [&](std::string_view part) {
    if (part.data() != text.data()) parts_.push_back(kEos);
    const auto& ids = encoders_.front().encode(part, most);
    parts_.insert(parts_.end(), ids.begin(), ids.end());
  });
  ids_.front() = parts_;
}

std::string ExampleEncoder::as_encoded(const ExampleBlock& block, std::size_t side,
                                       std::size_t example) const {
  const auto text = block.texts[side][example];
  if (has_trees_) return linearised_line(text, tree_tags_);
  return as_labels(find_answer(block.texts.front()[example], text));
}

void ExampleEncoder::keep(ExampleBlock& block, std::size_t example, std::size_t most) {
  bool cut = false;
  block.kept.push_back(example);
  for (std::size_t side = 0; side < ids_.size(); ++side) {
    cut = cut || ids_[side].size() > most;
    block.ids[side].add(first_ids(ids_[side], most));
  }
  if (cut) block.shortened.push_back(static_cast<std::int64_t>(example));
}

void ExampleEncoder::encode_and_filter(ExampleBlock& block, const DataOptions& options) {
  const auto most = static_cast<std::size_t>(longest_text(options));
  const bool cut = options.longer == Longer::cut;
  std::vector<std::int64_t> lengths(encoders_.size());
  for (std::size_t i = 0; i < block.texts.front().size(); ++i) {
    encode(block, i, most);
    std::ranges::transform(ids_, lengths.begin(),
                           [&](Ids ids) { return std::ssize(cut ? first_ids(ids, most) : ids); });
    const auto verdict = judge(lengths, options);
    block.examples.add(verdict);
    if (verdict == Verdict::keep) keep(block, i, most);
  }
}

void ExampleEncoder::encode_and_cut(ExampleBlock& block, std::int64_t most) {
  const auto limit = static_cast<std::size_t>(most);
  for (std::size_t i = 0; i < block.texts.front().size(); ++i) {
    encode(block, i, limit);
    block.examples.add(Verdict::keep);
    keep(block, i, limit);
  }
}

}  // namespace transformer::data
