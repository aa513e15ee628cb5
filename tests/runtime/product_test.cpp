#include "transformer/runtime/product.h"

#include "tests/catch.h"
#include "tests/nn/checks.h"

using namespace transformer;
using test::difference;

namespace {

/// The numbers of rows around those at which products are cut.
const std::vector<std::int64_t> kRows = {1, 3, 64, 65, 127, 128, 129, 1000, 1024, 1025, 2047};

torch::Tensor random(std::int64_t rows, std::int64_t columns, torch::ScalarType type) {
  return torch::randn({rows, columns}).to(type);
}

double tolerance(torch::ScalarType type, const torch::Tensor& expected) {
  return (type == torch::kBFloat16 ? 0.01 : 1e-5) * (1.0 + expected.abs().max().item<double>());
}

}  // namespace

TEST_CASE("products of any number of rows are right, in the type of what they multiply") {
  torch::manual_seed(1);
  for (const auto type : {torch::kFloat, torch::kDouble, torch::kBFloat16}) {
    for (const auto rows : kRows) {
      INFO(rows << " rows, " << type);
      const auto a = random(rows, 24, type), b = random(24, 40, type);
      const auto expected = torch::mm(a.to(torch::kDouble), b.to(torch::kDouble));
      const auto found = runtime::product(a, b);
      CHECK(found.scalar_type() == type);
      CHECK(difference(found, expected) < tolerance(type, expected));
    }
  }
}

TEST_CASE("a product of bf16 is rounded once, on CPUs with and without instructions for it") {
  torch::manual_seed(3);
  for (const auto rows : kRows) {
    const auto a = random(rows, 512, torch::kBFloat16), b = random(512, 40, torch::kBFloat16);
    const auto expected = torch::mm(a.to(torch::kDouble), b.to(torch::kDouble));
    const auto found = runtime::product(a, b).to(torch::kDouble);
    // Half of the last of eight bits, which is up to 1 / 256 of the number, and what fp32 sums of 512
    // products of standard normal numbers may be off.
    const auto allowed = expected.abs() / 256 + 1e-4;
    INFO(rows << " rows");
    CHECK((found - expected).abs().le(allowed).all().item<bool>());
  }
}

TEST_CASE("products over rows are right, and in fp32 at least, that of bf16 too") {
  torch::manual_seed(2);
  for (const auto type : {torch::kFloat, torch::kDouble, torch::kBFloat16}) {
    for (const auto rows : kRows) {
      INFO(rows << " rows, " << type);
      const auto a = random(rows, 24, type), b = random(rows, 40, type);
      const auto expected = torch::mm(a.to(torch::kDouble).t(), b.to(torch::kDouble));
      const auto found = runtime::product_over_rows(a, b);
      CHECK(found.scalar_type() == (type == torch::kDouble ? torch::kDouble : torch::kFloat));
      CHECK(difference(found, expected) < tolerance(torch::kFloat, expected));
      if (type == torch::kDouble) continue;
      auto sum = torch::ones({24, 40});
      runtime::add_product_over_rows(sum, a, b);
      CHECK(difference(sum, expected + 1) < tolerance(torch::kFloat, expected));
    }
  }
}

TEST_CASE("a product of bf16 into fp32 is not rounded") {
  for (const auto rows : kRows) {
    const auto a = random(rows, 24, torch::kBFloat16), b = random(24, 40, torch::kBFloat16);
    auto found = torch::full({rows, 40}, 7.0);
    runtime::product_into(found, a, b);
    const auto expected = torch::mm(a.to(torch::kDouble), b.to(torch::kDouble));
    CHECK(difference(found, expected) < tolerance(torch::kFloat, expected));
  }
}

TEST_CASE("a product into a part of a tensor leaves the rest alone") {
  const auto a = random(200, 16, torch::kBFloat16), b = random(16, 8, torch::kBFloat16);
  auto all = torch::full({300, 8}, 7.0, torch::kBFloat16);
  auto part = all.slice(0, 50, 250);
  runtime::product_into(part, a, b);
  CHECK(torch::equal(all.slice(0, 50, 250), runtime::product(a, b)));
  CHECK(all.slice(0, 0, 50).eq(7).all().item<bool>());
  CHECK(all.slice(0, 250).eq(7).all().item<bool>());
}
