#include "transformer/maps/attention_document.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "transformer/base/choices.h"
#include "transformer/base/embedded_page.h"
#include "transformer/maps/weight_text.h"

namespace transformer::maps {

std::string_view attention_page_text();  // page/

namespace {

/// JSON in one line, of valid UTF-8.
std::string dumped(const nlohmann::ordered_json& value) {
  return in_script(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::vector<std::string> texts_of(const std::vector<Piece>& pieces) {
  std::vector<std::string> texts;
  for (const auto& piece : pieces) texts.push_back(piece.text);
  return texts;
}

std::string weights_text(DocumentFormat format, const AttentionWeights& weights) {
  switch (format) {
    case DocumentFormat::json:
      return weights_as_json(weights);
    case DocumentFormat::page:
      return fmt::format(R"({{"layers":{},"heads":{},"base64":"{}"}})", weights.layers, weights.heads,
                         weights_as_base64(weights));
  }
  no_such_choice();
}

}  // namespace

std::optional<DocumentFormat> document_format(const std::string& path) {
  if (path.ends_with(".json")) return DocumentFormat::json;
  if (path.ends_with(".html")) return DocumentFormat::page;
  return std::nullopt;
}

AttentionDocument::AttentionDocument(DocumentFormat format, std::string model)
    : format_(format), model_(std::move(model)) {}

std::string AttentionDocument::begin() const {
  auto head =
      fmt::format("{{\"format\":\"transformer attention 1\",\"model\":{},\n\"sentences\":[", dumped(model_));
  switch (format_) {
    case DocumentFormat::json:
      return head;
    case DocumentFormat::page:
      return std::string(around_data(attention_page_text()).before) + head;
  }
  no_such_choice();
}

std::string AttentionDocument::sentence(const AttentionMap& map) {
  const nlohmann::ordered_json pieces = {
      {"source", texts_of(map.source)},   {"read", texts_of(map.read)},
      {"target", texts_of(map.target)},   {"source_words", words_of(map.source)},
      {"read_words", words_of(map.read)}, {"target_words", words_of(map.target)}};
  auto text = dumped(pieces);
  text.pop_back();
  for (const auto& [kind, weights] :
       {std::pair{"encoder", &map.encoder}, {"masked", &map.masked}, {"cross", &map.cross}})
    text += fmt::format(",\n\"{}\":{}", kind, weights_text(format_, *weights));
  return (sentences_++ == 0 ? "\n" : ",\n") + text + "}";
}

std::string AttentionDocument::end(std::size_t left_out) const {
  switch (format_) {
    case DocumentFormat::json:
      return "\n]}\n";
    case DocumentFormat::page:
      return fmt::format("\n],\"left_out\":{}}}", left_out) +
             std::string(around_data(attention_page_text()).after);
  }
  no_such_choice();
}

}  // namespace transformer::maps
