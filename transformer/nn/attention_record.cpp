#include "transformer/nn/attention_record.h"

#include <utility>

namespace transformer::nn {
namespace {

thread_local AttentionRecord* innermost_record = nullptr;

std::size_t place_in_record(variants::Role role) {
  switch (role) {
    case variants::Role::encoder:
      return 0;
    case variants::Role::decoder:
      return 1;
    case variants::Role::source:
      return 2;
  }
  no_such_choice();
}

}  // namespace

AttentionRecord::AttentionRecord(const torch::nn::Module* only)
    : outer_(std::exchange(innermost_record, this)), only_(only) {}

AttentionRecord::~AttentionRecord() {
  innermost_record = outer_;
}

AttentionRecord* AttentionRecord::active() {
  return innermost_record;
}

AttentionRecord* AttentionRecord::of(const torch::nn::Module& attention) {
  const bool wanted = innermost_record && (!innermost_record->only_ || innermost_record->only_ == &attention);
  return wanted ? innermost_record : nullptr;
}

void AttentionRecord::add(variants::Role role, const torch::Tensor& weights) {
  weights_[place_in_record(role)].push_back(weights);
}

const std::vector<torch::Tensor>& AttentionRecord::of(variants::Role role) const {
  return weights_[place_in_record(role)];
}

}  // namespace transformer::nn
