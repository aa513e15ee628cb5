#include "transformer/data/encoding.h"

#include <algorithm>
#include <span>

namespace transformer::data {

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
  for (std::size_t i = 0; i < block.source_text.size(); ++i) {
    const auto& source = source_.encode(block.source_text[i], most);
    const auto& target = target_.encode(block.target_text[i], most);
    const auto verdict = judge(std::ssize(source), std::ssize(target), options);
    block.pairs.add(verdict);
    if (verdict != Verdict::keep) continue;
    block.source.add(source);
    block.target.add(target);
  }
}

void PairEncoder::encode_and_cut(PairBlock& block, std::int64_t most) {
  const auto limit = static_cast<std::size_t>(most);
  const auto cut = [&](std::span<const std::int32_t> ids) { return ids.first(std::min(ids.size(), limit)); };
  for (std::size_t i = 0; i < block.source_text.size(); ++i) {
    const auto& source = source_.encode(block.source_text[i], limit);
    const auto& target = target_.encode(block.target_text[i], limit);
    if (std::max(source.size(), target.size()) > limit)
      block.shortened.push_back(static_cast<std::int64_t>(i));
    block.pairs.add(Verdict::keep);
    block.source.add(cut(source));
    block.target.add(cut(target));
  }
}

}  // namespace transformer::data
