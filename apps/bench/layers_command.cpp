#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "apps/bench/commands.h"
#include "apps/bench/layers/layers.h"
#include "apps/bench/layers/paths.h"
#include "apps/bench/layers/report.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/memory.h"

namespace transformer::bench {
namespace {

struct LayersSettings {
  LayerPlan plan{.at = {.length = 256, .width = 256},
                 .lengths = {64, 128, 256, 512, 1024, 2048, 4096, 8192},
                 .widths = {64, 128, 256, 512, 768, 1024, 1536},
                 .fit_lengths = 1024,
                 .fit_widths = 512,
                 .path_lengths = {16, 32, 64, 128, 256, 512}};
  double seconds = 1;
  std::string output;
};

void add_layers_options(CLI::App& command, LayersSettings& settings) {
  constexpr std::int64_t kMost = 1 << 20;
  const auto number = [&](const char* name, std::int64_t& value, const char* help, std::int64_t least = 1) {
    command.add_option(name, value, help)->capture_default_str()->check(CLI::Range(least, kMost));
  };
  const auto list = [&](const char* name, std::vector<std::int64_t>& values, const char* help,
                        std::int64_t least) {
    command.add_option(name, values, help)
        ->delimiter(',')
        ->capture_default_str()
        ->check(CLI::Range(least, kMost));
  };
  auto& plan = settings.plan;
  list("--lengths", plan.lengths, "Lengths n to measure, of width --width", 1);
  list("--widths", plan.widths, "Widths d to measure, of length --length; multiples of --head-width", 1);
  number("--length", plan.at.length, "n while d varies");
  number("--width", plan.at.width, "d while n varies");
  number("--fit-lengths", plan.fit_lengths, "Exponents of n are fitted from this length on");
  number("--fit-widths", plan.fit_widths, "Exponents of d are fitted from this width on");
  number("--kernel", plan.at.kernel, "k, positions that a convolution sees; odd", 3);
  number("--window", plan.at.window, "r, positions that restricted self-attention reaches to a side");
  number("--head-width", plan.at.head_width, "Dimensions of a head of attention");
  number("--sequences", plan.at.sequences, "Sequences that are computed together; paths are those of one");
  list("--path-lengths", plan.path_lengths, "Lengths of which paths are counted", 2);
  command
      .add_option("--seconds", settings.seconds,
                  "Passes are repeated for so long, three times at least; the fastest counts")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 3600.0));
  command.add_option("--output", settings.output, "A folder to make, with table1.md and table1.svg");
}

void check(const LayersSettings& settings) {
  const auto& plan = settings.plan;
  if (plan.at.kernel % 2 == 0)
    throw InputError(fmt::format("--kernel: expected an odd number, found {}", plan.at.kernel));
  auto widths = plan.widths;
  widths.push_back(plan.at.width);
  for (const auto width : widths)
    if (width % plan.at.head_width != 0)
      throw InputError(fmt::format("--widths, --width: expected multiples of --head-width ({}), found {}",
                                   plan.at.head_width, width));
  if (settings.output.empty()) return;
  if (settings.output == "-")
    throw InputError("--output -: expected a name, since a folder cannot go to standard output");
  check_whole_folder(settings.output, {});
  refuse_existing(settings.output);
}

void rise(std::vector<std::int64_t>& sizes) {
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
}

LayerResults measure(const LayersSettings& settings, const torch::TensorOptions& options,
                     const Output& output) {
  LayerResults results{settings.plan, {}, {}};
  for (const auto& shape : shapes_of(settings.plan)) {
    for (const auto kind : layer_kinds()) {
      if (!is_timed(kind)) continue;
      const auto time = time_layer(kind, shape, options, settings.seconds);
      results.points.push_back({kind, shape, time.forward, time.backward, time.repetitions});
      output.show(as_json(results.points.back()), as_text(results.points.back()));
    }
  }
  // Paths depend neither on the random numbers nor on a layer's width.
  for (const auto kind : layer_kinds()) {
    for (const auto length : settings.plan.path_lengths) {
      auto shape = settings.plan.at;
      shape.length = length;
      shape.width = shape.head_width;
      shape.sequences = 1;
      results.paths.push_back({kind, shape, path_length(kind, shape)});
      output.show(as_json(results.paths.back()), as_text(results.paths.back()));
    }
  }
  for (const auto& [json, text] : conclusions(results)) output.show(json, text);
  return results;
}

}  // namespace

Command add_layers(CLI::App& app, const Shared& shared) {
  auto* command = app.add_subcommand("layers",
                                     "The paper's Table 1: time, operations and path lengths of "
                                     "self-attention, recurrence and convolution over length and width; one "
                                     "thread unless --threads says more");
  const auto settings = std::make_shared<LayersSettings>();
  add_layers_options(*command, *settings);
  return [shared, settings] {
    auto& plan = settings->plan;
    for (auto* sizes : {&plan.lengths, &plan.widths, &plan.path_lengths}) rise(*sizes);
    check(*settings);
    if (shared.options.threads == 0) at::set_num_threads(1);
    const auto device = runtime::choose_device(shared.options.device);
    const auto precision = runtime::choose_precision(shared.options.precision, device);
    runtime::keep_freed_memory();
    plan.conditions = fmt::format("{}, {}, {} thread{}, {} sequence{} at once", device.str(),
                                  runtime::name_of_precision(precision), at::get_num_threads(),
                                  at::get_num_threads() == 1 ? "" : "s", plan.at.sequences,
                                  plan.at.sequences == 1 ? "" : "s");
    plan.command = fmt::format(
        "transformer-bench layers --lengths {} --widths {} --length {} --width {} --fit-lengths {} "
        "--fit-widths {} --kernel {} --window {} --head-width {} --sequences {} --seconds {}",
        fmt::join(plan.lengths, ","), fmt::join(plan.widths, ","), plan.at.length, plan.at.width,
        plan.fit_lengths, plan.fit_widths, plan.at.kernel, plan.at.window, plan.at.head_width,
        plan.at.sequences, settings->seconds);
    const auto results = measure(*settings, torch::TensorOptions(device).dtype(precision), shared.output);
    if (!settings->output.empty()) {
      AtomicDirectory folder(settings->output);
      write_file_atomically(folder.temporary() / "table1.md", layers_markdown(results));
      write_file_atomically(folder.temporary() / "table1.svg", layers_svg(results));
      folder.commit();
    }
    return static_cast<int>(apps::kDone);
  };
}

}  // namespace transformer::bench
