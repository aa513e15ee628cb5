#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <memory>
#include <set>

#include "apps/bench/commands.h"
#include "apps/bench/decode.h"
#include "apps/bench/shapes.h"
#include "apps/common/not_empty.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/runtime/device_choices.h"
#include "transformer/translation/translator.h"

namespace transformer::bench {

Command add_decode(CLI::App& app, const Shared& shared) {
  struct Arguments {
    std::string model, shape, tokenizer, text;
    std::int64_t batch_tokens = 4096, beam = 4;
    double alpha = 0;
    int repetitions = 3;
    std::set<std::string> without;
  };
  const auto given = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("decode", "Translation with a model");
  auto* model =
      command->add_option("--model", given->model, "Model or run directory")->check(apps::kNotEmpty);
  command
      ->add_option(
          "--shape", given->shape,
          "Instead of a model: small, base or big with random weights; outputs are as long as sources")
      ->excludes(model);
  command->add_option("--tokenizer", given->tokenizer, "SentencePiece model, with --shape");
  command->add_option("--text", given->text, "Source text, a sentence a line; - is standard input")
      ->required()
      ->check(apps::kNotEmpty);
  command
      ->add_option("--batch-tokens", given->batch_tokens, "Source tokens of a batch; 1: a sentence at a time")
      ->check(CLI::Range(1, 1'000'000'000).description(""))
      ->capture_default_str();
  command->add_option("--beam", given->beam, "Width of the beam")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->capture_default_str();
  command->add_option("--alpha", given->alpha, "Length penalty")
      ->check(CLI::Range(0.0, 1e6).description(""))
      ->capture_default_str();
  command->add_option("--repetitions", given->repetitions, "Of which the median counts")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->capture_default_str();
  command
      ->add_option("--without", given->without,
                   "What is not to be done for a device's speed, to see what it is worth: recurring-shapes "
                   "(batches are filled up), graphs (eight steps are one launch); both with a comma between")
      ->delimiter(',')
      ->check(CLI::IsMember({"recurring-shapes", "graphs"}));
  return [shared, given] {
    if (given->without.contains("recurring-shapes")) runtime::device_choices().recurring_shapes = false;
    if (given->without.contains("graphs")) runtime::device_choices().graphs = false;
    if (given->model.empty() && (given->shape.empty() || given->tokenizer.empty()))
      throw InputError("decode: --model, or --shape and --tokenizer are required");
    const auto device =
        translation::device_of({.device = shared.options.device, .precision = shared.options.precision});
    auto lines = read_lines(given->text == "-" ? "/dev/stdin" : given->text);
    if (lines.empty()) throw InputError(fmt::format("{}: expected sentences, found none", given->text));
    search::DecodeOptions options;
    options.beam = given->beam;
    options.alpha = given->alpha;
    checkpoints::LoadedModel loaded;
    if (!given->model.empty()) {
      loaded = checkpoints::load_model(given->model, device);
    } else {
      loaded.tokenizers.source = loaded.tokenizers.target =
          std::make_shared<data::Tokenizer>(given->tokenizer);
      loaded.model = random_model(shape_of(given->shape).model, loaded.tokenizers.source->size());
      options.length_offset = 0;
    }
    std::erase_if(lines, [&](const auto& line) { return loaded.tokenizers.source->encode(line).empty(); });
    if (lines.empty())
      throw InputError(fmt::format("{}: expected sentences, found blank lines", given->text));
    const DecodeSetting setting{
        .device = device,
        .precision = translation::precision_of(shared.options.precision, device),
        .workers = device.is_cpu() ? static_cast<std::size_t>(at::get_num_threads()) : 1,
        .batch_tokens = given->batch_tokens};
    const auto timings = time_decoding(loaded, lines, options, setting, given->repetitions);
    shared.output.show(as_json(timings), as_text(timings));
    return static_cast<int>(apps::kDone);
  };
}

}  // namespace transformer::bench
