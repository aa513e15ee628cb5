#include "apps/program.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <stdexcept>

#include "transformer/base/log.h"
#include "transformer/nn/variants.h"

namespace transformer::apps {

int run_program(CLI::App& app, CommonOptions& options, int argc, char** argv,
                const std::function<int()>& body) {
  const auto compute = [&] {
    if (options.threads > 0) at::set_num_threads(options.threads);
    try {
      return body();
    } catch (const c10::Error& error) {
      throw std::runtime_error(error.what_without_backtrace());
    }
  };
  return run_plain_program(app, argc, argv, compute, [&] {
    start_logging(options.log_level, options.quiet);
    for (const auto& file : options.load) nn::load_plugin(file);
  });
}

}  // namespace transformer::apps
