#include "transformer/base/base64.h"

#include <utility>

#include "tests/catch.h"

using namespace transformer;

TEST_CASE("RFC 4648's test vectors, both ways") {
  const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    CHECK(to_base64(bytes) == text);
    CHECK(from_base64(text) == bytes);
    CHECK(from_base64(text.substr(0, text.find('='))) == bytes);
  }
}

TEST_CASE("all bytes come back") {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  for (std::size_t size = 0; size <= bytes.size(); ++size)
    CHECK(from_base64(to_base64(bytes.substr(bytes.size() - size))) == bytes.substr(bytes.size() - size));
}

TEST_CASE("other text is no base64") {
  for (const auto* text : {"Zm9v!", "Zm 9v", "Zg==Zg==", "Zm9_"}) CHECK_FALSE(from_base64(text));
}
