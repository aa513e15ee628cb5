#include "transformer/train/variants.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "transformer/base/error.h"
#include "transformer/train/variant_parts.h"

namespace transformer::train {
namespace {

using variants::Kind;

/// What a kind of part is made or computed by, by the parts' names.
template <typename Part>
std::map<std::string, Part>& known() {
  static std::map<std::string, Part> all;
  return all;
}

template <typename Part>
void make_known(Kind kind, variants::Declaration declaration, Part part) {
  const auto name = declaration.name;
  variants::add(kind, std::move(declaration));
  known<Part>().emplace(name, std::move(part));
}

}  // namespace

void add_optimizer(variants::Declaration declaration, MakeOptimizer make) {
  make_known(Kind::optimizer, std::move(declaration), std::move(make));
}

void add_schedule(variants::Declaration declaration, ScheduleRate rate) {
  make_known(Kind::schedule, std::move(declaration), std::move(rate));
}

void add_loss_term(variants::Declaration declaration, MakeLossTerm make) {
  make_known(Kind::loss, std::move(declaration), std::move(make));
}

std::unique_ptr<LossTerm> make_loss_term(const TrainOptions& options) {
  const auto& choice = options.variants.loss;
  if (!choice) return nullptr;
  const auto values = variants::values_of(choice, Kind::loss);
  return known<MakeLossTerm>().at(choice.name)(values);
}

std::unique_ptr<Optimizer> make_outside_optimizer(NamedTensors parameters, const TrainOptions& options) {
  const auto& choice = options.variants.optimizer;
  const auto values = variants::values_of(choice, Kind::optimizer);
  try {
    return known<MakeOptimizer>().at(choice.name)(
        {std::move(parameters), variants::kept_by(choice), options.weight_decay, options.groups}, values);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", variants::key_of(Kind::optimizer), choice.name, error.what()));
  }
}

double outside_rate(const TrainOptions& options, std::int64_t d_model, std::int64_t step) {
  const auto& choice = options.variants.schedule;
  const auto values = variants::values_of(choice, Kind::schedule);
  const auto rate = known<ScheduleRate>().at(choice.name)(step,
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
