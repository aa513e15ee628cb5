// Which vector instructions the kernels of this folder use.
//
// Each kernel's file is compiled once for each level, and the best level of the CPU is chosen when the
// program runs, so that one binary serves all machines. Kernels work on plain memory, know nothing of
// LibTorch, and are held by tests against the obvious computation in it, on every level that the CPU has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>

namespace transformer::kernels {

enum class Isa {
  portable,    ///< what every CPU of the architecture has
  avx2,        ///< x86-64-v3: 8 floats at a time, fused multiply-add
  avx512,      ///< x86-64-v4 and VNNI: 16 floats at a time, products of 8-bit integers
  avx512bf16,  ///< and products of bf16
  amx,         ///< and a unit for products of matrices of bf16 and of 8-bit integers
};

/// The best level that this CPU has, or the one that TRANSFORMER_ISA names in the environment (portable,
/// avx2, avx512, avx512bf16 or amx), if that is lower. The first call asks Linux for the unit.
Isa best_isa();

/// The functions of level `isa` from a table that begins with the lowest level. A level beyond the table has
/// the functions of its last one.
template <typename Table>
const Table& choose(std::initializer_list<const Table*> tables, Isa isa) {
  return **(tables.begin() + std::min(static_cast<std::size_t>(isa), tables.size() - 1));
}

}  // namespace transformer::kernels

/// TRANSFORMER_KERNELS(Table, name), after `struct Table` of function pointers, at the end of a header,
/// defines `const Table& name(Isa = best_isa())`. The file compiled for each level ends with
/// TRANSFORMER_DEFINE_KERNELS(Table, name) {…}; which gives that level's functions. Few kernels have other
/// functions for amx: TRANSFORMER_KERNELS_WITH_AMX. Elsewhere than on x86 there is only the portable level.
#ifdef __x86_64__
#define TRANSFORMER_KERNELS(Table, name)                                                             \
  extern const Table name##_portable, name##_avx2, name##_avx512, name##_avx512bf16;                 \
  inline const Table& name(Isa isa = best_isa()) {                                                   \
    return choose<Table>({&name##_portable, &name##_avx2, &name##_avx512, &name##_avx512bf16}, isa); \
  }
#define TRANSFORMER_KERNELS_WITH_AMX(Table, name)                                                           \
  extern const Table name##_portable, name##_avx2, name##_avx512, name##_avx512bf16, name##_amx;            \
  inline const Table& name(Isa isa = best_isa()) {                                                          \
    return choose<Table>({&name##_portable, &name##_avx2, &name##_avx512, &name##_avx512bf16, &name##_amx}, \
                         isa);                                                                              \
  }
#else
#define TRANSFORMER_KERNELS(Table, name)       \
  extern const Table name##_portable;          \
  inline const Table& name(Isa = best_isa()) { \
    return name##_portable;                    \
  }
#define TRANSFORMER_KERNELS_WITH_AMX TRANSFORMER_KERNELS
#endif
#define TRANSFORMER_PASTE_NOW(name, level) name##_##level
#define TRANSFORMER_PASTE(name, level) TRANSFORMER_PASTE_NOW(name, level)
#define TRANSFORMER_DEFINE_KERNELS(Table, name) const Table TRANSFORMER_PASTE(name, TRANSFORMER_LEVEL)
