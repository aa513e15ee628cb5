#include "transformer/train/variants.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "transformer/base/error.h"
#include "transformer/train/variant_parts.h"

namespace transformer::train {
namespace {

using variants::Kind;

std::map<std::string, MakeOptimizer>& makers() {
  static std::map<std::string, MakeOptimizer> all;
  return all;
}

std::map<std::string, ScheduleRate>& rates() {
  static std::map<std::string, ScheduleRate> all;
  return all;
}

std::map<std::string, MakeLossTerm>& terms() {
  static std::map<std::string, MakeLossTerm> all;
  return all;
}

}  // namespace

void add_optimizer(variants::Declaration declaration, MakeOptimizer make) {
  const auto name = declaration.name;
  variants::add(Kind::optimizer, std::move(declaration));
  makers().emplace(name, std::move(make));
}

void add_schedule(variants::Declaration declaration, ScheduleRate rate) {
  const auto name = declaration.name;
  variants::add(Kind::schedule, std::move(declaration));
  rates().emplace(name, std::move(rate));
}

void add_loss_term(variants::Declaration declaration, MakeLossTerm make) {
  const auto name = declaration.name;
  variants::add(Kind::loss, std::move(declaration));
  terms().emplace(name, std::move(make));
}

std::unique_ptr<LossTerm> make_loss_term(const TrainOptions& options) {
  const auto& choice = options.variants.loss;
  if (!choice) return nullptr;
  const auto values = variants::values_of(choice, Kind::loss);
  return terms().at(choice.name)(values);
}

std::unique_ptr<Optimizer> make_outside_optimizer(NamedTensors parameters, const TrainOptions& options) {
  const auto& choice = options.variants.optimizer;
  const auto values = variants::values_of(choice, Kind::optimizer);
  try {
    return makers().at(choice.name)(
        {std::move(parameters), variants::kept_by(choice), options.weight_decay, options.groups}, values);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", variants::key_of(Kind::optimizer), choice.name, error.what()));
  }
}

double outside_rate(const TrainOptions& options, std::int64_t d_model, std::int64_t step) {
  const auto& choice = options.variants.schedule;
  const auto values = variants::values_of(choice, Kind::schedule);
  const auto rate = rates().at(choice.name)(step,
                                            {.steps = options.steps,
                                             .warmup = options.warmup,
                                             .factor = options.factor,
                                             .floor = options.floor,
                                             .d_model = d_model},
                                            values);
  if (std::isfinite(rate) && rate >= 0) return rate;
  throw InputError(fmt::format("{}: expected a learning rate from 0, found {} of {} at update {}",
                               variants::key_of(Kind::schedule), rate, variants::print(choice), step));
}

}  // namespace transformer::train
