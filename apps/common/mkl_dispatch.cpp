// Intel's MKL, on which LibTorch's matrix products rest, asks this function whether it runs on an Intel CPU,
// and takes a slow path if not. On AMD's CPUs with AVX2 or AVX-512 the fast one is about 2.3 times faster in
// fp32 and as correct: MKL still asks the CPU itself which instructions it has.
//
// A program that defines the function answers in MKL's place. Our programs do, the library does not: the
// choice is the program's. TRANSFORMER_MKL_DISPATCH=0 in the environment brings MKL's own choice back on CPUs
// that are not Intel's.
#include <cstdlib>
#include <cstring>

extern "C" int mkl_serv_intel_cpu_true() {
  const char* choice = std::getenv("TRANSFORMER_MKL_DISPATCH");
  return choice != nullptr && std::strcmp(choice, "0") == 0 ? 0 : 1;
}
