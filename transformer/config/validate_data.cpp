#include "transformer/config/validate_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>

namespace transformer::config {
namespace {

std::optional<Problem> problem_of_tokenizer(const data::DataOptions& data) {
  const auto* kind = data::name_of(data.tokenizer_kind);
  if (!data::has_counts(data.tokenizer_kind) && data.min_frequency > 1)
    return Problem{
        {"data.min_frequency", "data.tokenizer_kind"},
        fmt::format("expected 1 where data.tokenizer_kind is {}, found '{}'", kind, data.min_frequency)};
  if (data.tokenizer_kind == data::TokenizerKind::bpe) return std::nullopt;
  if (data.byte_fallback)
    return Problem{{"data.byte_fallback", "data.tokenizer_kind"},
                   fmt::format("expected false where data.tokenizer_kind is {}, found 'true'", kind)};
  if (data.bpe_dropout > 0)
    return Problem{
        {"data.bpe_dropout", "data.tokenizer_kind"},
        fmt::format("expected 0 where data.tokenizer_kind is {}, found '{}'", kind, data.bpe_dropout)};
  if (!data.tokenizer.empty())
    return Problem{
        {"data.tokenizer", "data.tokenizer_kind"},
        fmt::format("expected nothing where data.tokenizer_kind is {}, found '{}'", kind, data.tokenizer)};
  return std::nullopt;
}

/// A key that is for some kinds of examples alone.
struct KeyOfExamples {
  const char* key;
  const char* kinds;  ///< in words
  bool fits;          ///< the kind of examples
  bool is_standard;   ///< its value, which is all that the other kinds allow
  std::string expected, found;
};

/// What says nothing of examples of another kind.
std::optional<Problem> problem_of_examples(const data::DataOptions& data) {
  using enum data::ExampleKind;
  const data::DataOptions standard;
  const bool is_pairs = data.examples == pairs, is_documents = data.examples == documents,
             has_tables = is_pairs || has_parts(data.examples);
  const std::initializer_list<KeyOfExamples> keys = {
      {"data.block", "documents", is_documents, data.block == 0, "0", std::to_string(data.block)},
      {"data.document", "documents", is_documents, data.document == standard.document,
       name_of(standard.document), name_of(data.document)},
      {"data.bpe_dropout", "pairs", is_pairs, data.bpe_dropout == 0, "0",
       fmt::format("{}", data.bpe_dropout)},
      {"data.max_ratio", "pairs", is_pairs, data.max_ratio == 0, "0", fmt::format("{}", data.max_ratio)},
      {"data.columns", "pairs", has_tables, data.columns == standard.columns, "nothing",
       fmt::format("{},{}", data.columns.source, data.columns.target)},
      {"data.pairs", "documents that are lines", !is_documents || data.document == standard.document,
       data.pairs == 0, "0", std::to_string(data.pairs)},
      {"data.links", "pairs", is_pairs, data.links.empty(), "nothing", data.links},
      {"data.tree_tags", "trees", data.examples == trees, data.tree_tags, "true", "false"},
  };
  for (const auto& key : keys)
    if (!key.fits && !key.is_standard)
      return Problem{{key.key, "data.examples"},
                     fmt::format("expected {}, since it is for {} (data.examples), found '{}'", key.expected,
                                 key.kinds, key.found)};
  return std::nullopt;
}

std::optional<Problem> problem_of_texts(const data::DataOptions& data) {
  if (auto problem = problem_of_examples(data)) return problem;
  if (has_two_sides(data.examples) && !is_one_file(data.examples) && data.source == data.target)
    return Problem{{"data.target", "data.source"},
                   fmt::format("expected another ending than data.source, found '{}' for both", data.target)};
  const auto texts = data::train_texts(data).size();
  if (!data.weights.empty() && data.weights.size() != texts)
    return Problem{{"data.weights", "data.train"},
                   fmt::format("expected a number for each text of data.train, {}, found {}", texts,
                               data.weights.size())};
  if (data.block > 0 && std::ranges::any_of(data.weights, [](double weight) { return weight != 1; }))
    return Problem{{"data.weights", "data.block"},
                   fmt::format("expected none where blocks cut the texts (data.block: {})", data.block)};
  if (!data::is_ratio(data.max_ratio))
    return Problem{{"data.max_ratio"},
                   fmt::format("expected 0 or a number from 1, found '{}'", data.max_ratio)};
  return std::nullopt;
}

}  // namespace

std::optional<Problem> problem_of_data(const data::DataOptions& data) {
  if (auto problem = problem_of_texts(data)) return problem;
  return problem_of_tokenizer(data);
}

}  // namespace transformer::config
