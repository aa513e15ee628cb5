#include "apps/translate/explained.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/common/explain_output.h"
#include "apps/common/plain_program.h"
#include "transformer/base/error.h"
#include "transformer/base/streams.h"
#include "transformer/translation/line_chunks.h"

namespace transformer::apps {
namespace {

std::vector<std::string> all_lines(translation::LineChunks& chunks, const std::string& input) {
  std::vector<std::string> lines;
  for (auto more = chunks.next(kMostExplained + 1); !more.empty(); more = chunks.next(kMostExplained + 1)) {
    lines.insert(lines.end(), more.begin(), more.end());
    check_explained(lines.size(), input_name(input));
  }
  return lines;
}

}  // namespace

int translate_explained(const LineTranslationSettings& settings, const ExplainFiles& files) {
  if (files.processes > 1)
    throw InputError(fmt::format("--explain: expected one process, found --processes {}", files.processes));
  TranslationOutput output(files.output, files.overwrite, {files.input, settings.prefix});
  ExplainOutput page(files.page, files.overwrite,
                     {files.input, settings.prefix, files.output.empty() ? "-" : files.output},
                     settings.decode.beam);
  translation::LineChunks chunks(open_input(files.input), input_name(files.input));
  const auto lines = all_lines(chunks, files.input);
  translation::Translator translator(settings.model, settings.translator);
  search::TreeRecorder recorder(lines.size());
  const auto prefixes = read_prefixes(settings.prefix);
  check_prefixes(settings.prefix, prefixes, lines.size());
  const auto found = translator.translate(
      lines, settings.decode, {.observer = [&](const search::ObservedStep& step) { recorder(step); }},
      {.prefixes = prefixes});

  const auto& tokenizers = translator.tokenizers();
  report::Explanation explanation{
      .model = settings.model,
      .options = settings.decode,
      .piece_of = [&](std::int32_t token) { return tokenizers.target->piece_of(token); },
      .sentences = {}};
  std::string text;
  LineNumbers truncated;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += translated_line(found[i], i, settings.nbest).output;
    auto pieces = tokenizers.source->pieces(lines[i]);
    if (found[i].truncated_source) {
      truncated.add(i + 1);
      const auto longest = static_cast<std::size_t>(translator.longest_source());
      pieces.resize(std::min(pieces.size(), longest));  // all that was read
    }
    explanation.sentences.push_back({.source = lines[i],
                                     .pieces = std::move(pieces),
                                     .tree = recorder.trees()[i],
                                     .hypotheses = found[i].hypotheses,
                                     .texts = found[i].texts});
  }
  page.write(explanation);
  output.write(text);
  page.finish();
  output.finish();
  warn_of_input(truncated, translator.longest_source(), chunks.reader().windows_line_ends());
  return kDone;
}

}  // namespace transformer::apps
