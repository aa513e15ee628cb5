#include "transformer/data/piece_links.h"

#include <fmt/format.h>

#include <span>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/data/word_begins.h"

namespace transformer::data {
namespace {

using Ids = std::span<const std::int64_t>;

/// A sentence's tokens, its end among them.
Ids sentence_of(const std::vector<std::int64_t>& ids, const std::vector<std::int64_t>& offsets,
                std::size_t sentence) {
  return Ids(ids).subspan(static_cast<std::size_t>(offsets[sentence]),
                          static_cast<std::size_t>(offsets[sentence + 1] - offsets[sentence]));
}

/// The places where words begin, then that of the end token, which is the last of the ids.
std::vector<std::int64_t> word_bounds(Ids ids, const std::vector<bool>& begins) {
  const std::vector<std::int32_t> pieces(ids.begin(), ids.end() - 1);
  auto bounds = first_pieces(pieces, begins);
  bounds.push_back(std::ssize(pieces));
  return bounds;
}

/// Places of a source, from the one to before the other.
struct Range {
  std::int64_t begin, end;
};

void add(PieceLinks& links, std::size_t sentence, std::int64_t target, std::span<const Range> sources) {
  std::int64_t count = 0;
  for (const auto& [begin, end] : sources) count += end - begin;
  for (const auto& [begin, end] : sources)
    for (auto place = begin; place < end; ++place) {
      links.sentences.push_back(static_cast<std::int64_t>(sentence));
      links.targets.push_back(target);
      links.sources.push_back(place);
      links.shares.push_back(1.0F / static_cast<float>(count));
    }
}

}  // namespace

LinkedWords::LinkedWords(const std::filesystem::path& file, std::int64_t pairs, const Tokenizer& source,
                         const Tokenizer& target, Unlinked unlinked)
    : links_(parse_links(read_lines(file), file.string())),
      source_begins_(begins_to_learn(source, "data.links")),
      target_begins_(begins_to_learn(target, "data.links")),
      unlinked_(unlinked) {
  if (std::ssize(links_) != pairs)
    throw InputError(fmt::format("{}: expected a line for each of {} training pairs, found {}", file.string(),
                                 pairs, links_.size()));
}

PieceLinks LinkedWords::links_of(const Batch& batch) const {
  PieceLinks found;
  for (std::size_t i = 0; i < batch.indices.size(); ++i) {
    const auto& links = links_.at(static_cast<std::size_t>(batch.indices[i]));
    if (links.empty()) continue;
    const auto sources = word_bounds(sentence_of(batch.source, batch.source_offsets, i), source_begins_);
    const auto targets =
        word_bounds(sentence_of(batch.target_output, batch.target_offsets, i), target_begins_);
    std::vector<std::vector<Range>> linked(targets.size() - 1);  // to each word of the target
    for (const auto& [source, target] : links) {
      const auto word = static_cast<std::size_t>(source);
      linked.at(static_cast<std::size_t>(target)).push_back({sources.at(word), sources.at(word + 1)});
    }
    for (std::size_t word = 0; word < linked.size(); ++word) {
      if (linked[word].empty() && unlinked_ == Unlinked::end)
        linked[word].push_back({sources.back(), sources.back() + 1});
      for (auto place = targets[word]; place < targets[word + 1]; ++place) add(found, i, place, linked[word]);
    }
  }
  return found;
}

TreeWords::TreeWords(const Tokenizer& words, const Tokenizer& tree_tokens)
    : begins_(begins_to_learn(words, "train.guided_alignment")) {
  for (std::int32_t id = 0; id < tree_tokens.size(); ++id) {
    const auto text = tree_tokens.bytes_of(id);
    const auto first = text.find_first_not_of(' ');
    is_tag_.push_back(first != std::string::npos && text[first] != '(' && text[first] != ')');
  }
}

PieceLinks TreeWords::links_of(const Batch& batch) const {
  PieceLinks found;
  for (std::size_t i = 0; i < batch.indices.size(); ++i) {
    auto words = word_bounds(sentence_of(batch.source, batch.source_offsets, i), begins_);
    words.push_back(words.back() + 1);  // the end is read as a word
    const auto tokens = sentence_of(batch.target_output, batch.target_offsets, i);
    std::size_t next = 0;
    for (std::size_t place = 0; place < tokens.size(); ++place) {
      const Range word[] = {{words[next], words[next + 1]}};
      add(found, i, static_cast<std::int64_t>(place), word);
      if (is_tag_[static_cast<std::size_t>(tokens[place])] && next + 2 < words.size()) ++next;
    }
  }
  return found;
}

}  // namespace transformer::data
