#include "apps/bench/commands.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>

#include "apps/bench/prepare/prepare.h"
#include "apps/common/not_empty.h"
#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/config/yaml.h"
#include "transformer/data/corpus.h"
#include "transformer/data/prepared.h"
#include "transformer/runtime/device.h"

namespace transformer::bench {
namespace fs = std::filesystem;

void Output::check() const {
  if (append.empty()) return;
  check_output_place(append, {});
  std::string first;
  if (fs::is_regular_file(append) && std::getline(std::ifstream(append), first) && !first.starts_with('{'))
    throw InputError(fmt::format("--append {}: expected lines of JSON, found something else", append));
  if (!std::ofstream(append, std::ios::app))
    throw InputError(fmt::format("--append {}: cannot be written", append));
}

void Output::show(const Json& object, const std::string& text) const {
  std::cout << (json ? object.dump() : text) << std::endl;
  if (!std::cout) throw RunError("cannot write to standard output");
  if (append.empty()) return;
  std::ofstream file(append, std::ios::app);
  if (!(file << object.dump() << std::endl)) throw RunError(fmt::format("{}: cannot be written", append));
}

Command add_gemm(CLI::App& app, const Shared& shared) {
  app.add_subcommand("gemm", "Matrix products: 2048³, 4096³ and the shapes of a model's layers");
  return [shared] {
    const auto device = runtime::choose_device(shared.options.device);
    for (const auto& speed : time_gemms(device)) shared.output.show(as_json(speed), as_text(speed));
    return static_cast<int>(apps::kDone);
  };
}

Command add_prepare(CLI::App& app, const Shared& shared) {
  const auto config = std::make_shared<std::string>();
  auto* command = app.add_subcommand("prepare", "Text to ids, as transformer-prepare encodes it");
  command
      ->add_option("--config", *config,
                   "Configuration file whose training text, the source side, is encoded with the tokenizer "
                   "in data.prepared")
      ->required()
      ->check(apps::kNotEmpty);
  return [shared, config] {
    const auto options = config::load_given_experiment(*config, shared.options.set).data;
    const data::PreparedFolder folder(options);
    const auto text = data::side_files(options.train, options).front();
    const auto tokenizer = folder.paths.source_tokenizer(folder.shared_vocabulary);
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    const int threads = shared.options.threads > 0 ? shared.options.threads : cores;
    const auto speed = bench_prepare(text, tokenizer, threads);
    shared.output.show(
        {{"benchmark", "prepare"},
         {"text", text.path.string()},
         {"tokenizer", tokenizer.string()},
         {"threads", threads},
         {"megabytes_per_second", speed.megabytes_per_second},
         {"sentences_per_second", speed.sentences_per_second},
         {"peak_memory_megabytes", speed.peak_megabytes}},
        fmt::format("{:.1f} MB/s, {:.0f} sentences/s on {} threads; peak memory {:.0f} MB",
                    speed.megabytes_per_second, speed.sentences_per_second, threads, speed.peak_megabytes));
    return static_cast<int>(apps::kDone);
  };
}

}  // namespace transformer::bench
