#include "transformer/base/free_memory.h"

#include <fstream>

namespace transformer {

double free_memory_of_machine(const std::string& meminfo) {
  std::ifstream file(meminfo);
  std::string name, unit;
  for (double kibibytes = 0; file >> name >> kibibytes; std::getline(file, unit))
    if (name == "MemAvailable:") return 1024 * kibibytes;
  return 0;
}

}  // namespace transformer
