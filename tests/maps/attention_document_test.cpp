#include "transformer/maps/attention_document.h"

#include <zlib.h>

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/maps/sample_map.h"

using namespace transformer;
using maps::DocumentFormat;

namespace {

constexpr std::string_view kDataTag = R"(<script type="application/json" id="data">)";

std::string document_of(DocumentFormat format, const std::vector<maps::AttentionMap>& all,
                        const std::string& model = "model", std::size_t left_out = 0) {
  maps::AttentionDocument document(format, model);
  auto text = document.begin();
  for (const auto& map : all) text += document.sentence(map);
  return text + document.end(left_out);
}

/// The object that stands in a page.
std::string data_of(const std::string& page) {
  const auto begin = page.find(kDataTag);
  REQUIRE(begin != std::string::npos);
  const auto content = page.substr(begin + kDataTag.size());
  return content.substr(0, content.find("</script>"));
}

/// The bytes behind base64 and zlib's compression.
std::vector<unsigned char> unpacked(const std::string& text, std::size_t size) {
  std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> compressed;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((count += 6) >= 8) compressed.push_back(static_cast<unsigned char>(bits >> (count -= 8)));
  }
  std::vector<unsigned char> bytes(size + 1);
  auto written = static_cast<uLongf>(bytes.size());
  REQUIRE(uncompress(bytes.data(), &written, compressed.data(), static_cast<uLong>(compressed.size())) ==
          Z_OK);
  bytes.resize(written);
  return bytes;
}

/// A sentence whose pieces are what a page must not take for its own.
maps::AttentionMap hostile_map() {
  maps::AttentionMap map;
  map.source = {{"</script><script>alert(1)</script>", true},
                {"<!--", false},
                {"&amp;\"'`${x}", true},
                {"\\u003c\x01\n", true},
                {"\xff\xfe", true},
                {"</s>", true, true}};
  map.read = {{"<s>", true, true}};
  map.target = {{"</s>", true, true}};
  map.encoder = {1, 1, 6, 6, std::vector<float>(36, 1.0F / 6)};
  map.masked = {1, 1, 1, 1, {1}};
  map.cross = {1, 1, 1, 6, std::vector<float>(6, 1.0F / 6)};
  return map;
}

}  // namespace

TEST_CASE("a document's format is told by its name") {
  CHECK(maps::document_format("a.json") == DocumentFormat::json);
  CHECK(maps::document_format("runs/a.html") == DocumentFormat::page);
  for (const auto* name : {"", "a", "a.htm", "json", "a.json.gz", "a.HTML"})
    CHECK_FALSE(maps::document_format(name).has_value());
}

TEST_CASE("JSON has every weight by layer, head, query and key, and the pieces with their words") {
  std::mt19937 random(1);
  const std::vector all{test::random_map(random, {2, 3, 5, 4}), test::random_map(random, {2, 3, 1, 2})};
  const auto json = nlohmann::json::parse(document_of(DocumentFormat::json, all));
  CHECK(json["format"] == "transformer attention 1");
  CHECK(json["model"] == "model");
  REQUIRE(json["sentences"].size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& sentence = json["sentences"][i];
    CHECK(sentence["source"].size() == all[i].source.size());
    CHECK(sentence["source"].back() == "</s>");
    CHECK(sentence["read"].front() == "<s>");
    CHECK(sentence["target_words"] == maps::words_of(all[i].target));
    for (const auto& [name, weights] :
         {std::pair{"encoder", &all[i].encoder}, {"masked", &all[i].masked}, {"cross", &all[i].cross}}) {
      const auto& layers = sentence[name];
      REQUIRE(layers.size() == 2);
      for (std::size_t layer = 0; layer < 2; ++layer)
        for (std::size_t head = 0; head < 3; ++head)
          for (std::size_t query = 0; query < weights->queries; ++query)
            for (std::size_t key = 0; key < weights->keys; ++key)
              CHECK(layers[layer][head][query][key].get<double>() ==
                    Approx(weights->row(layer, head, query)[key]).margin(6e-7));
    }
  }
  CHECK(nlohmann::json::parse(document_of(DocumentFormat::json, {}))["sentences"].empty());
}

