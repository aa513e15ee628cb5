#include "apps/common/program.h"

#include <c10/util/Exception.h>

#include <stdexcept>

#include "transformer/base/log.h"
#include "transformer/nn/variants.h"
#include "transformer/runtime/cuda.h"
#include "transformer/runtime/threads.h"

namespace transformer::apps {

void run_program(CLI::App& app, CommonOptions& options, int argc, char** argv,
                 const std::function<int()>& body) {
  const auto compute = [&] {
    const int threads = runtime::use_threads(options.threads);
    if (options.threads > 0) options.threads = threads;
    try {
      const int status = body();
      // Else the program would find no GPU, which shows only where there is one.
      if (runtime::chose_device_too_late())
        throw std::logic_error("the program chose its device after it was seeded");
      return status;
    } catch (const c10::Error& error) {
      throw std::runtime_error(error.what_without_backtrace());
    }
  };
  run_plain_program(app, argc, argv, compute, [&] {
    start_logging(options.log_level, options.quiet);
    for (const auto& file : options.load) nn::load_plugin(file);
  });
}

}  // namespace transformer::apps
