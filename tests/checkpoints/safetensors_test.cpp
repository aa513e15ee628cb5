#include "transformer/checkpoints/safetensors.h"

#include <torch/torch.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/catch.h"
#include "tests/damage.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

using namespace transformer;
using namespace transformer::checkpoints;
using transformer::test::content_of;
using transformer::test::TemporaryFolder;

namespace {

std::string with_length(const std::string& header, const std::string& data, std::uint64_t length) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

std::string file_of(const std::string& header, const std::string& data) {
  return with_length(header, data, header.size());
}

// The file that Python's safetensors 0.8 wrote:
// safetensors.numpy.save({"weight": float32 [[1.5, -2], [3, 0.25]], "ids": int64 [7, -1],
//   "flag": bool [1, 0, 1], "bias": float32 [0.5], "h": float16 [1], "empty": float32 (0, 3),
//   "scalar": float64 2}, {"format": "pt"})
std::string python_file() {
  std::string header =
      R"({"__metadata__":{"format":"pt"},"ids":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)"
      R"("scalar":{"dtype":"F64","shape":[],"data_offsets":[16,24]},)"
      R"("bias":{"dtype":"F32","shape":[1],"data_offsets":[24,28]},)"
      R"("empty":{"dtype":"F32","shape":[0,3],"data_offsets":[28,28]},)"
      R"("weight":{"dtype":"F32","shape":[2,2],"data_offsets":[28,44]},)"
      R"("h":{"dtype":"F16","shape":[1],"data_offsets":[44,46]},)"
      R"("flag":{"dtype":"BOOL","shape":[3],"data_offsets":[46,49]}})";
  header.resize(448, ' ');
  const std::string data(
      "\x07\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\x40"
      "\0\0\0\x3f\0\0\xc0\x3f\0\0\0\xc0\0\0\x40\x40\0\0\x80\x3e\0\x3c\x01\0\x01",
      49);
  return file_of(header, data);
}

std::vector<std::pair<std::string, torch::Tensor>> python_tensors() {
  return {{"weight", torch::tensor({1.5F, -2.0F, 3.0F, 0.25F}).view({2, 2})},
          {"ids", torch::tensor({7, -1}, torch::kInt64)},
          {"flag", torch::tensor({1, 0, 1}).to(torch::kBool)},
          {"bias", torch::tensor({0.5F})},
          {"h", torch::ones({1}, torch::kHalf)},
          {"empty", torch::empty({0, 3})},
          {"scalar", torch::tensor(2.0, torch::kFloat64)}};
}

}  // namespace

TEST_CASE("a file of Python's safetensors is read") {
  const TemporaryFolder folder;
  std::map<std::string, std::string> metadata;
  const auto tensors = load_safetensors(folder.write("model.safetensors", python_file()), &metadata);
  CHECK(metadata == std::map<std::string, std::string>{{"format", "pt"}});
  REQUIRE(tensors.size() == 7);
  for (const auto& [name, expected] : python_tensors()) {
    INFO(name);
    CHECK(tensors.at(name).scalar_type() == expected.scalar_type());
    CHECK(torch::equal(tensors.at(name), expected));
  }
}

TEST_CASE("the same bytes are written as by Python's safetensors, in whatever order tensors come") {
  const TemporaryFolder folder;
  auto tensors = python_tensors();
  save_safetensors(folder.path() / "a", tensors, {{"format", "pt"}});
  CHECK(content_of(folder.path() / "a") == python_file());
  std::reverse(tensors.begin(), tensors.end());
  save_safetensors(folder.path() / "a", tensors, {{"format", "pt"}});
  CHECK(content_of(folder.path() / "a") == python_file());
}

TEST_CASE("every dtype survives a round trip") {
  const TemporaryFolder folder;
  std::vector<std::pair<std::string, torch::Tensor>> tensors;
  for (const auto type : {torch::kFloat64, torch::kFloat32, torch::kHalf, torch::kBFloat16, torch::kInt64,
                          torch::kInt32, torch::kInt16, torch::kInt8, torch::kUInt8, torch::kBool}) {
    tensors.emplace_back(c10::toString(type), (torch::rand({3, 5}) * 100 - 50).abs().to(type));
  }
  tensors.emplace_back("transposed \"\u00fc\"", torch::rand({3, 5}).t());
  tensors.emplace_back("needs gradient", torch::rand({2}, torch::requires_grad()));
  save_safetensors(folder.path() / "file", tensors);
  const auto loaded = load_safetensors(folder.path() / "file");
  REQUIRE(loaded.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    INFO(name);
    CHECK(loaded.at(name).scalar_type() == tensor.scalar_type());
    CHECK(torch::equal(loaded.at(name), tensor));
  }
  save_safetensors(folder.path() / "none", {});
  CHECK(load_safetensors(folder.path() / "none").empty());
}