TEST_CASE("weights are written with six decimals at most") {
  auto map = hostile_map();
  map.masked.values = {0.125F};
  CHECK_THAT(document_of(DocumentFormat::json, {map}), ContainsSubstring("\"masked\":[[[[0.125]]]]"));
  map.masked.values = {1e-8F};
  CHECK_THAT(document_of(DocumentFormat::json, {map}), ContainsSubstring("\"masked\":[[[[0]]]]"));
  map.masked.values = {1.0000001F};
  CHECK_THAT(document_of(DocumentFormat::json, {map}), ContainsSubstring("\"masked\":[[[[1]]]]"));
  map.masked.values = {1e-6F};
  CHECK_THAT(document_of(DocumentFormat::json, {map}), ContainsSubstring("\"masked\":[[[[0.000001]]]]"));
}

TEST_CASE("a page holds the weights in steps of 1/255") {
  std::mt19937 random(1);
  const std::vector all{test::random_map(random, {2, 3, 5, 4})};
  const auto page = document_of(DocumentFormat::page, all, "model", 7);
  const auto json = nlohmann::json::parse(data_of(page));
  CHECK(json["left_out"] == 7);
  const auto& cross = json["sentences"][0]["cross"];
  CHECK(cross["layers"] == 2);
  CHECK(cross["heads"] == 3);
  const auto& values = all[0].cross.values;
  const auto bytes = unpacked(cross["base64"], values.size());
  REQUIRE(bytes.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(std::abs(bytes[i] / 255.0 - values[i]) <= 0.5 / 255 + 1e-7);
}

TEST_CASE("a page is whole, needs nothing from elsewhere, and takes no piece for its own") {
  const auto page = document_of(DocumentFormat::page, {hostile_map()}, "</script><b>&\"'");
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(page.find("{{") == std::string::npos);
  for (const auto* elsewhere : {"https:", "src=", "href=", "@import", "url(", "fetch(", "innerHTML"})
    CHECK(page.find(elsewhere) == std::string::npos);
  const auto data = data_of(page);
  CHECK(data.find('<') == std::string::npos);
  const auto json = nlohmann::json::parse(data);
  CHECK(json["model"] == "</script><b>&\"'");
  const auto& source = json["sentences"][0]["source"];
  CHECK(source[0] == "</script><script>alert(1)</script>");
  CHECK(source[1] == "<!--");
  CHECK(source[2] == "&amp;\"'`${x}");
  CHECK(source[3] == "\\u003c\x01\n");
  CHECK(source[4] == "\ufffd\ufffd");
  // Two scripts: the data and the code.
  std::size_t scripts = 0;
  for (auto at = page.find("</script>"); at != std::string::npos; at = page.find("</script>", at + 1))
    ++scripts;
  CHECK(scripts == 2);
}

TEST_CASE("a page of 20 sentences of a base model is smaller than 2 MB, be its heads sharp or dull") {
  for (const double deviation : {0.3, 1.0, 3.0}) {
    std::mt19937 random(5);
    std::vector<maps::AttentionMap> all;
    for (int i = 0; i < 20; ++i) all.push_back(test::random_map(random, {}, deviation));
    const auto size = document_of(DocumentFormat::page, all).size();
    CAPTURE(deviation, size);
    CHECK(size < 2'000'000);
  }
}

TEST_CASE("a page has room for so many sentences, JSON for all") {
  maps::AttentionDocument page(DocumentFormat::page, "model"), json(DocumentFormat::json, "model");
  const auto map = hostile_map();
  std::size_t taken = 0;
  for (; page.has_room() && taken < 1000; ++taken) {
    page.sentence(map);
    json.sentence(map);
  }
  CHECK(taken == maps::AttentionDocument::kMostOnPage);
  CHECK(json.has_room());
}
