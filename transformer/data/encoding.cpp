#include "transformer/data/encoding.h"

#include <algorithm>
#include <span>

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

bool PairBlock::read(PairReader& reader) {
  constexpr std::size_t most_pairs = 2048;
  constexpr std::size_t most_bytes = std::size_t{1} << 20U;  // but for a single pair that is longer
  std::string source;
  std::string target;
  while (source_text.size() < most_pairs && source_text.bytes() + target_text.bytes() < most_bytes &&
         reader.next(source, target)) {
    source_text.add(source);
    target_text.add(target);
  }
  return source_text.size() > 0;
}

void PairEncoder::encode_and_filter(PairBlock& block, const DataOptions& options) {
  const auto most = static_cast<std::size_t>(options.max_tokens);
  const bool cut = options.longer == Longer::cut;
  for (std::size_t i = 0; i < block.source_text.size(); ++i) {
    const auto all_source = std::span(source_.encode(block.source_text[i], most));
    const auto all_target = std::span(target_.encode(block.target_text[i], most));
    const auto source = cut ? first_ids(all_source, most) : all_source;
    const auto target = cut ? first_ids(all_target, most) : all_target;
    const auto verdict = judge(std::ssize(source), std::ssize(target), options);
    block.pairs.add(verdict);
    if (verdict != Verdict::keep) continue;
    if (source.size() < all_source.size() || target.size() < all_target.size())
      block.shortened.push_back(static_cast<std::int64_t>(i));
    block.source.add(source);
    block.target.add(target);
  }
}

void PairEncoder::encode_and_cut(PairBlock& block, std::int64_t most) {
  const auto limit = static_cast<std::size_t>(most);
  for (std::size_t i = 0; i < block.source_text.size(); ++i) {
    const auto& source = source_.encode(block.source_text[i], limit);
    const auto& target = target_.encode(block.target_text[i], limit);
    if (std::max(source.size(), target.size()) > limit)
      block.shortened.push_back(static_cast<std::int64_t>(i));
    block.pairs.add(Verdict::keep);
    block.source.add(first_ids(source, limit));
    block.target.add(first_ids(target, limit));
  }
}

}  // namespace transformer::data
