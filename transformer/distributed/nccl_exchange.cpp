#include "transformer/distributed/nccl_exchange.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "transformer/distributed/group.h"

namespace transformer::distributed {
namespace {

/// Rank 0's, in every process.
Nccl::UniqueId shared_id(Group& group, const Nccl& nccl) {
  Nccl::UniqueId id{};
  std::string text;
  if (group.leads()) {
    if (const auto result = nccl.get_unique_id(&id); result != Nccl::kSuccess)
      throw RunEnded(group.end_run({.cause = fmt::format("NCCL: {}", nccl.error_text(result))}));
    for (const auto byte : id.bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  text = group.from_first(text);
  for (std::size_t i = 0; i < id.bytes.size(); ++i)
    id.bytes.at(i) = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return id;
}

int type_of(const torch::Tensor& tensor) {
  const auto type = Nccl::type_of(tensor.scalar_type());
  if (!type || !tensor.is_contiguous())
    throw std::invalid_argument(
        fmt::format("NCCL exchanges contiguous tensors of numbers, found one of {}, {}",
                    torch::toString(tensor.scalar_type()), tensor.is_contiguous() ? "contiguous" : "not"));
  return *type;
}

}  // namespace

NcclExchange::NcclExchange(Group& group, const torch::Device& device, std::chrono::seconds timeout)
    : group_(group),
      device_(device),
      timeout_(timeout),
      nccl_(load_nccl().functions),
      stream_(c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device, /*high=*/true)) {
  const auto id = shared_id(group, nccl_);
  check(nccl_.begin(&communicator_, static_cast<int>(group.size()), id, static_cast<int>(group.rank())));
  watch_ = std::thread([this] { watch(); });
}

NcclExchange::~NcclExchange() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  watch_.join();
  nccl_.end(communicator_);
}

torch::Tensor NcclExchange::zeros(std::int64_t count, const torch::TensorOptions& options) {
  return torch::zeros({count}, options);
}

/// NCCL's errors mostly mean that another process has gone.
void NcclExchange::check(int result) const {
  if (result != Nccl::kSuccess)
    throw RunEnded(group_.explain(fmt::format("NCCL: {}", nccl_.error_text(result))));
}

template <typename Call>
std::int64_t NcclExchange::begin(const torch::Tensor& tensor, const Call& call) {
  c10::Event ready(device_.type());
  ready.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  ready.block(stream_);
  check(call(tensor.mutable_data_ptr(), static_cast<std::size_t>(tensor.numel()), type_of(tensor)));
  auto done = std::make_shared<c10::Event>(device_.type());
  done->record(stream_);
  const std::lock_guard lock(mutex_);
  begun_.push_back({done, std::chrono::steady_clock::now()});
  return first_ + std::ssize(begun_) - 1;
}

std::int64_t NcclExchange::begin_sum(const torch::Tensor& tensor) {
  return begin(tensor, [&](void* data, std::size_t count, int type) {
    return nccl_.all_reduce(data, data, count, type, Nccl::kSum, communicator_, stream_.native_handle());
  });
}

std::int64_t NcclExchange::begin_broadcast(const torch::Tensor& tensor, std::int64_t from) {
  return begin(tensor, [&](void* data, std::size_t count, int type) {
    return nccl_.broadcast(data, data, count, type, static_cast<int>(from), communicator_,
                           stream_.native_handle());
  });
}

void NcclExchange::finish(std::int64_t number) {
  std::shared_ptr<c10::Event> done;
  {
    const std::lock_guard lock(mutex_);
    if (number < first_) return;  // done: the thread has seen it
    done = begun_.at(static_cast<std::size_t>(number - first_)).done;
  }
  done->block(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
}

/// → whether what is left has taken too long
bool NcclExchange::forget_what_is_done() {
  const std::lock_guard lock(mutex_);
  for (; !begun_.empty() && begun_.front().done->query(); begun_.pop_front()) ++first_;
  return !begun_.empty() && std::chrono::steady_clock::now() - begun_.front().since > timeout_;
}

/// Ends the run for what takes too long.
void NcclExchange::watch() {
  constexpr std::chrono::milliseconds kLook{200};
  // A thread without a device of its own would get one on the first GPU, with a share of its memory.
  c10::impl::VirtualGuardImpl(device_.type()).setDevice(device_);
  const auto pause = [&] {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, kLook, [&] { return over_; });
  };
  std::string cause;
  while (cause.empty() && pause()) {
    try {
      if (forget_what_is_done()) cause = kWaitedTooLong;
    } catch (const c10::Error& error) {  // of an exchange that failed on the device
      cause = error.what_without_backtrace();
    }
  }
  if (!cause.empty())
    group_.end_run({.cause = fmt::format("rank {}: {}", group_.rank(), cause.substr(0, cause.find('\n')))});
}

}  // namespace transformer::distributed
