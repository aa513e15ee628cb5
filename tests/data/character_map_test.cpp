#include "transformer/data/character_map.h"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/data/small_tokenizer.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/model_message.h"
#include "transformer/data/unigram_model.h"

using namespace transformer;
using data::CharacterMap;

namespace {

/// What SentencePiece makes of a text by a map.
std::string normalized(const std::string& map, const std::string& text) {
  data::UnigramModel model{.character_map = map};
  for (const auto* piece : {"<unk>", "<pad>", "<s>", "</s>", "\u2581"}) model.pieces.push_back({piece});
  return data::Tokenizer::of_content(data::unigram_model(model), "m").normalized(text);
}

std::map<std::string, std::string> contents_of(const CharacterMap& map) {
  std::map<std::string, std::string> all;
  for (const auto& [key, value] : map.all()) all.emplace(key, value);
  return all;
}

}  // namespace

TEST_CASE("a map of characters is what SentencePiece reads, and what was written") {
  const std::map<std::string, std::string> values{
      {"a", "A"}, {"ab", "X"}, {"b", ""}, {"\u00E9", "e"}, {"e\u0301", "\u00E9"}, {"\U0001F642", ":)"}};
  const auto content = CharacterMap::content_of(values);
  CHECK(contents_of(CharacterMap(content)) == values);
  CHECK(normalized(content, "abab a b c\u00E9 e\u0301e \U0001F642") ==
        "\u2581XX\u2581A\u2581ce\u2581\u00E9e\u2581:)");
  const CharacterMap map(content);
  CHECK(map.first_of("abc") == "A");  // the shortest
  CHECK(map.first_of("e\u0301x") == "\u00E9");
  CHECK_FALSE(map.first_of("e"));
  CHECK_FALSE(map.first_of(""));
  CHECK_FALSE(map.first_of(std::string(3, '\0')));
}

TEST_CASE("a map may have thousands of keys, or none") {
  std::map<std::string, std::string> values;
  for (int i = 0; i < 20000; ++i) values.emplace(std::to_string(i * 7919), std::to_string(i % 100));
  const CharacterMap map(CharacterMap::content_of(values));
  CHECK(contents_of(map) == values);
  for (const int i : {1, 77, 19999}) {
    const auto key = std::to_string(i * 7919);
    std::string shortest = key;
    for (std::size_t size = key.size(); size > 0; --size)
      if (values.contains(key.substr(0, size))) shortest = key.substr(0, size);
    CHECK(map.first_of(key) == values.at(shortest));
  }
  CHECK(CharacterMap::content_of({}).empty());
  CHECK(CharacterMap("").all().empty());
  CHECK_FALSE(CharacterMap("").first_of("a"));
}

TEST_CASE("the map of SentencePiece's trainer is read") {
  const test::TemporaryFolder folder;
  const auto tokenizer = test::train(folder, test::small());
  std::string own;
  for (const auto& field : data::fields_of(tokenizer.serialized()))
    if (field.number == data::ModelField::normalizer)
      for (const auto& part : data::fields_of(field.content))
        if (part.number == 2) own = part.content;
  const CharacterMap map(own);
  CHECK(map.first_of("\uFF21") == "A");  // a wide letter
  CHECK(map.first_of("\u00A0") == " ");
  const auto all = map.all();
  CHECK(all.size() > 1000);
  std::map<std::string, std::string> values;
  for (const auto& [key, value] : all)
    if (key.size() < 5) values.emplace(key, value);
  CHECK(contents_of(CharacterMap(CharacterMap::content_of(values))) == values);
  CHECK(normalized(CharacterMap::content_of(values), "\uFF21\u2460") == normalized(own, "\uFF21\u2460"));
}

TEST_CASE("damaged maps are refused") {
  const auto good = CharacterMap::content_of({{"a", "b"}});
  for (const auto& content : {std::string("abc"), good.substr(0, good.size() - 1), std::string(8, '\xFF'),
                              std::string("\x03\0\0\0abcd", 8), good.substr(0, 100)})
    CHECK_THROWS_AS(CharacterMap(content), std::runtime_error);
  // A value outside, and a trie that leads back to its root.
  auto outside = good;
  for (std::size_t place = 4; place + 4 < good.size() - 2; place += 4)
    if (static_cast<unsigned char>(good[place + 3]) == 0x80 && good[place] == 0 && good[place + 1] == 0)
      outside[place + 1] = 1;
  CHECK_THROWS_AS(CharacterMap(outside).all(), std::runtime_error);
  std::string circle("\x08\0\0\0", 4);
  for (const int byte : {0x00, 0x0C, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00})
    circle.push_back(static_cast<char>(byte));
  circle += std::string("x\0", 2);
  const auto read_all = [&] { return CharacterMap(circle).all(); };
  CHECK_THROWS_AS(read_all(), std::runtime_error);
}
