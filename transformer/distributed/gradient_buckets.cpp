#include "transformer/distributed/gradient_buckets.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <functional>
#include <utility>

namespace transformer::distributed {
namespace {

// PyTorch's sizes. The first bucket is small, so that sending begins early.
constexpr std::int64_t kFirstBytes = 1 << 20, kBytes = 25 << 20;

class Hook : public torch::autograd::PostAccumulateGradHook {
 public:
  explicit Hook(std::function<void()> call) : call_(std::move(call)) {}
  void operator()(const torch::autograd::Variable&) override { call_(); }

 private:
  std::function<void()> call_;
};

/// What is on the wire for these gradients.
torch::Tensor on_wire(const torch::Tensor& gradients, Wire wire) {
  switch (wire) {
    case Wire::fp32:
      return gradients;
    case Wire::bf16:
      return gradients.to(torch::kBFloat16);
  }
  no_such_choice();
}

}  // namespace

GradientBuckets::GradientBuckets(Collectives& collectives, std::vector<torch::Tensor> parameters, Wire wire)
    : collectives_(collectives),
      parameters_(std::move(parameters)),
      wire_(wire),
      bucket_of_(parameters_.size()),
      gradients_(parameters_.size()),
      in_bucket_(parameters_.size()) {
  // A backward pass comes to the last ones first.
  std::vector<std::size_t> members;
  std::int64_t bytes = 0;
  for (auto i = parameters_.size(); i-- > 0;) {
    members.push_back(i);
    bytes += static_cast<std::int64_t>(parameters_[i].nbytes());
    if (bytes < (buckets_.empty() ? kFirstBytes : kBytes)) continue;
    add_bucket(std::exchange(members, {}));
    bytes = 0;
  }
  if (!members.empty()) add_bucket(members);
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    torch::autograd::impl::set_post_acc_grad_hooks(parameters_[i],
                                                   std::make_unique<Hook>([this, i] { computed(i); }));
}

GradientBuckets::~GradientBuckets() {
  for (auto& parameter : parameters_) {
    torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
    parameter.mutable_grad().reset();
  }
}

void GradientBuckets::add_bucket(const std::vector<std::size_t>& members) {
  std::int64_t numbers = 0;
  for (const auto i : members) numbers += parameters_[i].numel();
  Bucket bucket{
      .gradients = collectives_.zeros(numbers, parameters_[members.front()].options().requires_grad(false)),
      .parameters = static_cast<std::int64_t>(members.size())};
  std::int64_t begin = 0;
  for (const auto i : members) {
    bucket_of_[i] = buckets_.size();
    gradients_[i] = bucket.gradients.narrow(0, begin, parameters_[i].numel()).view_as(parameters_[i]);
    begin += parameters_[i].numel();
  }
  buckets_.push_back(std::move(bucket));
}

void GradientBuckets::begin() {
  begin_again();
  in_bucket_.assign(parameters_.size(), false);
  for (auto& parameter : parameters_) parameter.mutable_grad().reset();
}

void GradientBuckets::filled() {
  begin_again();
  in_bucket_.assign(parameters_.size(), true);
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].mutable_grad() = gradients_[i];
}

/// Nothing of an update has been sent.
void GradientBuckets::begin_again() {
  last_ = false;
  next_ = 0;
  for (auto& bucket : buckets_) {
    bucket.missing = bucket.parameters;
    bucket.pending.reset();
  }
}

void GradientBuckets::begin_last() {
  last_ = true;
}

/// The first gradient of an update is a tensor of its own, which is copied while it lies in the cache; those
/// of later backward passes are added in the bucket. A zero to add the first one to would cost more.
void GradientBuckets::put_into_bucket(std::size_t parameter) {
  if (in_bucket_[parameter]) return;
  const torch::NoGradGuard no_gradients;
  auto& gradient = parameters_[parameter].mutable_grad();
  if (gradient.defined())
    gradients_[parameter].copy_(gradient);
  else
    gradients_[parameter].zero_();
  gradient = gradients_[parameter];
  in_bucket_[parameter] = true;
}

void GradientBuckets::computed(std::size_t parameter) {
  put_into_bucket(parameter);
  if (!last_) return;
  --buckets_[bucket_of_[parameter]].missing;
  while (next_ < buckets_.size() && buckets_[next_].missing == 0) send_what_is_next();
}

void GradientBuckets::send_what_is_next() {
  const torch::NoGradGuard no_gradients;
  auto& bucket = buckets_[next_++];
  bucket.sent = on_wire(bucket.gradients, wire_);
  bucket.pending = collectives_.begin_sum(bucket.sent);
}

void GradientBuckets::fill() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) put_into_bucket(i);
}

std::vector<torch::Tensor> GradientBuckets::gradients() const {
  std::vector<torch::Tensor> all;
  for (const auto& bucket : buckets_) all.push_back(bucket.gradients);
  return all;
}

void GradientBuckets::send_rest() {
  fill();
  while (next_ < buckets_.size()) send_what_is_next();
}

void GradientBuckets::finish() {
  send_rest();
  const torch::NoGradGuard no_gradients;
  for (auto& bucket : buckets_) {
    bucket.pending->wait();
    if (!bucket.sent.is_same(bucket.gradients)) bucket.gradients.copy_(bucket.sent);
    bucket.sent.reset();
  }
}

}  // namespace transformer::distributed
