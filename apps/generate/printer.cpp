#include "apps/generate/printer.h"

#include <nlohmann/json.hpp>

namespace transformer::apps {
namespace {

std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n')
      line += "\\n";
    else
      line += c;
  }
  return line;
}

}  // namespace

std::string printed(const generation::Continuation& found, const std::string& prompt, std::size_t number,
                    std::int64_t sample, const PrintedForm& form) {
  const auto text = (form.prompt ? prompt : "") + found.text;
  if (!form.json) return (form.one_text ? text : in_one_line(text)) + "\n";
  nlohmann::json json = {{"prompt", number + 1},
                         {"sample", sample + 1},
                         {"text", text},
                         {"ids", found.ids},
                         {"end", name_of(found.end)}};
  if (found.score) {
    json["log_probability"] = found.log_probability.value_or(0);
    json["score"] = *found.score;
  } else {
    json["log_probabilities"] = found.log_probabilities;
  }
  if (found.end_log_probability) json["end_log_probability"] = *found.end_log_probability;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void StreamPrinter::print(std::string_view text) {
  if (!text.empty()) output_.write(std::string(text));
}

void StreamPrinter::show(std::string text) {
  // Bytes that do not make a character yet come as replacement characters.
  constexpr std::string_view kUnfinished = "\xEF\xBF\xBD";
  while (text.ends_with(kUnfinished)) text.resize(text.size() - kUnfinished.size());
  if (text.size() <= shown_) return;
  print(std::string_view(text).substr(shown_));
  shown_ = text.size();
}

void StreamPrinter::finish(const std::string& text) {
  if (text.size() > shown_) print(std::string_view(text).substr(shown_));
  print("\n");
}

}  // namespace transformer::apps
