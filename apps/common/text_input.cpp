#include "apps/common/text_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/base/streams.h"
#include "transformer/base/text_stream.h"

namespace transformer::apps {

void check_standard_input(const std::vector<TextOption>& options) {
  const auto is_dash = [](const TextOption& option) { return option.second == "-"; };
  const auto first = std::ranges::find_if(options, is_dash);
  if (first == options.end()) return;
  const auto second = std::find_if(first + 1, options.end(), is_dash);
  if (second != options.end())
    throw InputError(fmt::format("{} -: expected a file, since standard input is read for {}", second->first,
                                 second->first == first->first ? "another " + first->first : first->first));
}

std::vector<std::string> read_text(const std::string& path, ByteOrderMark mark) {
  std::vector<std::string> lines;
  if (path == "-") {
    TextStream text(STDIN_FILENO, input_name(path));
    LineReader reader(text, input_name(path), mark);
    for (std::string line; reader.next(line);) lines.push_back(line);
  } else {
    lines = read_lines(path, nullptr, mark);
  }
  if (lines.empty())
    throw InputError(fmt::format("{}: expected at least one line, found none", input_name(path)));
  return lines;
}

void check_line_count(std::size_t lines, const std::string& path, std::size_t expected,
                      const std::string& other) {
  if (lines == expected) return;
  throw InputError(fmt::format("{}: expected {} lines, as in {}, found {}", input_name(path), expected,
                               input_name(other), lines));
}

}  // namespace transformer::apps
