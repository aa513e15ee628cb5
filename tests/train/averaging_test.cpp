#include "transformer/train/averaging.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/safetensors.h"

namespace transformer::train {
namespace {

namespace fs = std::filesystem;
using Weights = std::vector<std::pair<std::string, torch::Tensor>>;

fs::path checkpoint(const test::TemporaryFolder& folder, const std::string& name, const Weights& weights) {
  const auto path = folder.path() / name;
  fs::create_directory(path);
  checkpoints::save_safetensors(path / "model.safetensors", weights);
  write_checksums(path);
  return path;
}

TEST_CASE("an average is the mean of each weight, in the weights' precision") {
  const test::TemporaryFolder folder;
  const auto mean = average_weights({
      checkpoint(folder, "a", {{"x", torch::tensor({1.0F, 2.0F})}, {"y", torch::tensor({{0.5F}})}}),
      checkpoint(folder, "b", {{"x", torch::tensor({2.0F, 4.0F})}, {"y", torch::tensor({{-0.5F}})}}),
      checkpoint(folder, "c", {{"x", torch::tensor({6.0F, 0.0F})}, {"y", torch::tensor({{3.0F}})}}),
  });
  REQUIRE(mean.size() == 2);
  CHECK(mean[0].first == "x");
  CHECK(torch::equal(mean[0].second, torch::tensor({3.0F, 2.0F})));
  CHECK(mean[1].first == "y");
  CHECK(torch::equal(mean[1].second, torch::tensor({{1.0F}})));
}

TEST_CASE("an average is summed in double precision") {
  const test::TemporaryFolder folder;
  const auto mean = average_weights({
      checkpoint(folder, "a", {{"x", torch::tensor({1e8F})}}),
      checkpoint(folder, "b", {{"x", torch::tensor({3.0F})}}),
      checkpoint(folder, "c", {{"x", torch::tensor({-1e8F})}}),
  });
  CHECK(mean[0].second.item<float>() == 1.0F);
}

TEST_CASE("checkpoints that do not go together are refused by name") {
  const test::TemporaryFolder folder;
  const auto first = checkpoint(folder, "first", {{"x", torch::zeros({2})}});
  const auto refuse = [&](const fs::path& other, const char* expected) {
    CHECK_THROWS_AS(average_weights({first, other}), InputError);
    CHECK_THROWS_WITH(average_weights({first, other}), ContainsSubstring(other.string()));
    CHECK_THROWS_WITH(average_weights({first, other}), ContainsSubstring(expected));
  };
  refuse(checkpoint(folder, "shape", {{"x", torch::zeros({1})}}), "'x'");
  refuse(checkpoint(folder, "name", {{"z", torch::zeros({2})}}), "'x'");
  refuse(checkpoint(folder, "more", {{"x", torch::zeros({2})}, {"y", torch::zeros({2})}}), "found 2");
  refuse(checkpoint(folder, "broken", {{"x", torch::tensor({0.0F, NAN})}}), "found nan");
  const auto damaged = checkpoint(folder, "damaged", {{"x", torch::zeros({2})}});
  std::ofstream(damaged / "model.safetensors", std::ios::app) << "!";
  refuse(damaged, "damaged");
}

}  // namespace
}  // namespace transformer::train
