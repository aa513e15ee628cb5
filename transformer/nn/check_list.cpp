#include "transformer/nn/check_list.h"

#include <fmt/format.h>

namespace transformer::nn {

double difference(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).abs().max() / a.abs().max().clamp_min(1)).item<double>();
}

void CheckList::add(const char* what, const std::function<double()>& measure) {
  VariantCheck check{.what = fmt::format("{}: {}", where_, what), .found = {}};
  try {
    const double found = measure();
    check.passed = found <= tolerance_;
    check.found = fmt::format("{}{:.1e}", label_, found);
  } catch (const c10::Error& error) {
    check.found = error.what_without_backtrace();
  } catch (const std::exception& error) {
    check.found = error.what();
  }
  done_.push_back(std::move(check));
}

}  // namespace transformer::nn
