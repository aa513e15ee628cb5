#include "apps/bench/decode.h"

#include <algorithm>

#include "transformer/base/special_tokens.h"
#include "transformer/base/stopwatch.h"
#include "transformer/models/size.h"
#include "transformer/runtime/memory.h"

namespace transformer::bench {
namespace {

struct Run {
  double seconds = 0.0;
  translation::TranslateTimes times;
  std::vector<translation::Translation> translations;
};

Run translate_once(translation::Translator& translator, std::span<const std::string> lines,
                   const search::DecodeOptions& options, std::size_t workers) {
  Run run;
  const translation::TranslateCallbacks callbacks{.times = &run.times};
  const Stopwatch watch;
  if (options.batch_tokens > 1 || workers > 1) {
    run.translations = translator.translate(lines, options, callbacks);
  } else {
    for (std::size_t i = 0; i < lines.size(); ++i)
      run.translations.push_back(translator.translate(lines.subspan(i, 1), options, callbacks)[0]);
  }
  run.seconds = watch.seconds();
  return run;
}

}  // namespace

DecodeTimings time_decoding(const checkpoints::LoadedModel& model, std::span<const std::string> lines,
                            const search::DecodeOptions& options, const DecodeSetting& setting,
                            int repetitions) {
  auto search = options;
  search.batch_tokens = setting.batch_tokens;
  translation::Translator translator(model, {.device = setting.device.str(), .precision = setting.precision});
  translate_once(translator, lines.first(std::min(lines.size(), std::size_t{64})), search, setting.workers);
  std::vector<Run> runs;
  for (int i = 0; i < repetitions; ++i)
    runs.push_back(translate_once(translator, lines, search, setting.workers));
  std::ranges::sort(runs, {}, &Run::seconds);
  const auto& median = runs.at(runs.size() / 2);

  DecodeTimings timings{.setting = setting,
                        .lines = lines.size(),
                        .seconds = median.seconds,
                        .least_seconds = runs.front().seconds,
                        .most_seconds = runs.back().seconds,
                        .peak_memory = runtime::peak_memory(setting.device),
                        .times = median.times};
  models::TokenCounts counts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto tokens = static_cast<std::int64_t>(median.translations[i].hypotheses.at(0).ids.size()) + 1;
    timings.output_tokens += tokens;
    counts.add_pair(static_cast<std::int64_t>(
                        model.tokenizers.source->encode(lines[i], translation::kLongestSource).size()) +
                        1,
                    tokens);
  }
  timings.flops =
      models::decoding_flops(model.model->options(), model.model->vocabulary(), counts, options.beam);
  return timings;
}

models::EncoderDecoder random_model(const models::ModelOptions& options, std::int64_t vocabulary) {
  models::EncoderDecoder model(options, models::VocabularySizes{vocabulary, vocabulary});
  const torch::NoGradGuard no_grad;
  model->output->weight[kEos].zero_();
  model->eval();
  return model;
}

}  // namespace transformer::bench
