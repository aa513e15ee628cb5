#include "transformer/distributed/shared_exchange.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "transformer/distributed/group.h"

namespace transformer::distributed {
namespace {

constexpr std::size_t kLine = 64;       // bytes of a cache's line
constexpr std::size_t kRoom = 1 << 20;  // bytes of each process's room for tensors from elsewhere

std::size_t whole_lines(std::size_t bytes) {
  return (bytes + kLine - 1) / kLine * kLine;
}

/// Puts the sum of the elements begin … end - 1 over all into each.
template <typename Sum, typename Number>
void add_up_elements(const std::vector<Number*>& all, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kBlock = 1024;  // in the first cache
  std::array<Sum, kBlock> sums;
  for (; begin < end; begin += kBlock) {
    const auto count = std::min(kBlock, end - begin);
    const auto* first = all.front() + begin;
    for (std::int64_t i = 0; i < count; ++i) sums[static_cast<std::size_t>(i)] = static_cast<Sum>(first[i]);
    for (std::size_t other = 1; other < all.size(); ++other) {
      const auto* numbers = all[other] + begin;
      for (std::int64_t i = 0; i < count; ++i)
        sums[static_cast<std::size_t>(i)] += static_cast<Sum>(numbers[i]);
    }
    for (auto* numbers : all)
      for (std::int64_t i = 0; i < count; ++i)
        numbers[begin + i] = static_cast<Number>(sums[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

std::unique_ptr<SharedExchange> SharedExchange::make(Group& group, std::chrono::seconds timeout) {
  auto memory = SharedMemory::make(group, MeetingPoint::kBytes + kRoom);
  if (!memory) return nullptr;
  return std::unique_ptr<SharedExchange>(new SharedExchange(group, std::move(memory), timeout));
}

SharedExchange::SharedExchange(Group& group, std::shared_ptr<SharedMemory> memory,
                               std::chrono::seconds timeout)
    : group_(group), memory_(std::move(memory)), meeting_(group, memory_->part(0), timeout) {}

torch::Tensor SharedExchange::zeros(std::int64_t count, const torch::TensorOptions& options) {
  const auto bytes = static_cast<std::size_t>(count) * options.dtype().itemsize();
  const auto memory = bytes == 0 ? nullptr : SharedMemory::make(group_, bytes);
  if (!memory) return torch::zeros({count}, options);
  std::erase_if(of_tensors_, [](const auto& other) { return other.expired(); });
  of_tensors_.push_back(memory);
  const auto keep = [memory](void*) {};  // as long as the tensor
  return torch::from_blob(memory->part(group_.rank()), {count}, keep, options);
}

bool SharedExchange::can_sum(const torch::Tensor& tensor) {
  const auto type = tensor.scalar_type();
  return tensor.is_cpu() && tensor.is_contiguous() &&
         (type == torch::kFloat || type == torch::kDouble || type == torch::kBFloat16);
}

std::int64_t SharedExchange::begin(const Begun& begun) {
  begun_.push_back(begun);
  return finished_ + std::ssize(begun_);
}

void SharedExchange::finish(std::int64_t number) {
  if (number > finished_) finish_all();
}

/// → null where the tensor is not in shared memory
const SharedMemory* SharedExchange::memory_with(const torch::Tensor& tensor) {
  const auto* data = static_cast<const std::byte*>(tensor.const_data_ptr());
  for (const auto& weak : of_tensors_) {
    const auto memory = weak.lock();
    if (!memory) continue;
    const auto* own = memory->part(group_.rank());
    if (data >= own && data < own + memory->bytes()) return memory.get();  // the tensor keeps it
  }
  return nullptr;
}

void SharedExchange::finish_all() {
  const auto all = std::exchange(begun_, {});
  std::vector<Piece> pieces;
  std::size_t used = 0;  // of the room
  for (const auto& [tensor, from] : all) {
    auto* data = static_cast<std::byte*>(tensor.mutable_data_ptr());
    const auto type = tensor.scalar_type();
    if (const auto* memory = memory_with(tensor)) {
      pieces.push_back({.memory = memory,
                        .at = static_cast<std::size_t>(data - memory->part(group_.rank())),
                        .count = tensor.numel(),
                        .type = type,
                        .from = from});
      continue;
    }
    for (std::size_t done = 0; done < tensor.nbytes();) {
      if (used == kRoom) {
        exchange(std::exchange(pieces, {}));
        used = 0;
      }
      const auto bytes = std::min(tensor.nbytes() - done, kRoom - used);
      pieces.push_back({.memory = memory_.get(),
                        .at = MeetingPoint::kBytes + used,
                        .count = static_cast<std::int64_t>(bytes / tensor.element_size()),
                        .type = type,
                        .outside = data + done});
      done += bytes;
      used += whole_lines(bytes);
    }
  }
  if (!pieces.empty()) exchange(pieces);
  finished_ += std::ssize(all);
}

void SharedExchange::exchange(const std::vector<Piece>& pieces) {
  const auto part_of = [](const Piece& piece, std::int64_t rank) {
    return piece.memory->part(rank) + piece.at;
  };
  const auto bytes = [](const Piece& piece) {
    return static_cast<std::size_t>(piece.count) * torch::elementSize(piece.type);
  };
  const auto own = group_.rank();
  for (const auto& piece : pieces)
    if (piece.outside) std::memcpy(part_of(piece, own), piece.outside, bytes(piece));
  meeting_.come();
  for (const auto& piece : pieces)
    if (!piece.from)
      add_up_own_share(piece);
    else if (*piece.from != own)
      std::memcpy(part_of(piece, own), part_of(piece, *piece.from), bytes(piece));
  meeting_.come();  // from here on nobody touches another one's part
  for (const auto& piece : pieces)
    if (piece.outside) std::memcpy(piece.outside, part_of(piece, own), bytes(piece));
}

void SharedExchange::add_up_own_share(const Piece& piece) {
  // No two processes write to one line.
  const auto share = static_cast<std::int64_t>(
      whole_lines(static_cast<std::size_t>((piece.count + group_.size() - 1) / group_.size())));
  const auto begin = std::min(piece.count, share * group_.rank());
  const auto end = std::min(piece.count, begin + share);
  const auto in_all = [&]<typename Number, typename Sum>(Number /*type*/, Sum /*type*/) {
    std::vector<Number*> all;
    for (std::int64_t rank = 0; rank < group_.size(); ++rank)
      all.push_back(reinterpret_cast<Number*>(piece.memory->part(rank) + piece.at));
    add_up_elements<Sum>(all, begin, end);
  };
  if (piece.type == torch::kDouble)
    in_all(double{}, double{});
  else if (piece.type == torch::kFloat)
    in_all(float{}, float{});
  else
    in_all(c10::BFloat16{}, float{});
}

}  // namespace transformer::distributed
