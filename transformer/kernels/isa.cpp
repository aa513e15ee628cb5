#include "transformer/kernels/isa.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace transformer::kernels {
namespace {

#ifdef __x86_64__
/// Whether the CPU has tiles, and products of bf16 and of 8-bit integers with them; and Linux, which keeps
/// the registers of a process only after it has asked.
bool may_use_amx() {
  constexpr unsigned kBf16 = 1U << 22U, kTile = 1U << 24U, kInt8 = 1U << 25U, kAll = kBf16 | kTile | kInt8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kAll) != kAll) return false;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

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
  if (!__builtin_cpu_supports("avx512bf16")) return Isa::avx512;
  return may_use_amx() ? Isa::amx : Isa::avx512bf16;
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
  if (name == "avx512bf16") return Isa::avx512bf16;
  return Isa::amx;
}

}  // namespace

Isa best_isa() {
  static const Isa best = std::min(of_this_cpu(), limit());
  return best;
}

}  // namespace transformer::kernels
