// Links between words of two texts, in Pharaoh's format: "0-0 1-2 2-1".
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transformer {

/// A word of the source that a word of the target translates, both counted from 0.
struct Link {
  std::int64_t source = 0, target = 0;
  auto operator<=>(const Link&) const = default;  // NOLINT(modernize-use-nullptr): of the generated code
};

/// The links of a sentence pair, rising, each once.
using Links = std::vector<Link>;

/// What a person, or a grammar, says of a sentence pair. A link that is no more than possible is neither
/// asked for nor counted as wrong.
struct GoldLinks {
  Links sure;
  Links possible;  ///< the sure ones, too
};

/// Words between blanks.
std::int64_t count_words(std::string_view text);

/// The links of a line, in any order; it may be empty. Throws InputError "name:number: …" for anything else.
Links parse_links(std::string_view line, const std::string& name, std::size_t number);

/// The same of each line, which are counted from 1.
std::vector<Links> parse_links(const std::vector<std::string>& lines, const std::string& name);

/// The same with links that are no more than possible: "0-0 1?2", or "1p2". One that is also sure is sure.
std::vector<GoldLinks> parse_gold_links(const std::vector<std::string>& lines, const std::string& name);

/// Pairs of a source and a target word, in any order, as links.
Links links_of(const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

/// "0-0 1-2 2-1"
std::string format_links(const Links& links);

}  // namespace transformer
