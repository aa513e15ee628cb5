#include "apps/translate/together.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "transformer/base/error.h"

namespace transformer::apps {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

/// In front of each one's output: whether it was cut, how many lines follow, and the best one's ids.
std::string packed(const std::vector<TranslatedLine>& translated) {
  std::string text;
  for (const auto& line : translated)
    text += fmt::format("{} {} {}\n{}", line.truncated ? 1 : 0, std::ranges::count(line.output, '\n'),
                        fmt::join(line.best, " "), line.output);
  return text;
}

std::vector<TranslatedLine> unpacked(const std::string& text) {
  std::vector<TranslatedLine> translated;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size();) {
    auto& line = translated.emplace_back();
    std::istringstream head(lines[i++]);
    std::size_t count = 0;
    head >> line.truncated >> count;
    for (std::int32_t id = 0; head >> id;) line.best.push_back(id);
    for (; count > 0; --count) line.output += lines.at(i++) + "\n";
  }
  return translated;
}

}  // namespace

std::vector<TranslatedLine> translate_together(distributed::Group& group, const Lines& lines,
                                               std::size_t first, const TranslateLines& translate) {
  const auto all = lines_of(group.from_first(joined(lines)));
  if (all.empty()) return {};
  const auto size = static_cast<std::size_t>(group.size());
  Lines own;
  std::vector<std::size_t> numbers;
  for (auto i = static_cast<std::size_t>(group.rank()); i < all.size(); i += size) {
    own.push_back(all[i]);
    numbers.push_back(first + i);
  }
  std::vector<TranslatedLine> translated;
  distributed::interrupt_together(&group, [&] { translated = translate(own, numbers); });
  std::vector<std::vector<TranslatedLine>> shares;
  for (const auto& text : group.exchange(packed(translated))) shares.push_back(unpacked(text));
  std::vector<TranslatedLine> together;
  for (std::size_t i = 0; i < all.size(); ++i) together.push_back(std::move(shares[i % size].at(i / size)));
  return together;
}

}  // namespace transformer::apps
