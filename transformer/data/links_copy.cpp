#include "transformer/data/links_copy.h"

#include "transformer/base/word_links.h"
#include "transformer/data/word_begins.h"

namespace transformer::data {

LinksCopy::LinksCopy(const std::filesystem::path& file, const Tokenizer& source, const Tokenizer& target)
    : file_(file), begins_{begins_to_learn(source, "data.links"), begins_to_learn(target, "data.links")} {}

bool LinksCopy::fits(const ExampleBlock& block, std::size_t side, std::int64_t kept) const {
  const auto text = block.texts[side][block.kept[static_cast<std::size_t>(kept)]];
  return count_words(text) == std::ssize(first_pieces(block.ids[side][kept], begins_[side]));
}

void LinksCopy::add(const ExampleBlock& block) {
  for (std::int64_t i = 0; i < std::ssize(block.kept); ++i) {
    const auto& links = block.links[block.kept[static_cast<std::size_t>(i)]];
    const bool taken = !links.empty() && fits(block, 0, i) && fits(block, 1, i);
    if (!taken && !links.empty()) ++left_out_;
    file_.write(taken ? format_links(links) : "");
    file_.write("\n");
  }
}

}  // namespace transformer::data
