#include "transformer/data/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {

namespace {

/// The file, or its compressed form.
std::optional<std::filesystem::path> found(const std::string& file) {
  for (const auto* ending : {"", ".gz", ".zst"})
    if (std::filesystem::exists(file + ending)) return file + ending;
  return std::nullopt;
}

/// Whether there is a tab in the first line, as far as a first line should reach. What cannot be read has
/// none.
bool begins_with_a_tabbed_line(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || !std::ifstream(file).good()) return false;
  constexpr int kFar = 1 << 16;  // bytes
  TextStream text(file);
  for (int i = 0; i < kFar; ++i) {
    const auto next = text.get();
    if (next == '\t') return true;
    if (next == '\n' || next == TextStream::traits_type::eof()) return false;
  }
  return false;
}

SideFile side_of(const std::string& prefix, const std::string& language, const std::string& column,
                 const DataOptions& options) {
  SideFile side(side_path(prefix, language, options));
  if (is_table(prefix, options)) side.column = column;
  return side;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

/// Of the whole file.
std::size_t count_lines(const SideFile& side) {
  TextReader reader(side);
  for (std::string line; reader.next(line);) continue;
  return reader.line_number();
}

}  // namespace

bool is_table(const std::string& prefix, const DataOptions& options) {
  if (is_one_file(options.examples)) return false;
  if (has_table_name(prefix) || has_json_name(prefix)) return true;
  for (const auto& language : {options.source, options.target})
    if (found(prefix + "." + language)) return false;
  const auto file = found(prefix);
  return file && begins_with_a_tabbed_line(*file);
}

std::filesystem::path side_path(const std::string& prefix, const std::string& language,
                                const DataOptions& options) {
  const bool itself = is_one_file(options.examples) || is_table(prefix, options);
  const auto plain = itself ? prefix : prefix + "." + language;
  return found(plain).value_or(plain);
}

std::vector<Split> splits_of(const DataOptions& options) {
  std::vector<Split> splits{{"train", train_texts(options)}, {"dev", {options.dev}}};
  if (!options.test.empty()) splits.push_back({"test", {options.test}});
  return splits;
}

std::vector<InputFile> input_files(const DataOptions& options) {
  std::vector<InputFile> files;
  for (const auto& [split, texts] : splits_of(options))
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto name = i == 0 ? split : fmt::format("{}{}", split, i + 1);
      if (has_two_sides(options.examples))
        files.push_back({name + ".source", split, side_path(texts[i], options.source, options)});
      files.push_back({name + ".target", split, side_path(texts[i], options.target, options)});
      if (split == "train" && !options.links.empty())
        files.push_back({name + ".links", "links", side_path(texts[i], options.links, options)});
    }
  if (options.tokenizer.empty()) return files;
  files.push_back({"tokenizer", "tokenizer", options.tokenizer});
  if (const auto vocabulary = vocabulary_file(options.tokenizer); std::filesystem::exists(vocabulary))
    files.push_back({"tokenizer.vocabulary", "tokenizer", vocabulary});
  return files;
}

std::vector<SideFile> side_files(const std::string& prefix, const DataOptions& options) {
  auto target = side_of(prefix, options.target, options.columns.target, options);
  if (options.examples == ExampleKind::documents) return {target};
  if (options.examples == ExampleKind::trees) {
    auto words = target;
    words.tree = TreePart::words;
    target.tree = TreePart::brackets;
    return {words, target};
  }
  return {side_of(prefix, options.source, options.columns.source, options), target};
}

ExampleReader::ExampleReader(const std::string& prefix, const DataOptions& options, std::int64_t most,
                             bool links)
    : sides_(side_files(prefix, options)),
      has_links_(links),
      document_(options.document),
      left_(most > 0 ? most : std::numeric_limits<std::int64_t>::max()) {
  if (links) {
    if (is_table(prefix, options))
      throw InputError(
          fmt::format("data.links: expected nothing where a training text is a table ({}), found '{}'",
                      prefix, options.links));
    sides_.emplace_back(side_path(prefix, options.links, options));
  }
  for (const auto& side : sides_) readers_.push_back(std::make_unique<TextReader>(side));
}

std::size_t ExampleReader::windows_line_ends() const {
  const bool one_file = !sides_.front().column.empty() || sides_.front().tree;
  std::size_t all = 0;
  for (const auto& reader : readers_)
    if (!one_file || reader == readers_.front()) all += reader->windows_line_ends();
  return all;
}

bool ExampleReader::next_document(std::string& text) {
  auto& reader = *readers_.front();
  text.clear();
  bool found = false;
  for (std::string line; reader.next(line);) {
    const bool blank = document_ != DocumentKind::file && is_blank(line);
    if (blank && found) return true;
    if (blank) continue;
    if (document_ == DocumentKind::line) {
      text = std::move(line);
      return true;
    }
    if (std::exchange(found, true)) text += '\n';
    text += line;
  }
  return found;
}

void ExampleReader::read_links(const std::vector<std::string>& texts) {
  const auto file = sides_.back().path.string();
  const auto line = readers_.back()->line_number();
  links_ = parse_links(texts.back(), file, line);
  const auto sources = count_words(texts[0]), targets = count_words(texts[1]);
  for (const auto& link : links_)
    if (link.source >= sources || link.target >= targets)
      throw InputError(fmt::format("{}:{}: expected links of {} source and {} target words, found '{}'", file,
                                   line, sources, targets, format_links({link})));
}

bool ExampleReader::next(std::vector<std::string>& texts) {
  texts.resize(sides_.size());
  if (left_ == 0) return false;
  --left_;
  if (sides_.size() == 1) return next_document(texts.front());
  const bool found = readers_.front()->next(texts.front());
  for (std::size_t i = 1; i < sides_.size(); ++i) {
    if (readers_[i]->next(texts[i]) == found) continue;
    throw InputError(fmt::format("{} and {}: expected equally many lines, found {} and {}",
                                 sides_[0].path.string(), sides_[i].path.string(), count_lines(sides_[0]),
                                 count_lines(sides_[i])));
  }
  if (!has_links_) return found;
  if (found) read_links(texts);
  texts.pop_back();
  return found;
}

std::int64_t longest_text(const DataOptions& options) {
  return options.block > 0 ? std::numeric_limits<std::int64_t>::max() / 2 : options.max_tokens;
}

Verdict judge(std::span<const std::int64_t> tokens, const DataOptions& options) {
  const auto [shorter, longer] = std::ranges::minmax(tokens);
  if (shorter == 0) return Verdict::empty;
  if (longer > longest_text(options)) return Verdict::too_long;
  if (options.max_ratio > 0 &&
      static_cast<double>(longer) > options.max_ratio * static_cast<double>(shorter)) {
    return Verdict::ratio;
  }
  return Verdict::keep;
}

void FilterCounts::add(Verdict verdict) {
  switch (verdict) {
    case Verdict::keep:
      ++kept;
      break;
    case Verdict::empty:
      ++empty;
      break;
    case Verdict::too_long:
      ++too_long;
      break;
    case Verdict::ratio:
      ++ratio;
      break;
  }
}

FilterCounts& FilterCounts::operator+=(const FilterCounts& more) {
  kept += more.kept;
  empty += more.empty;
  too_long += more.too_long;
  ratio += more.ratio;
  return *this;
}

}  // namespace transformer::data
