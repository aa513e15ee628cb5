#include "apps/bench/measured.h"

#include <algorithm>
#include <cmath>

namespace transformer::bench {
namespace {

double at(const std::vector<double>& sorted, double share) {
  return sorted.at(static_cast<std::size_t>(std::lround(share * static_cast<double>(sorted.size() - 1))));
}

}  // namespace

void Measured::add(const train::UpdateResult& result, double took, double positions) {
  ++updates_;
  phases_ += result.phases;
  seconds_ += took;
  window_seconds_ += took;
  window_tokens_ += static_cast<double>(result.target_tokens);
  tokens_ += static_cast<double>(result.source_tokens + result.target_tokens);
  positions_ += positions;
  flops_ += result.flops;
  if (updates_ % 2 != 0) return;
  windows_.push_back(window_tokens_ / window_seconds_);
  window_tokens_ = window_seconds_ = 0;
}

TrainSpeed Measured::speed() const {
  auto sorted = windows_;
  std::ranges::sort(sorted);
  TrainSpeed speed;
  speed.seconds_per_update = seconds_ / static_cast<double>(updates_);
  speed.tokens_per_second = at(sorted, 0.5);
  speed.least = at(sorted, 0.1);
  speed.most = at(sorted, 0.9);
  speed.flops_per_second = flops_ / seconds_;
  speed.padding = 1.0 - tokens_ / positions_;
  speed.phases = phases_;
  speed.updates = updates_;
  return speed;
}

}  // namespace transformer::bench
