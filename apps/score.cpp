// transformer-score: how probable a model finds given translations.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "apps/attention_output.h"
#include "apps/decode_options.h"
#include "apps/not_empty.h"
#include "apps/program.h"
#include "apps/score_output.h"
#include "apps/text_input.h"
#include "transformer/base/error.h"
#include "transformer/base/figure_text.h"
#include "transformer/base/progress.h"
#include "transformer/base/streams.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/runtime/device.h"
#include "transformer/translation/forced_scores.h"

namespace {

using namespace transformer;

constexpr std::size_t kChunk = 2000;  // pairs that are sorted by length, computed and printed together

struct Arguments {
  apps::CommonOptions common;
  std::string model, source, target;
  apps::ScoreFormat format;
  apps::AttentionFiles attention;
  std::vector<std::string> decode;  // --set for each option that stands for a key
  bool length_penalty = false;      // whether one of them says how to divide
};

/// A text's ids. A line that is too long is refused, not cut: its score would be another sentence's.
std::vector<std::vector<std::int32_t>> encode(const std::vector<std::string>& lines, const std::string& path,
                                              const data::Tokenizer& tokenizer, std::int64_t longest) {
  std::vector<std::vector<std::int32_t>> ids;
  ids.reserve(lines.size());
  std::size_t too_long = 0, first = 0;
  for (const auto& line : lines) {
    ids.push_back(tokenizer.encode(line, static_cast<std::size_t>(longest)));
    if (static_cast<std::int64_t>(ids.back().size()) <= longest) continue;
    if (too_long++ == 0) first = ids.size();
  }
  if (too_long > 0)
    throw InputError(fmt::format("{}:{}: expected at most {} tokens, found more; of {} lines {} are too long",
                                 input_name(path), first, longest, lines.size(), too_long));
  return ids;
}

std::vector<translation::ForcedPair> read_pairs(const Arguments& arguments,
                                                const checkpoints::LoadedModel& model) {
  apps::check_standard_input({{"--source", arguments.source}, {"--target", arguments.target}});
  const auto sources = apps::read_text(arguments.source), targets = apps::read_text(arguments.target);
  apps::check_line_count(targets.size(), arguments.target, sources.size(), arguments.source);
  const auto longest = translation::longest_forced(model.model->options());
  auto source = encode(sources, arguments.source, *model.tokenizers.source, longest);
  auto target = encode(targets, arguments.target, *model.tokenizers.target, longest);
  std::vector<translation::ForcedPair> pairs;
  pairs.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i)
    pairs.push_back({std::move(source[i]), std::move(target[i])});
  return pairs;
}

int score(const Arguments& arguments) {
  const auto options = apps::override_decode_options(arguments.model, arguments.common.set, arguments.decode);
  if (arguments.length_penalty && !arguments.format.normalize)
    throw InputError("--alpha, --length-penalty: expected --normalize, which divides by the length penalty");
  const auto device = runtime::choose_device(arguments.common.device);
  apps::AttentionOutput attention(arguments.attention, arguments.model, {arguments.source, arguments.target});
  if (const auto& format = arguments.format;
      attention.is_printed() && (format.json || format.tokens || format.normalize))
    throw InputError("--json, --tokens, --normalize: expected scores, found what is printed in their place");
  auto model = checkpoints::load_model(arguments.model, device);
  attention.check(model.model->options());
  const runtime::Autocast autocast(runtime::choose_precision(arguments.common.precision, device));
  const auto pairs = read_pairs(arguments, model);
  attention.check_pairs(pairs.size(), arguments.source);
  // A bar would stand between the scores on a terminal.
  Progress progress("scoring", static_cast<std::int64_t>(pairs.size()),
                    {.quiet = arguments.common.quiet || isatty(STDOUT_FILENO) != 0});
  double sum = 0;
  std::size_t tokens = 0;
  for (std::size_t begin = 0; begin < pairs.size(); begin += kChunk) {
    const auto chunk = std::span(pairs).subspan(begin, std::min(kChunk, pairs.size() - begin));
    const auto report = [&](std::size_t done) {
      progress.update(static_cast<std::int64_t>(begin + done), fmt::format("{} pairs", begin + done));
    };
    const auto scores = translation::forced_scores(model.model, chunk, options.batch_tokens, report);
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      const auto named = apps::name_tokens(chunk[i].target, scores[i], *model.tokenizers.target);
      const double total = apps::total_log_probability(named);
      if (std::isnan(total))
        throw checkpoints::diverged(arguments.model, fmt::format(" in line {}", begin + i + 1));
      if (!attention.is_printed()) fmt::print("{}\n", apps::format_score(named, options, arguments.format));
      sum += total;
      tokens += named.size();
    }
    std::fflush(stdout);
    attention.add(model.model, model.tokenizers, chunk, translation::TextOrigin::given);
  }
  attention.finish();
  progress.finish();
  spdlog::info("{} pairs, {} target tokens, perplexity {}", pairs.size(), tokens,
               figure_text(std::exp(-sum / static_cast<double>(tokens)), 4));
  return apps::kDone;
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--model", arguments.model, "Model directory, or a run directory (its best checkpoint)")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_option("--source", arguments.source, "Sentences, one a line; - is standard input")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_option("--target", arguments.target, "Their translations, line by line; - is standard input")
      ->required()
      ->check(apps::kNotEmpty);
  auto& format = arguments.format;
  app.add_flag("--tokens", format.tokens,
               "Also each token and its log-probability, behind further tabs: 'piece -0.123456'");
  app.add_flag("--normalize", format.normalize,
               "Divide the sum by the length penalty: the score of transformer-translate --nbest");
  app.add_flag("--json", format.json, "Print one JSON object a line instead");
  apps::add_attention_options(app, arguments.attention);
  apps::DecodeOptionAdder options(app, arguments.decode);
  options.add_length_penalty([&arguments] { arguments.length_penalty = true; });
  options.add("--batch-tokens", "INT", "batch_tokens", "Padded tokens of either side computed together");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Scores given translations by their probability under a model. Prints a line for each pair: the sum of "
      "the natural logarithms of the target tokens' probabilities, a tab, and their number, EOS included.",
      "transformer-score");
  Arguments arguments;
  add_options(app, arguments);
  apps::add_common_options(app, arguments.common);
  apps::run_program(app, arguments.common, argc, argv, [&] { return score(arguments); });
}
