#include "apps/common/common_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <regex>

#include "apps/common/not_empty.h"
#include "transformer/runtime/device.h"

namespace transformer::apps {
namespace {

/// Refuses names that cannot be a device. Whether a device is there is known only after CUDA is loaded: see
/// runtime::choose_device.
std::string check_device(const std::string& name) {
  static const std::regex pattern("cpu|cuda|cuda:[0-9]+|auto");
  return std::regex_match(name, pattern) || runtime::is_registered_device(name)
             ? ""
             : fmt::format("expected cpu, cuda, cuda:N or auto, found '{}'", name);
}

}  // namespace

void add_common_options(CLI::App& app, CommonOptions& options, const std::vector<std::string>& precisions) {
  const std::string group = "Common options";
  app.add_option("--set", options.set, "Set a configuration key, overriding the file; may be repeated")
      ->type_name("KEY.PATH=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--load", options.load,
                 "A shared library with variants of parts (model.variants, train.variants); may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->check(kNotEmpty)
      ->group(group);
  app.add_option("--device", options.device,
                 "Where to compute: cpu, cuda, cuda:N (the device N, from 0) or auto")
      ->check(CLI::Validator(check_device, ""))
      ->capture_default_str()
      ->group(group);
  app.add_option("--precision", options.precision,
                 fmt::format("Precision of matrix products: {}", fmt::join(precisions, ", ")))
      ->check(CLI::IsMember(precisions).description(""))
      ->capture_default_str()
      ->group(group);
  app.add_option("--threads", options.threads, "Threads inside operations; 0: one per core")
      ->check(CLI::Range(0, 4096).description(""))
      ->capture_default_str()
      ->group(group);
  app.add_option("--log-level", options.log_level, "trace, debug, info, warning, error or off")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}).description(""))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--quiet", options.quiet, "Warnings and errors only")->group(group);
  app.set_version_flag("--version", TRANSFORMER_VERSION)->group(group);
  app.get_formatter()->column_width(34);
}

CLI::Option* add_seed_option(CLI::App& app, std::optional<std::int64_t>& seed, const std::string& help) {
  return app.add_option("--seed", seed, help)
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 53).description(""));
}

}  // namespace transformer::apps
