// transformer-label: texts in, labels, scores of labels or vectors out, by an encoder.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/common/reader_options.h"
#include "apps/common/text_input.h"
#include "apps/common/translation_output.h"
#include "transformer/base/error.h"
#include "transformer/base/progress.h"
#include "transformer/eval/label_scores.h"
#include "transformer/reading/text_reader.h"

namespace {

using namespace transformer;
using nlohmann::ordered_json;

struct Arguments : apps::ReaderArguments {
  std::string embed, expected;
  bool labels = false;
};

std::string dumped(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string printed(const std::string& text, const reading::Labels& labels, bool as_json) {
  if (!as_json) {
    std::string probabilities;
    for (const auto& guesses : labels)
      probabilities += fmt::format("{}{:.6f}", probabilities.empty() ? "" : " ", guesses.front().probability);
    return fmt::format("{}\t{}\n", reading::best_labels(labels), probabilities);
  }
  ordered_json list = ordered_json::array();
  for (const auto& guesses : labels) {
    ordered_json all = ordered_json::object();
    for (const auto& guess : guesses) all[guess.label] = guess.probability;
    list.push_back(ordered_json{{"label", guesses.front().label}, {"probabilities", all}});
  }
  return dumped({{"text", text}, {"labels", list}});
}

std::string printed(const std::string& text, const std::vector<float>& vector, bool as_json) {
  if (as_json) return dumped({{"text", text}, {"embedding", vector}});
  std::string line;
  for (const auto number : vector) line += fmt::format("{}{:.7g}", line.empty() ? "" : " ", number);
  return line + "\n";
}

/// Those scores that the labels, or the answers, have.
std::string scored(const std::vector<std::string>& found, const std::vector<std::string>& expected,
                   bool answers, bool as_json) {
  ordered_json object = ordered_json::object();
  std::string lines;
  for (const auto& name : eval::label_score_names()) {
    if (answers != (name == "exact_match" || name == "answer_f1")) continue;
    try {
      const auto value = eval::find_label_score(name, "").score(found, expected);
      object[name] = value;
      lines += fmt::format("{} = {:.6f}\n", name, value);
    } catch (const InputError&) {  // numbers are compared, and these are none
      if (name == "accuracy") throw;
    }
  }
  return as_json ? dumped(object) : lines;
}

int label(const Arguments& arguments) {
  apps::refuse_settings(arguments);
  apps::check_standard_input({{"--input", arguments.input}, {"--expected", arguments.expected}});
  std::vector<std::filesystem::path> inputs{arguments.input};
  if (!arguments.expected.empty()) inputs.emplace_back(arguments.expected);
  apps::TranslationOutput output(arguments.output, arguments.overwrite, inputs);
  auto reader = apps::open_reader(arguments);
  const auto texts = apps::read_text(arguments.input);
  const auto& interrupted = apps::stop_when_signalled();
  Progress progress("reading", std::ssize(texts), {.quiet = arguments.common.quiet});
  const auto before = [&](std::size_t done) {
    if (interrupted) throw Interrupted();
    progress.update(static_cast<std::int64_t>(done));
  };
  if (const auto pooling = value_named<reading::Pooling>(arguments.embed)) {
    const auto vectors = reader.embed(texts, *pooling, before);
    progress.finish();
    for (std::size_t i = 0; i < texts.size(); ++i)
      output.write(printed(texts[i], vectors[i], arguments.json));
  } else {
    const auto all = reader.label(texts, before);
    progress.finish();
    std::vector<std::string> found;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      found.push_back(reading::best_labels(all[i]));
      if (arguments.labels)
        output.write(found.back() + "\n");
      else if (arguments.expected.empty())
        output.write(printed(texts[i], all[i], arguments.json));
    }
    if (!arguments.expected.empty())
      output.write(scored(found, apps::read_text(arguments.expected), reader.head() == models::Head::span,
                          arguments.json));
  }
  output.finish();
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Labels texts with an encoder (model.kind: encoder, model.head). Each line is a text. Its label is "
      "printed with its probability behind a tab, or the labels of its words, or its number. With --embed "
      "its vector is printed, with --expected how good all labels are.",
      "transformer-label");
  Arguments arguments;
  auto* json = apps::add_reader_options(
      app, arguments,
      "Print JSON lines: text, labels: of the text or of each word label and probabilities; or text, "
      "embedding; or scores by name");
  auto* expected =
      app.add_option("--expected", arguments.expected,
                     "File with the right labels of each text: print scores in the place of labels")
          ->check(apps::kNotEmpty);
  auto* embed =
      app.add_option("--embed", arguments.embed,
                     "Print a vector of length 1 for each text: the state of its first token, or the "
                     "mean of all")
          ->check(CLI::IsMember(all_names<reading::Pooling>()))
          ->excludes(expected);
  app.add_flag("--labels", arguments.labels, "Print labels alone, without probabilities")
      ->excludes(expected)
      ->excludes(embed)
      ->excludes(json);
  apps::add_common_options(app, arguments.common);
  apps::run_program(app, arguments.common, argc, argv, [&] { return label(arguments); });
}
