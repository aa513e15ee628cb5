#include "transformer/base/word_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"

namespace transformer {
namespace {

struct MarkedLink {
  Link link;
  bool sure = true;
};

/// A number at the front of `text`, which it is taken from.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || text.starts_with('-')) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<MarkedLink> parse_link(std::string_view text, bool gold) {
  const auto source = take_number(text);
  if (!source || text.empty()) return {};
  const char mark = text.front();
  text.remove_prefix(1);
  const auto target = take_number(text);
  const bool known = mark == '-' || (gold && (mark == '?' || mark == 'p'));
  if (!target || !text.empty() || !known) return {};
  return MarkedLink{{*source, *target}, mark == '-'};
}

constexpr std::string_view kWhiteSpace = " \t";

/// Calls visit(link) for each link of a line.
template <typename Visit>
void for_each_link(std::string_view line, const std::string& name, std::size_t number, bool gold,
                   Visit visit) {
  for (auto begin = line.find_first_not_of(kWhiteSpace); begin != std::string_view::npos;
       begin = line.find_first_not_of(kWhiteSpace)) {
    line.remove_prefix(begin);
    const auto word = line.substr(0, line.find_first_of(kWhiteSpace));
    line.remove_prefix(word.size());
    const auto link = parse_link(word, gold);
    if (!link)
      throw InputError(fmt::format("{}:{}: expected links of words counted from 0, such as {}, found '{}'",
                                   name, number, gold ? "0-1 or 0?1" : "0-1", printable(word.substr(0, 40))));
    visit(*link);
  }
}

void sort_unique(Links& links) {
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
}

}  // namespace

std::int64_t count_words(std::string_view text) {
  std::int64_t words = 0;
  bool inside = false;
  for (const char character : text) {
    const bool blank = kWhiteSpace.find(character) != std::string_view::npos;
    if (!blank && !inside) ++words;
    inside = !blank;
  }
  return words;
}

Links parse_links(std::string_view line, const std::string& name, std::size_t number) {
  Links links;
  for_each_link(line, name, number, false, [&](const MarkedLink& found) { links.push_back(found.link); });
  sort_unique(links);
  return links;
}

std::vector<Links> parse_links(const std::vector<std::string>& lines, const std::string& name) {
  std::vector<Links> result;
  for (const auto& line : lines) result.push_back(parse_links(line, name, result.size() + 1));
  return result;
}

std::vector<GoldLinks> parse_gold_links(const std::vector<std::string>& lines, const std::string& name) {
  std::vector<GoldLinks> result;
  for (const auto& line : lines) {
    GoldLinks links;
    for_each_link(line, name, result.size() + 1, true, [&](const MarkedLink& found) {
      if (found.sure) links.sure.push_back(found.link);
      links.possible.push_back(found.link);
    });
    sort_unique(links.sure);
    sort_unique(links.possible);
    result.push_back(std::move(links));
  }
  return result;
}

Links links_of(const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  Links links;
  for (const auto& [source, target] : pairs)
    links.push_back({static_cast<std::int64_t>(source), static_cast<std::int64_t>(target)});
  sort_unique(links);
  return links;
}

std::string format_links(const Links& links) {
  std::string line;
  for (const auto& [source, target] : links)
    line += fmt::format("{}{}-{}", line.empty() ? "" : " ", source, target);
  return line;
}

}  // namespace transformer
