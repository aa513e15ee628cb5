#include "transformer/formats/gguf/gguf_file.h"

#include <cmath>
#include <cstring>

#include "tests/damage.h"
#include "tests/formats/exported_model.h"

using namespace transformer;
using namespace std::string_literals;
using formats::GgufFile;
using formats::GgufType;

namespace {

/// What kToy holds: the package gguf 0.19.0 of gguf-py wrote it.
GgufFile toy() {
  return {.metadata = {{"general.architecture", "toy"s}, {"toy.n", 7U}, {"toy.s", "ab"s}},
          .tensors = {{"m", {torch::arange(6, torch::kFloat).view({2, 3}), GgufType::f32}}}};
}
const std::string kToy =
    "GGUF\3\0\0\0\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"
    "\x14\0\0\0\0\0\0\0general.architecture\x8\0\0\0\3\0\0\0\0\0\0\0toy"
    "\5\0\0\0\0\0\0\0toy.n\4\0\0\0\7\0\0\0"
    "\5\0\0\0\0\0\0\0toy.s\x8\0\0\0\2\0\0\0\0\0\0\0ab"
    "\1\0\0\0\0\0\0\0m\2\0\0\0\3\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s;

std::string bytes_of(const GgufFile& file) {
  const test::TemporaryFolder folder;
  formats::save_gguf(folder.path() / "m.gguf", file);
  return test::content_of(folder.path() / "m.gguf");
}

}  // namespace

TEST_CASE("a GGUF file has the bytes that gguf-py writes") {
  const auto bytes = bytes_of(toy());
  CHECK(bytes.substr(0, kToy.size()) == kToy);
  REQUIRE(bytes.size() == 192);  // descriptions, at 160 the numbers, and zeros
  float numbers[6];
  std::memcpy(numbers, bytes.data() + 160, sizeof numbers);
  for (int i = 0; i < 6; ++i) CHECK(numbers[i] == static_cast<float>(i));
}

TEST_CASE("keys and tensors of every type come back") {
  GgufFile file{.metadata = {{"a", 1U}, {"b", std::int32_t{-2}}, {"c", 0.5F}, {"d", true}, {"e", "x"s}},
                .tensors = {}};
  file.metadata["f"] = std::vector<std::string>{"", "\xe2\x96\x81"};
  file.metadata["g"] = std::vector<float>{1, -1};
  file.metadata["h"] = std::vector<std::int32_t>{3};
  torch::manual_seed(1);
  for (const auto type : {GgufType::f32, GgufType::f16, GgufType::bf16, GgufType::q8_0})
    file.tensors[std::to_string(static_cast<int>(type))] = {torch::randn({3, 64}), type};
  file.tensors["vector"] = {torch::randn({5}), GgufType::f32};
  const test::TemporaryFolder folder;
  formats::save_gguf(folder.path() / "m.gguf", file);
  const auto found = formats::load_gguf(folder.path() / "m.gguf");
  CHECK((found.metadata == file.metadata));
  REQUIRE(found.tensors.size() == file.tensors.size());
  for (const auto& [name, tensor] : file.tensors) {
    INFO(name);
    CHECK(found.tensors.at(name).type == tensor.type);
    CHECK(torch::equal(found.tensors.at(name).values, formats::gguf_rounded(tensor.values, tensor.type)));
  }
}

TEST_CASE("rounding: a block of Q8_0 has a scale in fp16 and bytes, and what is rounded stays as it is") {
  torch::manual_seed(2);
  auto values = torch::randn({2, 32});
  values[1].zero_();
  const auto rounded = formats::gguf_rounded(values, GgufType::q8_0);
  const double scale =
      static_cast<double>(static_cast<float>(c10::Half(values[0].abs().max().item<float>() / 127)));
  for (int i = 0; i < 32; ++i) {
    const double exact = values[0][i].item<double>();
    CHECK(rounded[0][i].item<double>() == Approx(std::round(exact / scale) * scale).margin(scale * 1.01));
    CHECK(std::abs(rounded[0][i].item<double>() - exact) < 0.6 * scale);
  }
  CHECK(torch::equal(rounded[1], values[1]));
  for (const auto type : {GgufType::f16, GgufType::bf16, GgufType::q8_0}) {
    const auto once = formats::gguf_rounded(values, type);
    CHECK_FALSE(torch::equal(once, values));
    CHECK(torch::equal(formats::gguf_rounded(once, type), once));
  }
}

TEST_CASE("a file that ends early or has other types is refused in a line") {
  const test::TemporaryFolder folder;
  const auto whole = bytes_of(toy());
  const auto refused = [&](const std::string& bytes, const std::vector<std::string>& expected) {
    test::check_refused([&] { formats::load_gguf(folder.write("m.gguf", bytes)); }, expected);
  };
  for (std::size_t length = 0; length < 160 + 24; length += 3) refused(whole.substr(0, length), {"m.gguf"});
  const auto changed = [&](std::size_t place, char byte) {
    auto bytes = whole;
    bytes[place] = byte;
    return bytes;
  };
  refused(changed(4, 2), {"version 3", "found 2"});
  refused(changed(kToy.size() - 12, 12), {"'m'", "a type", "found 12"});
  refused(changed(kToy.size() - 32, 9), {"'m'", "dimensions, found 9"});
  refused(changed(kToy.find("toy.n") + 5, 10), {"'toy.n'", "a type"});
}
