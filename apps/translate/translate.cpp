// transformer-translate: text in, translations out, as the lines come (section 6.1 of the paper).
#include "apps/common/decode_options.h"
#include "apps/common/group_program.h"
#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "apps/common/translation_output.h"
#include "apps/translate/attention.h"
#include "apps/translate/explained.h"
#include "apps/translate/line_translation.h"
#include "transformer/base/error.h"
#include "transformer/base/line_numbers.h"
#include "transformer/base/streams.h"
#include "transformer/translation/line_chunks.h"

namespace {

using namespace transformer;

constexpr std::size_t kChunk = 2000;  // lines read, sorted by length and translated together

struct Arguments {
  apps::CommonOptions common;
  std::string model;
  std::string input;
  std::string output;
  apps::AttentionFiles attention;
  std::string explain;
  std::vector<std::string> decode;  // --set for each option that stands for a key
  bool nbest = false;               // whether --nbest is given: then a single one has its form, too
};

/// The configuration's keys that this program has an option for. Each wins over a --set.
void add_decode_options(CLI::App& app, Arguments& arguments) {
  apps::DecodeOptionAdder options(app, arguments.decode);
  options.add("--beam", "INT", "beam", "Hypotheses kept at each step; 1: greedy search");
  options.add("--candidates", "TEXT", "candidates",
              "Continuations considered at each step: twice the beam, as in the paper's program, or beam");
  options.add_length_penalty();
  options.add("--length-offset", "INT", "length_offset",
              "Tokens by which an output may be longer than its source, at most 4096");
  options.add("--nbest", "INT", "nbest",
              "Print so many translations of each line, as 'line ||| text ||| score'",
              [&arguments] { arguments.nbest = true; });
  options.add("--batch-tokens", "INT", "batch_tokens", "Padded source tokens translated together");
}

apps::LineTranslationSettings settings_of(const Arguments& arguments) {
  const auto decode = apps::override_decode_options(arguments.model, arguments.common.set, arguments.decode);
  return {.model = arguments.model,
          .device = arguments.common.device,
          .precision = arguments.common.precision,
          .decode = decode,
          .nbest = arguments.nbest || decode.nbest > 1,
          .quiet = arguments.common.quiet};
}

std::string input_of(const Arguments& arguments) {
  return arguments.input.empty() ? "-" : arguments.input;
}

/// group: the processes that translate together, if there are several; rank 0 reads and writes.
int translate(const Arguments& arguments, distributed::Group* group) {
  if (!arguments.explain.empty())
    return apps::translate_explained(settings_of(arguments), {.page = arguments.explain,
                                                              .input = input_of(arguments),
                                                              .output = arguments.output,
                                                              .overwrite = arguments.attention.overwrite,
                                                              .processes = group ? group->size() : 1});
  if (group && !group->leads()) {
    for (apps::LineTranslation lines(settings_of(arguments), group); !lines.translate({}).empty();) continue;
    return apps::kDone;
  }
  const auto input = input_of(arguments);
  if (arguments.attention.alignment.links == "-")
    throw InputError("--alignment -: expected a file, since standard output is for translations");
  apps::TranslationOutput output(arguments.output, arguments.attention.overwrite, {input});
  apps::TranslationAttention attention(arguments.attention, arguments.model, arguments.common.device,
                                       {input, arguments.output});
  apps::LineTranslation lines(settings_of(arguments), group);
  translation::LineChunks chunks(open_input(input), input_name(input));
  LineNumbers truncated;
  std::size_t number = 0;
  while (true) {
    const auto chunk = chunks.next(kChunk * lines.processes());
    const auto translated = lines.translate(chunk);
    if (translated.empty()) break;
    std::string text;
    for (const auto& line : translated) {
      text += line.output;
      ++number;
      if (line.truncated) truncated.add(number);
    }
    output.write(text);
    attention.add(chunk, translated);
  }
  output.finish();
  attention.finish();
  lines.finish();
  apps::warn_of_input(truncated, lines.longest_source(), chunks.reader().windows_line_ends());
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Translates text, a sentence a line: standard input to standard output, in order.",
               "transformer-translate");
  Arguments arguments;
  app.add_option("--model", arguments.model, "Model directory, or a run directory (its best checkpoint)")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_option("--input", arguments.input, "File to translate; - is standard input, the default")
      ->check(apps::kNotEmpty);
  app.add_option("--output", arguments.output,
                 "File to write, which appears when it is complete; - is standard output, the default")
      ->check(apps::kNotEmpty);
  app.add_flag("--overwrite", arguments.attention.overwrite,
               "Replace outputs that are files, other than the input or a part of a model");
  apps::add_attention_option(app, arguments.attention);
  app.add_option(
         "--explain", arguments.explain,
         "Also write the search as a tree, with what it considered and dropped: a page for X.html, data for "
         "X.json; for 20 lines at most")
      ->excludes("--attention")
      ->excludes("--alignment")
      ->excludes("--alignment-mask-end")
      ->check(apps::kNotEmpty);
  add_decode_options(app, arguments);
  apps::add_common_options(app, arguments.common, {"fp32", "tf32", "bf16", "fp16", "int8", "auto"});
  apps::GroupOptions group;
  apps::add_group_options(app, group);
  apps::run_program(app, arguments.common, argc, argv, [&] {
    return apps::run_in_group(group, argc, argv,
                              [&](distributed::Group* others) { return translate(arguments, others); });
  });
}
