#include "apps/translate/line_translation.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

namespace transformer::apps {

TranslatedLine translated_line(const translation::Translation& translation, std::size_t number, bool nbest) {
  const auto& hypotheses = translation.hypotheses;
  const auto& texts = translation.texts;
  TranslatedLine line{"", translation.truncated_source, hypotheses.front().ids};
  if (!nbest) {
    line.output = texts.front() + "\n";
    return line;
  }
  for (std::size_t n = 0; n < texts.size(); ++n)
    line.output += fmt::format("{} ||| {} ||| {:.6f}\n", number, texts[n], hypotheses[n].score);
  return line;
}

void warn_of_input(const LineNumbers& truncated, std::int64_t longest, std::size_t windows_line_ends) {
  if (truncated.count() > 0)
    spdlog::warn("{} lines had more than {} tokens: the rest of each was not translated ({})",
                 truncated.count(), longest, truncated.names());
  if (windows_line_ends > 0)
    spdlog::warn("{} lines ended in CR LF, as on Windows; the translations end in LF", windows_line_ends);
}

std::vector<std::string> read_prefixes(const std::string& file) {
  if (file == "-") throw InputError("--prefix -: expected a file, found standard input");
  return file.empty() ? std::vector<std::string>() : read_lines(file);
}

void check_prefixes(const std::string& file, const std::vector<std::string>& prefixes, std::size_t lines) {
  if (!file.empty() && prefixes.size() != lines)
    throw InputError(
        fmt::format("{}: expected a line for each line of the input, found {}", file, prefixes.size()));
}

LineTranslation::LineTranslation(const LineTranslationSettings& settings, distributed::Group* group)
    : settings_(settings),
      group_(group),
      translator_(settings.model, settings.translator),
      // A bar would stand between the translations on a terminal.
      progress_("translating", 0,
                {.quiet = settings.quiet || isatty(STDOUT_FILENO) != 0 || (group && !group->leads())}),
      prefixes_(read_prefixes(settings.prefix)) {}

std::vector<TranslatedLine> LineTranslation::translate(const std::vector<std::string>& lines) {
  std::vector<TranslatedLine> translated;
  given_ = lines.size();
  if (group_) {
    translated = translate_together(*group_, lines, done_, [&](const auto& own, const auto& numbers) {
      return translate_own(own, numbers);
    });
  } else {
    std::vector<std::size_t> numbers(lines.size());
    std::iota(numbers.begin(), numbers.end(), done_);
    translated = translate_own(lines, numbers);
  }
  done_ += translated.size();
  return translated;
}

void LineTranslation::finish() {
  check_prefixes(settings_.prefix, prefixes_, done_);
  progress_.finish();
}

std::vector<TranslatedLine> LineTranslation::translate_own(const std::vector<std::string>& lines,
                                                           const std::vector<std::size_t>& numbers) {
  const auto report = [&](std::size_t count) {
    const auto all = done_ + std::min(count * processes(), given_);  // the others are about as far
    progress_.update(static_cast<std::int64_t>(all), fmt::format("{} line{}", all, all == 1 ? "" : "s"));
  };
  const auto stop = [&] {
    if (group_ && group_->interrupted()) throw Interrupted();
  };
  std::vector<std::string> prefixes;
  if (!settings_.prefix.empty()) {
    for (const auto number : numbers) {
      if (number >= prefixes_.size()) check_prefixes(settings_.prefix, prefixes_, number + 1);
      prefixes.push_back(prefixes_[number]);
    }
  }
  const auto translations =
      translator_.translate(lines, settings_.decode, {.progress = report, .before_step = stop},
                            {.prefixes = prefixes, .draw = settings_.draw, .numbers = numbers});
  std::vector<TranslatedLine> formatted;
  for (std::size_t i = 0; i < translations.size(); ++i)
    formatted.push_back(translated_line(translations[i], numbers[i], settings_.nbest));
  return formatted;
}

}  // namespace transformer::apps
