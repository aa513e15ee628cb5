#include "apps/bench/generate.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <vector>

#include "transformer/base/random.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/stopwatch.h"
#include "transformer/engine/team.h"
#include "transformer/engine/text_decoder.h"
#include "transformer/generation/workers.h"
#include "transformer/search/sampling.h"
#include "transformer/translation/workers.h"

namespace transformer::bench {
namespace {

struct Seconds {
  double prompt = 0, rest = 0;
};

/// Some of the texts, by one decoder.
Seconds continue_texts(const engine::PackedModel& model, const GenerateSetting& setting, std::int64_t first,
                       std::int64_t end, int threads) {
  engine::TextDecoder decoder(model, threads);
  search::Sampler sampler({.temperature = 0});
  constexpr auto kFirst = kEos + 1;  // special tokens stand before it
  const auto vocabulary = static_cast<std::uint64_t>(model.vocabulary().target - kFirst);
  std::vector<std::vector<std::int32_t>> texts;
  for (auto text = first; text < end; ++text) {
    auto& ids = texts.emplace_back();
    for (std::int64_t i = 0; i < setting.prompt; ++i)
      ids.push_back(static_cast<std::int32_t>(mix(mix(1, text), i) % vocabulary) + kFirst);
  }
  Seconds seconds;
  Stopwatch watch;
  for (std::int64_t i = 0; i < setting.tokens; ++i) {
    std::vector<search::TextModel::Reading> readings;
    for (std::size_t j = 0; j < texts.size(); ++j)
      readings.push_back({static_cast<std::int64_t>(j), texts[j]});
    const auto logits = decoder.read(readings);
    const auto width = static_cast<std::size_t>(decoder.vocabulary());
    for (std::size_t j = 0; j < texts.size(); ++j)
      texts[j].assign(1, sampler.draw(logits.subspan(j * width, width), {}, 0).token);
    if (i == 0) seconds.prompt = watch.seconds();
  }
  seconds.rest = watch.seconds() - seconds.prompt;
  return seconds;
}

Seconds continue_all(const engine::PackedModel& model, const GenerateSetting& setting) {
  const auto split = generation::workers_for(setting.texts, setting.threads);
  std::vector<Seconds> each(static_cast<std::size_t>(split.workers));
  translation::for_pieces(each.size(), each.size(), [&](std::size_t, std::size_t piece) {
    const engine::Share share(setting.texts, static_cast<int>(piece), split.workers);
    each[piece] = continue_texts(model, setting, share.first, share.end, split.threads);
  });
  Seconds all;
  for (const auto& one : each) all = {std::max(all.prompt, one.prompt), std::max(all.rest, one.rest)};
  return all;
}

std::int64_t bytes_of_pass(const engine::PackedModel& model) {
  auto bytes = model.output.bytes();
  for (const auto& layer : model.decoder)
    for (const auto* matrix :
         {&layer.self_attention.projections, &layer.self_attention.output, &layer.feed_forward.inner,
          &layer.feed_forward.gate, &layer.feed_forward.outer})
      bytes += matrix->bytes();
  return bytes;
}

/// Bytes a second of memory that is read in order, the best of some times. The C library searches it for a
/// byte that is not there, as fast as the CPU loads.
double read_bandwidth(std::int64_t bytes, int threads) {
  kernels::Buffer<char> memory(bytes);
  std::fill_n(memory.data(), bytes, 'a');
  engine::Team team(threads);
  std::atomic<int> found = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 20; ++i) {
    const Stopwatch watch;
    team.run([&](int member) {
      const engine::Share share(bytes, member, team.members());
      if (std::memchr(memory.data() + share.first, 'b', static_cast<std::size_t>(share.end - share.first)))
        ++found;
    });
    least = std::min(least, watch.seconds());
  }
  return found > 0 ? 0 : static_cast<double>(bytes) / least;
}

}  // namespace

GenerateSpeed time_generation(const engine::PackedModel& model, const GenerateSetting& setting,
                              int repetitions) {
  GenerateSpeed speed{.setting = setting, .bytes_of_token = bytes_of_pass(model)};
  speed.seconds = speed.prompt_seconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) {
    const auto seconds = continue_all(model, setting);
    speed.prompt_seconds = std::min(speed.prompt_seconds, seconds.prompt);
    speed.seconds = std::min(speed.seconds, seconds.rest);
  }
  speed.bytes_per_second = read_bandwidth(speed.bytes_of_token, setting.threads);
  return speed;
}

}  // namespace transformer::bench
