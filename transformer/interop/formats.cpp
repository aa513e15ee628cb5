#include "transformer/interop/formats.h"

namespace transformer::interop {

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {};
  return all;
}

}  // namespace transformer::interop
