#include "transformer/kernels/isa.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace transformer::kernels {
namespace {

Isa of_this_cpu() {
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (!avx2) return Isa::portable;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
  if (!avx512) return Isa::avx2;
  return __builtin_cpu_supports("avx512bf16") ? Isa::avx512bf16 : Isa::avx512;
#else
  return Isa::portable;
#endif
}

Isa limit() {
  const char* text = std::getenv("TRANSFORMER_ISA");
  const std::string_view name = text == nullptr ? "" : text;
  if (name == "portable") return Isa::portable;
  if (name == "avx2") return Isa::avx2;
  if (name == "avx512") return Isa::avx512;
  return Isa::avx512bf16;
}

}  // namespace

Isa best_isa() {
  static const Isa best = std::min(of_this_cpu(), limit());
  return best;
}

}  // namespace transformer::kernels
