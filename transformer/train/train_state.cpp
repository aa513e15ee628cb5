#include "transformer/train/train_state.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "transformer/base/error.h"

namespace transformer::train {
namespace {

/// Names every field once, for reading and writing alike.
template <typename State, typename Visit>
void visit_fields(State& state, Visit&& visit) {
  visit("step", state.step);
  visit("epoch", state.epoch);
  visit("epoch_update", state.epoch_update);
  visit("skipped", state.skipped);
  visit("skipped_in_row", state.skipped_in_row);
  visit("evaluated", state.evaluated);
  visit("source_tokens", state.source_tokens);
  visit("target_tokens", state.target_tokens);
  visit("flops", state.flops);
  visit("best", state.best);
  visit("best_step", state.best_step);
  visit("unimproved", state.unimproved);
  visit("open_loss", state.open_loss);
  visit("open_nll", state.open_nll);
  visit("open_tokens", state.open_tokens);
  visit("finished", state.finished);
  visit("interim", state.interim);
  visit.where_present("loss_scale", state.loss_scale);
  visit("precision", state.conditions.precision);
  visit("device", state.conditions.device);
  visit("threads", state.conditions.threads);
  visit.since("processes", state.conditions.processes);
  visit("train_data", state.conditions.train_data);
  visit("dev_data", state.conditions.dev_data);
  visit.since("batch_order", state.conditions.batch_order);
  visit.where_present("from", state.conditions.from);
}

struct Writer {
  nlohmann::ordered_json& json;
  template <typename T>
  void operator()(const char* name, const T& value) const {
    json[name] = value;
  }
  void since(const char* name, std::int64_t value) const { json[name] = value; }
  void where_present(const char* name, const std::optional<LossScale>& scale) const {
    if (scale)
      json[name] = {
          {"value", scale->value}, {"good_updates", scale->good_updates}, {"overflows", scale->overflows}};
  }
  void where_present(const char* name, const std::string& value) const {
    if (!value.empty()) json[name] = value;
  }
  void operator()(const char* name, const std::optional<double>& value) const {
    json[name] = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  }
};

struct Reader {
  const nlohmann::json& json;
  template <typename T>
  void operator()(const char* name, T& value) const {
    json.at(name).get_to(value);
  }
  /// The library would cut fractions and let numbers that are too large wrap around.
  void operator()(const char* name, std::int64_t& value) const {
    const auto& number = json.at(name);
    if (number.is_number_integer()) number.get_to(value);
    if (!number.is_number_integer() || value < 0)
      throw std::range_error(fmt::format("{}: expected a count from 0, found {}", name, number.type_name()));
  }
  /// A field that older states lack.
  void since(const char* name, std::int64_t& value) const {
    if (json.contains(name)) (*this)(name, value);
  }
  void operator()(const char* name, std::optional<double>& value) const {
    if (!json.at(name).is_null()) value = json.at(name).get<double>();
  }
  /// Trainings that began from weights have it.
  void where_present(const char* name, std::string& value) const {
    if (json.contains(name)) json.at(name).get_to(value);
  }
  /// Trainings in fp16 have it.
  void where_present(const char* name, std::optional<LossScale>& scale) const {
    if (!json.contains(name)) return;
    const Reader part{json.at(name)};
    scale.emplace();
    part("value", scale->value);
    part("good_updates", scale->good_updates);
    part("overflows", scale->overflows);
    if (!(scale->value >= LossScale::kLeast && scale->value <= LossScale::kMost))
      throw std::range_error(fmt::format("{}: expected a number from {} to {}, found {}", name,
                                         LossScale::kLeast, LossScale::kMost, scale->value));
  }
};

}  // namespace

void TrainState::be_patient(std::int64_t patience) {
  if (patience == 0 || unimproved < patience) finished = false;
}

bool TrainState::judge(double score, std::int64_t patience) {
  if (std::isfinite(score) && (!best || score > *best)) {
    best = score;
    best_step = step;
    unimproved = 0;
    return true;
  }
  ++unimproved;
  if (patience > 0 && unimproved >= patience) finished = true;
  return false;
}

std::string to_json(const TrainState& state) {
  nlohmann::ordered_json json;
  visit_fields(state, Writer{json});
  return json.dump(2) + "\n";
}

TrainState train_state_from_json(const std::string& text, const std::string& source) {
  try {
    const auto json = nlohmann::json::parse(text);
    TrainState state;
    visit_fields(state, Reader{json});
    return state;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: not a training state: {}", source, error.what()));
  } catch (const std::range_error& error) {
    throw InputError(fmt::format("{}: not a training state: {}", source, error.what()));
  }
}

}  // namespace transformer::train
