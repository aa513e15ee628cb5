// Which vector instructions the kernels of this folder use.
//
// Each kernel's file is compiled once for each level, and the best level of the CPU is chosen when the
// program runs, so that one binary serves all machines. Kernels work on plain memory, know nothing of
// LibTorch, and are held by tests against the obvious computation in it, on every level that the CPU has.
#pragma once

#include <array>

namespace transformer::kernels {

enum class Isa {
  portable,    ///< what every CPU of the architecture has
  avx2,        ///< x86-64-v3: 8 floats at a time, fused multiply-add
  avx512,      ///< x86-64-v4 and VNNI: 16 floats at a time, products of 8-bit integers
  avx512bf16,  ///< and products of bf16
};

/// The best level that this CPU has, or the one that TRANSFORMER_ISA names in the environment (portable,
/// avx2, avx512 or avx512bf16), if that is lower.
Isa best_isa();

/// A function for each level. Elsewhere than on x86 there is only the portable one, which stands in for all.
template <typename Table>
using PerIsa = std::array<const Table*, 4>;

template <typename Table>
const Table& choose(const PerIsa<Table>& tables, Isa isa) {
  return *tables.at(static_cast<std::size_t>(isa));
}

}  // namespace transformer::kernels

/// TRANSFORMER_KERNELS(Table, name), after `struct Table` of function pointers, at the end of a header,
/// defines `const Table& name(Isa = best_isa())`. The file compiled for each level ends with
/// TRANSFORMER_DEFINE_KERNELS(Table, name) {…}; which gives that level's functions.
#ifdef __x86_64__
#define TRANSFORMER_KERNELS(Table, name)                                                             \
  extern const Table name##_portable, name##_avx2, name##_avx512, name##_avx512bf16;                 \
  inline const Table& name(Isa isa = best_isa()) {                                                   \
    return choose<Table>({&name##_portable, &name##_avx2, &name##_avx512, &name##_avx512bf16}, isa); \
  }
#else
#define TRANSFORMER_KERNELS(Table, name)       \
  extern const Table name##_portable;          \
  inline const Table& name(Isa = best_isa()) { \
    return name##_portable;                    \
  }
#endif
#define TRANSFORMER_PASTE_NOW(name, level) name##_##level
#define TRANSFORMER_PASTE(name, level) TRANSFORMER_PASTE_NOW(name, level)
#define TRANSFORMER_DEFINE_KERNELS(Table, name) const Table TRANSFORMER_PASTE(name, TRANSFORMER_LEVEL)
