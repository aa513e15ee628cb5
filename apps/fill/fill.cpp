// transformer-fill: texts with masks in, the tokens that may stand there out, by an encoder.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/common/reader_options.h"
#include "apps/common/text_input.h"
#include "apps/common/translation_output.h"
#include "transformer/base/error.h"
#include "transformer/base/progress.h"
#include "transformer/reading/text_reader.h"

namespace {

using namespace transformer;

struct Arguments : apps::ReaderArguments {
  std::int64_t top = 5;
};

std::string printed(const std::string& text, const std::vector<std::vector<reading::Guess>>& masks,
                    std::size_t line, bool as_json) {
  if (!as_json) {
    std::string lines;
    for (std::size_t mask = 0; mask < masks.size(); ++mask)
      for (const auto& guess : masks[mask])
        lines += fmt::format("{}\t{}\t{:.6f}\t{}\n", line + 1, mask + 1, guess.probability, guess.text);
    return lines;
  }
  nlohmann::ordered_json object{{"text", text}, {"masks", nlohmann::json::array()}};
  for (const auto& mask : masks) {
    auto& list = object["masks"].emplace_back(nlohmann::json::array());
    for (const auto& guess : mask)
      list.push_back(nlohmann::ordered_json{{"text", guess.text},
                                            {"piece", guess.piece},
                                            {"id", guess.id},
                                            {"probability", guess.probability}});
  }
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int fill(const Arguments& arguments) {
  apps::refuse_settings(arguments);
  apps::TranslationOutput output(arguments.output, arguments.overwrite, {arguments.input});
  auto reader = apps::open_reader(arguments);
  const auto texts = apps::read_text(arguments.input);
  const auto& interrupted = apps::stop_when_signalled();
  Progress progress("filling", std::ssize(texts), {.quiet = arguments.common.quiet});
  const auto all = reader.fill(texts, arguments.top, [&](std::size_t done) {
    if (interrupted) throw Interrupted();
    progress.update(static_cast<std::int64_t>(done));
  });
  progress.finish();
  for (std::size_t i = 0; i < all.size(); ++i) output.write(printed(texts[i], all[i], i, arguments.json));
  output.finish();
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Says which tokens an encoder expects at each <mask> of a text (model.kind: encoder). Each line is a "
      "text. For each mask the most probable tokens are printed, best first: line, mask, probability and "
      "token, with tabs between.",
      "transformer-fill");
  Arguments arguments;
  apps::add_reader_options(
      app, arguments, "Print JSON lines: text, masks: for each a list of text, piece, id and probability");
  app.add_option("--top-k", arguments.top, "Tokens for each mask")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}).description(""))
      ->capture_default_str();
  apps::add_common_options(app, arguments.common);
  apps::run_program(app, arguments.common, argc, argv, [&] { return fill(arguments); });
}