TEST_CASE("what cannot be stored is refused") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  CHECK_THROWS_AS(save_safetensors(path, {{"a", torch::zeros({1}, torch::kComplexFloat)}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(save_safetensors(path, {{"a", torch::Tensor()}}), std::invalid_argument);
  CHECK_THROWS_AS(save_safetensors(path, {{"a", torch::zeros({1})}, {"a", torch::zeros({1})}}),
                  std::invalid_argument);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a file that is cut anywhere is refused") {
  const TemporaryFolder folder;
  const std::string whole = python_file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto path = folder.write("cut", whole.substr(0, size));
    REQUIRE_THROWS_AS(load_safetensors(path), InputError);
  }
  REQUIRE_THROWS_AS(load_safetensors(folder.write("long", whole + "x")), InputError);
  REQUIRE_THROWS_WITH(load_safetensors(folder.path() / "absent"),
                      ContainsSubstring("absent: cannot be read"));
}

TEST_CASE("a malformed header is refused, whatever it promises") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes, const std::string& message) {
    const auto path = folder.write("bad.safetensors", bytes);
    REQUIRE_THROWS_AS(load_safetensors(path), InputError);
    REQUIRE_THROWS_WITH(load_safetensors(path),
                        ContainsSubstring("bad.safetensors: not a whole") && ContainsSubstring(message));
  };
  const auto tensor = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"("t":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
  };
  const std::string data(8, '\1');

  refused(with_length("{}", "", UINT64_MAX), "the header should have 18446744073709551615 bytes");
  refused(with_length("{}", "", 1'000'000'000'000'000), "the header should have");
  refused(file_of("{", ""), "no JSON");
  refused(file_of("\xff\xff", ""), "no JSON");
  refused(file_of("[1]", ""), "no JSON object");
  refused(file_of(std::string(100'000, '['), ""), "no JSON");
  refused(file_of(R"({"__metadata__":{"a":1}})", ""), "__metadata__");
  refused(file_of(R"({"t":1})", data), "tensor \"t\"");
  refused(file_of(R"({"t":{}})", data), "tensor \"t\"");
  refused(file_of("{" + tensor("F33", "[2]", "[0,8]") + "}", data), "unknown dtype \"F33\"");
  refused(file_of("{" + tensor("F32", "[-2]", "[0,8]") + "}", data), "expected a number from 0 up");
  refused(file_of("{" + tensor("F32", "[2.0]", "[0,8]") + "}", data), "expected a number from 0 up");
  refused(file_of("{" + tensor("F32", "[3]", "[0,8]") + "}", data), "needs 12 bytes");
  refused(file_of("{" + tensor("F32", "[2]", "[8,0]") + "}", data), "needs 8 bytes");
  refused(file_of("{" + tensor("F32", "[2]", "[0]") + "}", data), "data_offsets is no pair");
  refused(file_of("{" + tensor("F32", "2", "[0,8]") + "}", data), "the shape is no list");
  // Petabytes, and sizes whose product overflows to the right number.
  refused(file_of("{" + tensor("F32", "[1000000000000000]", "[0,4000000000000000]") + "}", data),
          "expected 4000000000000000 bytes of data, found 8");
  refused(file_of("{" + tensor("F32", "[4294967296,4294967296]", "[0,0]") + "}", ""), "too large");
  refused(file_of("{" + tensor("F32", "[0,9223372036854775808]", "[0,0]") + "}", ""), "too large");
  // No bytes, but strides that no number holds.
  refused(file_of("{" + tensor("F32", "[0,4294967296,4294967296]", "[0,0]") + "}", ""), "too large");
  refused(file_of(R"({"t":1e999})", ""), "number overflow");
  refused(file_of("{" + tensor("F\\n", "[0]", "[0,0]") + "}", ""), R"(unknown dtype "F\n")");
  // Gaps, overlaps, and bytes that belong to nobody.
  refused(file_of("{" + tensor("F32", "[1]", "[4,8]") + "}", data), "expected 0");
  refused(file_of("{" + tensor("F32", "[1]", "[0,4]") + "}", data), "expected 4 bytes of data, found 8");
  refused(file_of("{" + tensor("F32", "[2]", "[0,8]") +
                      R"(,"u":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                  data),
          "tensor \"u\" begins at byte 4 of the data, expected 8");
}

TEST_CASE("weights are finite, whatever their type") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "weights";
  const auto found = [&](const torch::Tensor& tensor) -> std::string {
    save_safetensors(file, {{"fine", torch::randn({300})}, {"suspect", tensor}});
    try {
      load_weights(file);
      return "nothing";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  const auto refusal = [&](const std::string& value) {
    return file.string() + ": tensor \"suspect\": expected finite numbers, found " + value;
  };
  CHECK_THAT(found(-torch::full({3}, std::nan(""))), ContainsSubstring("found nan"));
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (const auto type : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16}) {
    for (const std::int64_t place : {0, 12345, 99999}) {
      auto tensor = torch::randn({1000, 100}).to(type);
      CHECK(found(tensor) == "nothing");
      tensor.view(-1)[place] = nan;
      CHECK(found(tensor) == refusal("nan"));
      tensor.view(-1)[place] = infinity;
      CHECK(found(tensor) == refusal("inf"));
      tensor.view(-1)[place] = -infinity;
      CHECK(found(tensor) == refusal("-inf"));
    }
  }
  CHECK(found(torch::tensor({1e300}, torch::kDouble)) == refusal("1e+300"));
  CHECK(found(torch::tensor({3e38}, torch::kDouble)) == "nothing");
  for (const auto& tensor : {torch::zeros({0, 3}), torch::ones({2}, torch::kBool), torch::arange(3)})
    CHECK(found(tensor) == "nothing");
}

TEST_CASE("a damaged file that no checksum protects is refused or gives tensors") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "model.safetensors";
  save_safetensors(file, {{"weight", torch::randn({40, 7})}, {"ids", torch::arange(9)}}, {{"format", "pt"}});
  const auto use = [&] {
    std::int64_t count = 0;
    for (const auto& [name, tensor] : load_safetensors(file)) count += tensor.numel();
    return count <= 40 * 7 * 4 + 9 * 8;
  };
  CHECK(transformer::test::damage_noticed(file, use) >
        100);  // all that are cut short, and most of the header's
}
