#include "transformer/report/search_page.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "transformer/base/embedded_page.h"
#include "transformer/report/escape.h"

namespace transformer::report {

std::string_view search_page_text();  // page/

namespace {

using Object = nlohmann::ordered_json;

/// Six digits tell more than the model knows.
Object finite(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::round(value * 1e6) / 1e6;
}

Object node_json(const search::TreeNode& node, const Explanation& explanation) {
  Object json = {{"parent", node.parent},
                 {"token", node.token},
                 {"piece", clean(explanation.piece_of(node.token))},
                 {"log_probability", finite(node.log_probability)},
                 {"total", finite(node.total)},
                 {"fate", search::name_of(node.fate)}};
  switch (node.fate) {
    case search::Fate::finished:
      json["penalty"] = finite(node.penalty);
      json["score"] = finite(node.score);
      break;
    case search::Fate::open:
    case search::Fate::crowded_out:
    case search::Fate::passed_over:
    case search::Fate::given_up:
      break;
  }
  return json;
}

Object sentence_json(const ExplainedSentence& sentence, const Explanation& explanation) {
  Object json = {{"source", clean(sentence.source)},
                 {"pieces", Object::array()},
                 {"translations", Object::array()},
                 {"nodes", Object::array()}};
  for (const auto& piece : sentence.pieces) json["pieces"].push_back(clean(piece));
  for (std::size_t i = 0; i < sentence.hypotheses.size(); ++i) {
    const auto& hypothesis = sentence.hypotheses[i];
    json["translations"].push_back({{"text", clean(sentence.texts[i])},
                                    {"score", finite(hypothesis.score)},
                                    {"log_probability", finite(hypothesis.log_probability)},
                                    {"finished", hypothesis.finished},
                                    {"ids", hypothesis.ids}});
  }
  for (const auto& node : sentence.tree) json["nodes"].push_back(node_json(node, explanation));
  return json;
}

Object explanation_object(const Explanation& explanation) {
  const auto& options = explanation.options;
  Object json = {{"model", clean(explanation.model)},
                 {"options",
                  {{"beam", options.beam},
                   {"candidates", search::name_of(options.candidates)},
                   {"alpha", options.alpha},
                   {"length_penalty", search::name_of(options.length_penalty)},
                   {"length_offset", options.length_offset},
                   {"nbest", options.nbest}}},
                 {"sentences", Object::array()}};
  for (const auto& sentence : explanation.sentences)
    json["sentences"].push_back(sentence_json(sentence, explanation));
  return json;
}

}  // namespace

std::string explanation_json(const Explanation& explanation) {
  return explanation_object(explanation).dump(1) + "\n";
}

std::string explanation_page(const Explanation& explanation) {
  const auto page = around_data(search_page_text());
  return std::string(page.before) + in_script(explanation_object(explanation).dump()) +
         std::string(page.after);
}

}  // namespace transformer::report
