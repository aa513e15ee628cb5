#include "apps/inspect/shapes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "transformer/base/error.h"
#include "transformer/models/shapes.h"

namespace transformer::apps {
namespace {

nlohmann::ordered_json tokens_of(const data::Tokenizer& tokenizer, const std::string& text) {
  auto list = nlohmann::ordered_json::array();
  const auto pieces = tokenizer.pieces(text);
  const auto ids = tokenizer.encode(text);
  for (std::size_t i = 0; i < ids.size(); ++i) list.push_back({{"piece", pieces.at(i)}, {"id", ids[i]}});
  return list;
}

/// A character takes a column; bytes behind its first take none.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

void print_shapes(const Subject& subject, const std::vector<std::int64_t>& lengths, bool as_json) {
  if (const auto& kind = subject.experiment.model.kind)
    throw InputError(fmt::format("--shapes: expected an encoder-decoder, found model.kind {}", kind.name));
  models::EncoderDecoder model(subject.experiment.model, subject.vocabulary);
  const auto shapes = models::shapes_of(model, lengths.at(0), lengths.at(1));
  if (as_json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& [name, sizes] : shapes) list.push_back({{"name", name}, {"shape", sizes}});
    fmt::print("{}\n", list.dump(2));
    return;
  }
  std::size_t widest = 0;
  for (const auto& shape : shapes) widest = std::max(widest, columns(shape.name));
  for (const auto& [name, sizes] : shapes)
    fmt::print("{}{:{}}({})\n", name, "", widest - columns(name) + 2, fmt::join(sizes, ", "));
}

void print_tokens(const checkpoints::Tokenizers& tokenizers, const std::vector<std::string>& texts,
                  bool as_json) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& text : texts) {
    nlohmann::ordered_json entry = {{"text", text}, {"source", tokens_of(*tokenizers.source, text)}};
    if (tokenizers.target != tokenizers.source) entry["target"] = tokens_of(*tokenizers.target, text);
    list.push_back(std::move(entry));
  }
  if (as_json) {
    fmt::print("{}\n", list.dump(2));
    return;
  }
  for (const auto& entry : list) {
    fmt::print("{}\n", entry.at("text").get_ref<const std::string&>());
    for (const auto* side : {"source", "target"}) {
      if (!entry.contains(side)) continue;
      fmt::print("  {}, {} tokens\n", side, entry.at(side).size());
      for (const auto& token : entry.at(side))
        fmt::print("  {:>8}  {}\n", token.at("id").get<int>(),
                   token.at("piece").get_ref<const std::string&>());
    }
  }
}

}  // namespace transformer::apps
