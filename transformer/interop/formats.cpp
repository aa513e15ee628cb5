#include "transformer/interop/formats.h"

#include "transformer/interop/torchscript.h"

namespace transformer::interop {

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {.name = "torchscript",
       .description = "one file for torch.jit.load, search included",
       .is_folder = false,
       .write = write_torchscript,
       .read = read_torchscript},
  };
  return all;
}

}  // namespace transformer::interop
