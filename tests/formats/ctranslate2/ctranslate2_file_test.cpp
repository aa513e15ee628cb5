#include "transformer/formats/ctranslate2/ctranslate2_file.h"

#include <stdexcept>

#include "tests/damage.h"
#include "tests/formats/exported_model.h"

namespace transformer::formats {
namespace {

using namespace std::string_literals;

/// Two variables, an attribute and an alias, byte for byte.
const std::string kBytes =
    "\x06\0\0\0"
    "\x05\0Spec\0"
    "\x07\0\0\0"
    "\x03\0\0\0"
    "\x02\0a\0"
    "\x02\x01\0\0\0\x02\0\0\0"
    "\0"
    "\x08\0\0\0"
    "\0\0\x80\x3f\0\0\0\xc0"
    "\x02\0b\0"
    "\0\x02\x02\0\0\0\xff\xff"
    "\x02\0c\0"
    "\x01\x02\0\0\0\x01\x02\0\0\0\x01\xfe"
    "\x01\0\0\0"
    "\x02\0d\0\x02\0a\0"s;

CTranslate2File small_file() {
  return {.specification = "Spec",
          .revision = 7,
          .variables = {{"c", torch::tensor({1, -2}, torch::kChar)},
                        {"b", torch::tensor(-1, torch::kShort)},
                        {"a", torch::tensor({{1.0F, -2.0F}})}},
          .aliases = {{"d", "a"}}};
}

TEST_CASE("a file of variables has the bytes that the format prescribes") {
  const test::TemporaryFolder folder;
  save_ctranslate2_file(folder.path() / "model.bin", small_file());
  CHECK(test::content_of(folder.path() / "model.bin") == kBytes);
}

TEST_CASE("a file of variables is read back") {
  const test::TemporaryFolder folder;
  const auto file = load_ctranslate2_file(folder.write("model.bin", kBytes)), expected = small_file();
  CHECK(file.specification == "Spec");
  CHECK(file.revision == 7);
  CHECK(file.aliases == expected.aliases);
  REQUIRE(file.variables.size() == 3);
  for (const auto& [name, numbers] : expected.variables) {
    CHECK(file.variables.at(name).scalar_type() == numbers.scalar_type());
    CHECK(torch::equal(file.variables.at(name), numbers));
  }
}

TEST_CASE("what the format cannot hold is not written") {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "model.bin";
  auto file = small_file();
  file.variables["a"] = torch::zeros(2, torch::kDouble);
  CHECK_THROWS_AS(save_ctranslate2_file(path, file), std::invalid_argument);
  file.specification = std::string(70000, 'x');
  test::check_refused([&] { save_ctranslate2_file(path, file); }, {path.string(), "65535", "70001"});
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a file of variables that is cut short or changed is refused, or harmless") {
  const test::TemporaryFolder folder;
  const auto path = folder.write("model.bin", kBytes);
  const int noticed = test::damage_noticed(path, [&] {
    const auto file = load_ctranslate2_file(path);
    return file.variables.size() <= 3 && file.aliases.size() <= 1;
  });
  CHECK(noticed > 100);  // all that are cut short, to begin with
  for (std::size_t length = 0; length < kBytes.size(); ++length)
    test::check_refused([&] { load_ctranslate2_file(folder.write("short.bin", kBytes.substr(0, length))); },
                        {"short.bin", "expected"});
}

TEST_CASE("wrong sizes are refused before memory is taken for them") {
  const test::TemporaryFolder folder;
  const auto changed = [&](std::size_t place, const std::string& bytes) {
    return [&folder, text = std::string(kBytes).replace(place, bytes.size(), bytes)] {
      load_ctranslate2_file(folder.write("model.bin", text));
    };
  };
  const auto a = kBytes.find("\x02\0a\0"s) + 4;  // rank, 2 dimensions, type, bytes
  test::check_refused(changed(a + 1, "\xff\xff\xff\xff"s), {"'a'", "expected as many bytes"});
  test::check_refused(changed(a + 1, "\0\0\0\0"s), {"'a'", "expected as many bytes"});
  test::check_refused(changed(a + 10, "\xff\xff\xff\xff"s), {"'a'", "expected as many bytes"});
  test::check_refused(changed(a + 9, "\x09"s), {"'a'", "type", "found 9"});
  test::check_refused(changed(a, "\x40"s), {"'a'", "dimensions", "found 64"});
  test::check_refused(changed(0, "\x07"s), {"version 6", "found 7"});
  test::check_refused([&] { load_ctranslate2_file(folder.write("model.bin", kBytes + "x")); },
                      {"1 more bytes"});
  test::check_refused([&] { load_ctranslate2_file(folder.path() / "none.bin"); }, {"none.bin"});
}

}  // namespace
}  // namespace transformer::formats
