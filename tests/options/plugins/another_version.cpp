// As if it had been compiled against an earlier version; its other entry must never be called.
#include <cstdlib>

extern "C" const char* transformer_plugin_version() {
  return "transformer 0.0.1, interface 0, LibTorch 2.0.0";
}
extern "C" void transformer_plugin_register() {
  std::abort();
}
