#include "apps/inspect/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "transformer/config/departures.h"
#include "transformer/models/size.h"
#include "transformer/train/cost.h"

namespace transformer::apps {
namespace {

/// What a model costs, for sentences of `length` tokens on each side.
struct Costs {
  models::ParameterCount parameters;
  models::MemoryEstimate memory;
  double training_token = 0;   ///< for a target token and a source token
  double inference_token = 0;  ///< the same, with the configured beam
  double update = 0;
  std::optional<double> training = {};      ///< nothing: of train.epochs, whose updates the data decide
  std::vector<std::string> uncounted = {};  ///< variants whose operations are not among these
};

Costs measure(const Subject& subject, double length, const std::string& precision) {
  const auto& [experiment, vocabulary] = subject;
  const auto& [seed, data, model, train, distributed, decode] = experiment;
  const auto tokens = train::tokens_of_update(train, length);
  const auto micro = std::min(static_cast<double>(train::reckoned_micro_tokens(train)), tokens);
  const auto one = models::even_pairs(1, length);
  const double passes = train::passes_of(train.r_drop);
  const double update =
      passes * models::training_flops(model, vocabulary, models::even_pairs(tokens, length));
  return {
      .parameters = models::count_parameters(model, vocabulary),
      .memory = models::training_memory(model, vocabulary, passes * micro, length, is_half(precision) ? 2 : 4,
                                        train::kept_numbers(train)),
      .training_token = passes * models::training_flops(model, vocabulary, one),
      .inference_token = models::decoding_flops(model, vocabulary, one, decode.beam),
      .update = update,
      .training = train.epochs > 0 ? std::nullopt : std::optional(update * static_cast<double>(train.steps)),
      .uncounted = models::uncounted_flops(model)};
}

std::string with_commas(std::int64_t number) {
  auto text = fmt::format("{}", number);
  for (auto i = static_cast<std::int64_t>(text.size()) - 3; i > 0; i -= 3)
    text.insert(static_cast<std::size_t>(i), 1, ',');
  return text;
}

void print_text(const Subject& subject, const Costs& costs, double length) {
  const auto& [experiment, vocabulary] = subject;
  const auto row = [](std::string_view name, std::string_view value) {
    fmt::print("  {:<28}{:>16}\n", name, value);
  };
  fmt::print("parameters (vocabulary: {} source, {} target)\n", with_commas(vocabulary.source),
             with_commas(vocabulary.target));
  for (auto [name, count] : costs.parameters.parts()) {
    std::ranges::replace(name, '_', ' ');
    if (count > 0) row(name, with_commas(count));
  }
  row("total", with_commas(costs.parameters.total()));

  fmt::print("\nFLOPs (sentences of {} tokens on both sides)\n", length);
  row("training, a token pair", fmt::format("{:.3g}", costs.training_token));
  row(fmt::format("translation, beam {}", experiment.decode.beam),
      fmt::format("{:.3g}", costs.inference_token));
  row("an update", fmt::format("{:.3g}", costs.update));
  if (costs.training)
    row(fmt::format("{} updates", with_commas(experiment.train.steps)),
        fmt::format("{:.3g}", *costs.training));
  else
    row(fmt::format("{} epochs", with_commas(experiment.train.epochs)), "updates not known");

  for (const auto& variant : costs.uncounted)
    fmt::print("  not known, and not among these: those of {}\n", variant);

  const auto mebibytes = [](double bytes) { return fmt::format("{:.0f} MiB", bytes / (1 << 20)); };
  fmt::print("\nmemory of training (an estimate; micro-batches of {} tokens{})\n",
             train::reckoned_micro_tokens(experiment.train),
             experiment.train.micro_tokens ? "" : ", taken for train.micro_tokens: auto");
  for (const auto& [name, bytes] : costs.memory.parts()) row(name, mebibytes(bytes));
  row("total", mebibytes(costs.memory.total()));
  if (costs.memory.activations == 0)
    fmt::print("  not known, and not among these: activations of model.kind: {}\n",
               experiment.model.kind.name);

  const auto departures = config::departures(experiment);
  fmt::print("\ndepartures from the paper: {}\n", departures.size());
  for (const auto& departure : departures) fmt::print("  {}\n", departure);
}

void print_json(const Subject& subject, const Costs& costs, double length) {
  nlohmann::ordered_json out;
  out["vocabulary"] = {{"source", subject.vocabulary.source}, {"target", subject.vocabulary.target}};
  for (const auto& [name, count] : costs.parameters.parts()) out["parameters"][name] = count;
  out["parameters"]["total"] = costs.parameters.total();
  out["flops"] = {{"sentence_tokens", length},
                  {"training_per_token", costs.training_token},
                  {"translation_per_token", costs.inference_token},
                  {"per_update", costs.update}};
  if (costs.training) out["flops"]["training"] = *costs.training;
  if (!costs.uncounted.empty()) out["flops"]["not_counted"] = costs.uncounted;
  for (const auto& [name, bytes] : costs.memory.parts()) out["memory"][name] = bytes;
  out["memory"]["total"] = costs.memory.total();
  if (costs.memory.activations == 0) out["memory"]["not_counted"] = {"activations"};
  out["departures"] = config::departures(subject.experiment);
  fmt::print("{}\n", out.dump(2));
}

}  // namespace

void print_costs(const Subject& subject, double length, const std::string& precision, bool as_json) {
  (as_json ? print_json : print_text)(subject, measure(subject, length, precision), length);
}

}  // namespace transformer::apps
