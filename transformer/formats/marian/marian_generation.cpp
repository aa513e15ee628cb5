#include "transformer/formats/marian/marian_generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "transformer/config/keys.h"
#include "transformer/search/options.h"
#include "transformer/translation/text_translation.h"

namespace transformer::formats {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostTokens = 1'000'000;

/// Settings that our search has not, each with the value that has no effect.
const std::vector<std::pair<const char*, json>>& foreign_settings() {
  static const std::vector<std::pair<const char*, json>> all{{"min_length", 0},
                                                             {"min_new_tokens", 0},
                                                             {"max_time", nullptr},
                                                             {"stop_strings", nullptr},
                                                             {"early_stopping", false},
                                                             {"no_repeat_ngram_size", 0},
                                                             {"encoder_no_repeat_ngram_size", 0},
                                                             {"repetition_penalty", 1},
                                                             {"encoder_repetition_penalty", 1},
                                                             {"suppress_tokens", nullptr},
                                                             {"begin_suppress_tokens", nullptr},
                                                             {"forced_decoder_ids", nullptr},
                                                             {"force_words_ids", nullptr},
                                                             {"constraints", nullptr},
                                                             {"sequence_bias", nullptr},
                                                             {"exponential_decay_length_penalty", nullptr},
                                                             {"guidance_scale", 1},
                                                             {"renormalize_logits", false},
                                                             {"num_beam_groups", 1},
                                                             {"diversity_penalty", 0},
                                                             {"num_return_sequences", 1},
                                                             {"penalty_alpha", 0},
                                                             {"dola_layers", nullptr},
                                                             {"watermarking_config", nullptr},
                                                             {"do_sample", false},
                                                             {"temperature", 1},
                                                             {"top_k", 50},
                                                             {"top_p", 1},
                                                             {"top_h", nullptr},
                                                             {"min_p", nullptr},
                                                             {"typical_p", 1},
                                                             {"epsilon_cutoff", 0},
                                                             {"eta_cutoff", 0}};
  return all;
}

/// That never more is forbidden or forced than what our search does by itself.
void check_forced(const JsonObject& settings, const SearchIds& ids) {
  if (!ids.forces_first && settings.integer("forced_bos_token_id", 0))
    settings.refuse("forced_bos_token_id", "nothing, as no token can be forced to come first");
  const auto* bad = settings.find("bad_words_ids");
  if (bad == nullptr) return;
  for (const auto& word : *bad) {
    if (word != json{ids.pad} && word != json{ids.start})
      settings.refuse("bad_words_ids",
                      fmt::format("[[{}]], as only padding and start are never produced", ids.pad));
  }
}

/// What a folder of ours says of one of our keys.
void set_own(const JsonObject& config, const char* own, const char* key, config::Experiment& experiment) {
  const auto name = config.text(own);
  const auto* setting = config::find_key(key);
  if (name && !setting->set(experiment, {.text = *name})) config.refuse(own, setting->expected);
}

}  // namespace

search::DecodeOptions read_generation(const JsonObject& generation, const JsonObject& config,
                                      const SearchIds& ids) {
  check_forced(generation, ids);
  check_forced(config, ids);
  const auto integer = [&](const char* key, std::int64_t most) {
    const auto found = generation.integer(key, 1, most);
    return found ? found : config.integer(key, 1, most);
  };
  auto alpha = generation.real("length_penalty", 0, 100);
  if (!alpha) alpha = config.real("length_penalty", 0, 100);
  config::Experiment experiment;
  auto& decode = experiment.decode;
  decode.length_penalty = search::LengthPenalty::length;
  set_own(config, kOwnLengthPenalty, "decode.length_penalty", experiment);
  set_own(config, kOwnCandidates, "decode.candidates", experiment);
  decode.beam = integer("num_beams", 1000).value_or(1);
  decode.alpha = alpha.value_or(1.0);
  // max_length counts the start and the end, max_new_tokens the end. Neither depends on the source, so ours
  // is the tighter only beyond kMostLengthOffset.
  if (const auto tokens = integer("max_new_tokens", kMostTokens)) {
    decode.length_offset = *tokens - 1;
  } else if (const auto offset = config.integer(kOwnLengthOffset, 0, kMostTokens)) {
    decode.length_offset = *offset;
  } else if (const auto length = integer("max_length", kMostTokens)) {
    decode.length_offset = *length - 2;
  }
  decode.length_offset = std::clamp<std::int64_t>(decode.length_offset, 0, search::kMostLengthOffset);
  return decode;
}

nlohmann::ordered_json written_generation(const search::DecodeOptions& decode, const SearchIds& ids,
                                          std::int64_t longest) {
  std::vector<std::vector<std::int64_t>> never{{ids.pad}};
  if (ids.start != ids.pad && ids.start != ids.end) never.push_back({ids.start});
  return {
      {"num_beams", decode.beam}, {"length_penalty", decode.alpha}, {"early_stopping", false},
      {"max_length", longest},    {"bad_words_ids", never},         {"pad_token_id", ids.pad},
      {"eos_token_id", ids.end},  {"forced_eos_token_id", ids.end}, {"decoder_start_token_id", ids.start}};
}

json own_settings(const search::DecodeOptions& decode) {
  config::Experiment experiment;
  experiment.decode = decode;
  const auto value = [&](const char* key) { return config::find_key(key)->get(experiment); };
  return {{kOwnLengthOffset, decode.length_offset},
          {kOwnLengthPenalty, value("decode.length_penalty")},
          {kOwnCandidates, value("decode.candidates")}};
}

std::int64_t position_count(const config::Experiment& experiment) {
  return models::longest_sequence(experiment.model)
      .value_or(translation::kLongestSource + experiment.decode.length_offset + 1);
}

std::vector<std::string> ignored_settings(const JsonObject& generation, const JsonObject& config) {
  std::vector<std::string> ignored;
  for (const auto& [key, neutral] : foreign_settings()) {
    const auto& from = generation.find(key) != nullptr ? generation : config;
    const auto* value = from.find(key);
    const bool absent = value == nullptr || (value->is_structured() && value->empty());
    if (!absent && *value != neutral) ignored.push_back(fmt::format("{} {}", key, from.shown(key)));
  }
  // Of these config.json has what counts.
  for (const auto* key : {"eos_token_id", "pad_token_id", "decoder_start_token_id"}) {
    const auto *value = generation.find(key), *counts = config.find(key);
    if (value != nullptr && counts != nullptr && *value != *counts && *value != json::array({*counts}))
      ignored.push_back(fmt::format("{} {}", key, generation.shown(key)));
  }
  return ignored;
}

}  // namespace transformer::formats
