#include "transformer/translation/device_beam.h"

#include <limits>

#include "transformer/base/special_tokens.h"

namespace transformer::translation {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// So many 64-bit words hold these fp32 numbers.
std::int64_t words_of(std::int64_t numbers) {
  return (numbers + 1) / 2;
}

}  // namespace

StepLog::StepLog(std::int64_t steps, std::int64_t sentences, std::int64_t width, std::int64_t continuations,
                 const torch::Device& device)
    : sentences_(sentences), width_(width), continuations_(continuations) {
  const auto places = sentences * width, all = places * continuations;
  const auto words = all + 2 * places + words_of(all) + words_of(places);
  data_ = torch::empty({steps, words}, torch::TensorOptions(torch::kLong).device(device));
}

LoggedStep StepLog::at(std::int64_t step) const {
  const auto row = data_[step];
  const auto places = sentences_ * width_, all = places * continuations_;
  std::int64_t word = 0;
  const auto longs = [&](std::int64_t count) {
    word += count;
    return row.narrow(0, word - count, count);
  };
  const auto floats = [&](std::int64_t count) {
    return longs(words_of(count)).view(torch::kFloat).narrow(0, 0, count);
  };
  const auto wide = [&](const torch::Tensor& x) { return x.view({sentences_, width_, continuations_}); };
  const auto narrow = [&](const torch::Tensor& x) { return x.view({sentences_, width_}); };
  LoggedStep parts;
  parts.continuations = wide(longs(all));
  parts.tokens = narrow(longs(places));
  parts.parents = narrow(longs(places));
  parts.log_probabilities = wide(floats(all));
  parts.costs = narrow(floats(places));
  return parts;
}

StepLog StepLog::to_host() const {
  auto copy = *this;
  copy.data_ = data_.cpu();
  return copy;
}

torch::Tensor first_costs(std::int64_t sentences, std::int64_t width, const torch::Device& device) {
  auto costs = torch::full({sentences, width}, kNone, torch::TensorOptions(torch::kFloat).device(device));
  costs.select(1, 0).zero_();
  return costs;
}

bool ends_take_places(const search::DecodeOptions& options) {
  switch (options.candidates) {
    case search::Candidates::twice:
      return options.beam == 1;
    case search::Candidates::beam:
      return true;
  }
  no_such_choice();
}

void choose_open(const torch::Tensor& costs, bool ends_take_places, const LoggedStep& step) {
  const auto width = costs.size(1), continuations = step.continuations.size(2);
  // The last sort is stable, so the order in which candidates come to it decides between equal ones. Costs
  // rather than log-probabilities, because NaN, which stands for none, is the last in ascending order.
  const auto [by_token, order] = step.continuations.sort(-1);
  const auto log_probabilities = step.log_probabilities.gather(-1, order).nan_to_num(
      std::numeric_limits<float>::lowest(), std::nullopt, kNone);
  const auto tokens = by_token.flatten(1);  // (B, W · k)
  auto sums = (costs.unsqueeze(-1) - log_probabilities).flatten(1);
  if (!ends_take_places) sums.masked_fill_(tokens.eq(kEos), kNone);
  const auto [sorted, places] = sums.sort(/*stable=*/true, 1, /*descending=*/false);
  const auto best = places.narrow(1, 0, width);
  auto next_tokens = step.tokens, next_parents = step.parents, next_costs = step.costs;
  at::gather_out(next_tokens, tokens, 1, best);
  next_parents.copy_(best.div(continuations, "floor"));
  next_costs.copy_(sorted.narrow(1, 0, width));
  if (ends_take_places) next_costs.masked_fill_(next_tokens.eq(kEos), kNone);
}

}  // namespace transformer::translation
