#include "transformer/runtime/product.h"

#include <dlfcn.h>

#include <bit>
#include <cstdlib>

#include "transformer/base/choices.h"

namespace transformer::runtime {
namespace {

constexpr std::int64_t kFewRows = 64;  // not worth cutting

/// How rows are cut, so that few different shapes occur. The first piece has a multiple of a block of rows:
/// at most 8 sizes between one power of two and the next. The remaining rows are padded to a power of two.
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

/// cblas_gemm_bf16bf16f32: C = alpha · op(A) op(B) + beta · C of matrices in bf16, C in fp32.
using MklProduct = void (*)(int layout, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                            const void* a, int a_stride, const void* b, int b_stride, float beta, float* c,
                            int c_stride);

/// MKL's, which LibTorch holds and has no operation for. Null in a LibTorch without MKL.
MklProduct mkl_product() {
  static const auto product = reinterpret_cast<MklProduct>(dlsym(RTLD_DEFAULT, "cblas_gemm_bf16bf16f32"));
  return product;
}

enum class First { as_it_is, transposed };

/// For matrices in bf16 on the CPU: sum = A B + keep · sum, or Aᵀ B + keep · sum. LibTorch's own product
/// would round it to bf16, and generate code for each number of rows.
void sum_in_fp32(torch::Tensor& sum, const torch::Tensor& a, First first, const torch::Tensor& b,
                 float keep) {
  const bool transposed = first == First::transposed;
  const auto multiply = mkl_product();
  if (multiply == nullptr || sum.numel() == 0 || b.size(0) == 0) {
    const auto exact = a.to(torch::kFloat);
    torch::addmm_out(sum, sum, transposed ? exact.t() : exact, b.to(torch::kFloat), keep);
    return;
  }
  constexpr int kRowMajor = 101, kAsItIs = 111, kTransposed = 112;  // CBLAS's
  const auto left = a.contiguous(), right = b.contiguous();
  const auto size = [](const torch::Tensor& x, std::int64_t dimension) {
    return static_cast<int>(x.size(dimension));
  };
  multiply(kRowMajor, transposed ? kTransposed : kAsItIs, kAsItIs, size(sum, 0), size(sum, 1), size(right, 0),
           1.0F, left.const_data_ptr(), size(left, 1), right.const_data_ptr(), size(right, 1), keep,
           sum.data_ptr<float>(), size(sum, 1));
}

bool is_bf16_on_cpu(const torch::Tensor& x) {
  return x.is_cpu() && x.scalar_type() == torch::kBFloat16;
}

}  // namespace

// LibTorch asks the same, and where they are not it takes a loop that needs ten times as long as fp32 does.
// (MKL's, above, is fast on all.)
bool has_products_of_bf16() {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
  return has;
#else
  return true;
#endif
}

torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b) {
  auto out = torch::empty({a.size(0), b.size(1)}, a.options());
  product_into(out, a, b);
  return out;
}

void product_into(torch::Tensor& out, const torch::Tensor& a, const torch::Tensor& b) {
  const auto rows = a.size(0);
  if (out.scalar_type() != a.scalar_type()) {
    if (is_bf16_on_cpu(a))
      sum_in_fp32(out, a, First::as_it_is, b, /*keep=*/0.0F);
    else
      at::mm_out(out, a, b, out.scalar_type());
    return;
  }
  if (is_bf16_on_cpu(a) && !has_products_of_bf16()) {  // the same numbers: summed in fp32, rounded once
    out.copy_(torch::mm(a.to(torch::kFloat), b.to(torch::kFloat)));
    return;
  }
  if (!is_bf16_on_cpu(a) || rows <= kFewRows) {
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
  const auto sum_type = torch::promote_types(a.scalar_type(), torch::kFloat);
  if (a.scalar_type() == sum_type) return torch::mm(a.t(), b);
  if (!a.is_cpu()) return torch::mm(a.t(), b, sum_type);
  auto sum = torch::empty({a.size(1), b.size(1)}, torch::kFloat);
  sum_in_fp32(sum, a, First::transposed, b, /*keep=*/0.0F);
  return sum;
}

void add_product_over_rows(torch::Tensor& sum, const torch::Tensor& a, const torch::Tensor& b) {
  if (a.scalar_type() == sum.scalar_type())
    sum.addmm_(a.t(), b);
  else if (is_bf16_on_cpu(a))
    sum_in_fp32(sum, a, First::transposed, b, /*keep=*/1.0F);
  else
    at::addmm_out(sum, sum, a.t(), b, sum.scalar_type());
}

void keep_generated_code() {
  setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "8192", /*overwrite=*/0);
}

}  // namespace transformer::runtime
