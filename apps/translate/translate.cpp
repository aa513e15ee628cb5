// transformer-translate: text in, translations out, as the lines come (section 6.1 of the paper).
#include "apps/common/group_program.h"
#include "apps/common/program.h"
#include "apps/common/translation_output.h"
#include "apps/translate/arguments.h"
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

std::string input_of(const apps::TranslateArguments& arguments) {
  return arguments.input.empty() ? "-" : arguments.input;
}

/// group: the processes that translate together, if there are several; rank 0 reads and writes.
int translate(apps::TranslateArguments arguments, distributed::Group* group) {
  arguments.common.device = apps::device_for(group, arguments.common.device);
  if (!arguments.explain.empty())
    return apps::translate_explained(apps::settings_of(arguments),
                                     {.page = arguments.explain,
                                      .input = input_of(arguments),
                                      .output = arguments.output,
                                      .overwrite = arguments.attention.overwrite,
                                      .processes = group ? group->size() : 1});
  if (group && !group->leads()) {
    for (apps::LineTranslation lines(apps::settings_of(arguments), group); !lines.translate({}).empty();)
      continue;
    return apps::kDone;
  }
  const auto input = input_of(arguments);
  if (arguments.attention.alignment.links == "-")
    throw InputError("--alignment -: expected a file, since standard output is for translations");
  apps::TranslationOutput output(arguments.output, arguments.attention.overwrite, {input, arguments.prefix});
  const auto settings = apps::settings_of(arguments);
  apps::TranslationAttention attention(arguments.attention, settings,
                                       {input, arguments.output, arguments.prefix});
  apps::LineTranslation lines(settings, group);
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
  lines.finish();
  output.finish();
  attention.finish();
  apps::warn_of_input(truncated, lines.longest_source(), chunks.reader().windows_line_ends());
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Translates text, a sentence a line: standard input to standard output, in order.",
               "transformer-translate");
  apps::TranslateArguments arguments;
  apps::add_arguments(app, arguments);
  apps::add_common_options(app, arguments.common, {"fp32", "tf32", "bf16", "fp16", "int8", "auto"});
  apps::GroupOptions group;
  apps::add_group_options(app, group);
  apps::run_program(app, arguments.common, argc, argv, [&] {
    return apps::run_in_group(group, argc, argv,
                              [&](distributed::Group* others) { return translate(arguments, others); });
  });
}
