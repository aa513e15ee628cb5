#include "transformer/data/text_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/data/options.h"

namespace transformer::data {
namespace {

/// What is prepared is read several times.
const std::filesystem::path& checked(const std::filesystem::path& file) {
  check_regular_file(file);
  return file;
}

bool has_no_word(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  for (std::size_t begin = 0; begin <= line.size();) {
    const auto end = std::min(line.find('\t', begin), line.size());
    columns.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return columns;
}

}  // namespace

TextReader::TextReader(const SideFile& file)
    : side_(file), file_(checked(file.path)), lines_(file_, file.path.string()) {
  if (!side_.column.empty()) find_column();
}

bool TextReader::next(std::string& line) {
  if (side_.tree) return next_tree(line);
  if (side_.lines > 0 && static_cast<std::int64_t>(line_number() - heading_) >= side_.lines) return false;
  if (!lines_.next(line)) return false;
  if (column_ > 0) keep_column(line);
  if (!json_key_.empty()) keep_value(line);
  return true;
}

bool TextReader::next_tree(std::string& text) {
  if (side_.lines > 0 && trees_ >= side_.lines) return false;
  trees::BracketedTree tree;
  while (tree.words.empty())  // a tree of traces alone is no sentence
    if (!read_tree(tree)) return false;
  ++trees_;
  text = *side_.tree == TreePart::words ? trees::words_of(tree) : trees::to_brackets(tree);
  return true;
}

bool TextReader::read_tree(trees::BracketedTree& plain) {
  std::string tree, line;
  std::size_t first = 0;
  std::int64_t open = 0;
  while ((tree.empty() || open > 0) && lines_.next(line)) {
    if (tree.empty() && has_no_word(line)) continue;
    if (tree.empty()) first = line_number();
    tree += (tree.empty() ? "" : " ") + line;
    open += std::ranges::count(line, '(') - std::ranges::count(line, ')');
    constexpr std::size_t kLongest = std::size_t{1} << 20U;
    if (tree.size() > kLongest)
      throw InputError(fmt::format("{}:{}: expected a tree of at most {} bytes, found one that does not end",
                                   side_.path.string(), first, kLongest));
  }
  if (tree.empty()) return false;
  try {
    plain = trees::plain_tree(trees::parse_tree(tree));
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{}:{}: expected a tree in brackets: {}", side_.path.string(), first, error.what()));
  }
  return true;
}

void TextReader::find_column() {
  const auto& column = side_.column;
  if (has_json_name(side_.path.string())) {
    json_key_ = column == Columns{}.source ? "text" : column == Columns{}.target ? "label" : column;
    return;
  }
  if (is_column_number(column)) {
    std::from_chars(column.data(), column.data() + column.size(), column_);
    return;
  }
  std::string line;
  heading_ = lines_.next(line) ? 1 : 0;  // of an empty file there is another thing to say
  const auto names = columns_of(line);
  const auto found = std::ranges::find(names, column);
  if (found == names.end() && heading_ > 0)
    throw InputError(fmt::format(
        "{}:1: expected the names of the columns, one of them {} (data.columns), found {}",
        side_.path.string(), printable(column), printable(fmt::format("{}", fmt::join(names, ", ")))));
  column_ = static_cast<std::size_t>(found - names.begin()) + 1;
}

void TextReader::keep_column(std::string& line) const {
  const auto columns = columns_of(line);
  if (columns.size() < 2)
    throw InputError(fmt::format("{}:{}: expected two sentences with a tab between them, found no tab",
                                 side_.path.string(), line_number()));
  if (columns.size() < column_)
    throw InputError(fmt::format("{}:{}: expected {} columns at least (data.columns), found {}",
                                 side_.path.string(), line_number(), column_, columns.size()));
  line = std::string(columns[column_ - 1]);
}

void TextReader::keep_value(std::string& line) const {
  const auto expect = [&](bool holds, std::string_view found) {
    if (holds) return;
    throw InputError(
        fmt::format("{}:{}: expected an object of JSON with the key {} (data.columns), a text, a "
                    "number or a list of texts, found {}",
                    side_.path.string(), line_number(), printable(json_key_), found));
  };
  const auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  expect(object.is_object(), "something else");
  const auto found = object.find(json_key_);
  expect(found != object.end(), "none");
  const auto text_of = [&](const nlohmann::json& value) {
    expect(value.is_string() || value.is_number(), value.type_name());
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  line.clear();
  if (found->is_array())
    for (const auto& value : *found) line += (line.empty() ? "" : " ") + text_of(value);
  else
    line = text_of(*found);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
}

}  // namespace transformer::data
