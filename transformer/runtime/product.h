// Matrix products: on the CPU by the library that LibTorch uses, in shapes that recur.
//
// For bf16 that library there, oneDNN, generates code for each shape that it meets, which takes several
// milliseconds: more than the product itself. Batches of sentences hardly ever have the same number of rows
// twice, so their rows are cut at a number that recurs, and what is left is computed with it.
#pragma once

#include <torch/types.h>

namespace transformer::runtime {

/// Whether oneDNN has products of bf16 for this CPU. If not, the products below read bf16 and compute in
/// fp32, and are no faster than those of fp32.
bool has_products_of_bf16();

/// A B in the type of A. a: (R, I), where R is the number of tokens, b: (I, O) of the same type.
torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b);

/// The same into `out`, (R, O), contiguous. For bf16, and fp16 on another device than the CPU, `out` may be
/// in fp32: nothing is rounded then.
void product_into(torch::Tensor& out, const torch::Tensor& a, const torch::Tensor& b);

/// Aᵀ B, a sum over the R tokens, in fp32 (fp64 for fp64). It is never rounded to bf16 or fp16, where it
/// might overflow. a: (R, O), b: (R, I) → (O, I)
torch::Tensor product_over_rows(const torch::Tensor& a, const torch::Tensor& b);

/// Adds Aᵀ B to the sum, (O, I) in fp32, contiguous.
void add_product_over_rows(torch::Tensor& sum, const torch::Tensor& a, const torch::Tensor& b);

/// Lets oneDNN keep generated code for all shapes. Call this before the first product.
void keep_generated_code();

}  // namespace transformer::runtime
