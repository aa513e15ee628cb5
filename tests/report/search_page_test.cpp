#include "transformer/report/search_page.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "transformer/base/text_file.h"

namespace transformer::report {
namespace {

using search::Fate;

Explanation explanation() {
  const std::vector<std::string> pieces = {"?", "pad", "<s>", "</s>", "▁a", "</script>", "bad\x01\xff"};
  search::SearchTree tree(1);
  tree.push_back({0, 4, 1, -0.25F, -0.25F, Fate::open, 1, 0});
  tree.push_back({0, 5, 1, -2, -2, Fate::crowded_out, 1, 0});
  tree.push_back({1, 3, 2, -0.5F, -0.75F, Fate::finished, 1.25, -0.6});
  tree.push_back({1, 6, 2, -std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                  Fate::passed_over, 1, 0});
  return {.model = "runs/<b>",
          .options = {.beam = 1, .alpha = 0.6},
          .piece_of = [pieces](std::int32_t token) { return pieces.at(static_cast<std::size_t>(token)); },
          .sentences = {{.source = "ein <b>",
                         .pieces = {"▁ein", "<b>"},
                         .tree = tree,
                         .hypotheses = {{{4}, -0.6, -0.75, true}},
                         .texts = {"a"}},
                        {.source = "", .pieces = {}, .tree = search::SearchTree(1)}}};
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const auto from = text.find(begin);
  REQUIRE(from != std::string::npos);
  const auto to = text.find(end, from);
  REQUIRE(to != std::string::npos);
  return text.substr(from + begin.size(), to - from - begin.size());
}

}  // namespace

TEST_CASE("a search as JSON has all that the search said") {
  const auto json = nlohmann::json::parse(explanation_json(explanation()));
  CHECK(json.at("model") == "runs/<b>");
  CHECK(json.at("options") == nlohmann::json::parse(R"({"beam": 1, "candidates": "twice", "alpha": 0.6,
    "length_penalty": "gnmt", "length_offset": 50, "nbest": 1})"));
  REQUIRE(json.at("sentences").size() == 2);
  const auto& first = json["sentences"][0];
  CHECK(first.at("source") == "ein <b>");
  CHECK(first.at("pieces") == nlohmann::json::parse(R"(["▁ein", "<b>"])"));
  CHECK(first.at("translations") ==
        nlohmann::json::parse(R"([{"text": "a", "score": -0.6, "log_probability": -0.75,
    "finished": true, "ids": [4]}])"));
  REQUIRE(first.at("nodes").size() == 5);
  CHECK(first["nodes"][0].at("parent") == -1);
  CHECK(first["nodes"][2] == nlohmann::json::parse(R"({"parent": 0, "token": 5, "piece": "</script>",
    "log_probability": -2.0, "total": -2.0, "fate": "crowded_out"})"));
  CHECK(first["nodes"][3] == nlohmann::json::parse(R"({"parent": 1, "token": 3, "piece": "</s>",
    "log_probability": -0.5, "total": -0.75, "fate": "finished", "penalty": 1.25, "score": -0.6})"));
  CHECK(first["nodes"][4].at("total").is_null());
  CHECK(first["nodes"][4].at("piece") == "bad\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(json["sentences"][1].at("nodes").size() == 1);
}

TEST_CASE("the page holds the same, nothing ends it early, and it asks for nothing else") {
  const auto page = explanation_page(explanation());
  CHECK(is_valid_utf8(page));
  const auto data = between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
  CHECK(nlohmann::json::parse(data) == nlohmann::json::parse(explanation_json(explanation())));
  CHECK(data.find('<') == std::string::npos);
  CHECK(page.find("{{") == std::string::npos);
  // The parts of the page are there, each once.
  CHECK(between(page, "<style>", "</style>").find("prefers-color-scheme: dark") != std::string::npos);
  CHECK(page.find("'use strict'") == page.rfind("'use strict'"));
  CHECK(page.find("'use strict'") != std::string::npos);
  for (const auto* remote : {"src=", "@import", "fetch(", "url(", "<link", "XMLHttpRequest"}) {
    INFO(remote);
    CHECK(page.find(remote) == std::string::npos);
  }
  // The name space of SVG is the only address.
  for (auto at = page.find("http"); at != std::string::npos; at = page.find("http", at + 1))
    CHECK(page.compare(at, 26, "http://www.w3.org/2000/svg") == 0);
}

}  // namespace transformer::report
