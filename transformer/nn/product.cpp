#include "transformer/nn/product.h"

#include <bit>
#include <cstdlib>

namespace transformer::nn {
namespace {

constexpr std::int64_t kFewRows = 64;  // not worth cutting

/// How rows are cut: so many at once, of which there are at most 8 different numbers between a power of two
/// and the next; the rest with a power of two of rows.
struct Cut {
  std::int64_t whole = 0;
  std::int64_t last = 0;  // at least the rest; 0 if there is none

  explicit Cut(std::int64_t rows) {
    const auto power = [](auto round, std::int64_t n) {
      return static_cast<std::int64_t>(round(static_cast<std::uint64_t>(n)));
    };
    const auto block = std::max(kFewRows, power(std::bit_floor<std::uint64_t>, rows) / 8);
    whole = rows / block * block;
    if (whole < rows) last = std::max(kFewRows, power(std::bit_ceil<std::uint64_t>, rows - whole));
  }
};

bool shape_matters(const torch::Tensor& a) {
  return a.is_cpu() && a.scalar_type() == torch::kBFloat16 && a.size(0) > kFewRows;
}

/// The last rows as a whole block, filled up with zeros.
torch::Tensor last_block(const torch::Tensor& x, std::int64_t begin, std::int64_t block) {
  auto filled = torch::zeros({block, x.size(1)}, x.options());
  filled.slice(0, 0, x.size(0) - begin).copy_(x.slice(0, begin));
  return filled;
}

}  // namespace

torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b) {
  auto out = torch::empty({a.size(0), b.size(1)}, a.options());
  product_into(out, a, b);
  return out;
}

void product_into(torch::Tensor& out, const torch::Tensor& a, const torch::Tensor& b) {
  const auto rows = a.size(0);
  if (!shape_matters(a)) {
    torch::mm_out(out, a, b);
    return;
  }
  const Cut cut(rows);
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    auto result = out.slice(0, begin, end);
    torch::mm_out(result, a.slice(0, begin, end), b);
  };
  part(0, cut.whole);
  if (cut.last > 0) part(rows - cut.last, rows);  // some rows twice, which is cheaper than a new shape
}

torch::Tensor product_over_rows(const torch::Tensor& a, const torch::Tensor& b) {
  const auto sum_type = a.scalar_type() == torch::kBFloat16 ? torch::kFloat : a.scalar_type();
  if (!shape_matters(a)) return torch::mm(a.t(), b).to(sum_type);
  const Cut cut(a.size(0));
  auto sum = torch::mm(a.slice(0, 0, cut.whole).t(), b.slice(0, 0, cut.whole)).to(sum_type);
  if (cut.last > 0)
    sum.add_(torch::mm(last_block(a, cut.whole, cut.last).t(), last_block(b, cut.whole, cut.last)));
  return sum;
}

void add_product_over_rows(torch::Tensor& sum, const torch::Tensor& a, const torch::Tensor& b) {
  if (a.scalar_type() == sum.scalar_type())
    sum.addmm_(a.t(), b);
  else
    sum.add_(product_over_rows(a, b));
}

void keep_generated_code() {
  setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "8192", /*overwrite=*/0);
}

}  // namespace transformer::nn
