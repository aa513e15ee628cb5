// Teaches a program with libFuzzer's main one more option: --write-seeds=FOLDER.
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/write_seeds.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--write-seeds=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (argument.starts_with(option))
      std::exit(transformer::fuzz::write_seeds(argument.substr(option.size())) ? 0 : 1);
  }
  return 0;
}
