#include "transformer/base/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace transformer {
namespace {

constexpr std::size_t kSmallestHole = 4096;  // what is left over and smaller stays with its block

std::size_t rounded_up(std::size_t x, std::size_t step) {
  return (x + step - 1) / step * step;
}

}  // namespace

Arena::Arena(std::size_t bytes) {
  void* range =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return;
  begin_ = top_ = static_cast<char*>(range);
  end_ = begin_ + bytes;
  madvise(range, bytes, MADV_HUGEPAGE);  // where the system has such pages: fewer faults, fewer table walks
}

Arena::~Arena() {
  if (begin_ != nullptr) munmap(begin_, static_cast<std::size_t>(end_ - begin_));
}

std::pair<char*, std::size_t> Arena::take(std::size_t bytes) {
  auto size = rounded_up(bytes, kAlignment);
  auto found = by_size_.lower_bound({size, nullptr});
  if (found == by_size_.end()) {
    grow(size);
    found = by_size_.lower_bound({size, nullptr});
    if (found == by_size_.end()) return {nullptr, 0};
  }
  char* const at = found->second;
  const auto hole = remove(holes_.find(at));
  const auto rest = hole.size - size;
  if (rest >= kSmallestHole)
    add(at + size, {rest, std::min(hole.resident, rest)});
  else
    size = hole.size;
  in_use_ += size;
  most_ = std::max(most_, in_use_);
  if (in_use_ + idle_ > most_ + most_ / 4) release_holes();
  return {at, size};
}

void Arena::give_back(char* block, std::size_t bytes) {
  in_use_ -= bytes;
  Hole hole{bytes, bytes};
  const auto join = [&](Holes::iterator neighbour) {
    const auto joined = remove(neighbour);
    hole.size += joined.size;
    hole.resident += joined.resident;
  };
  if (const auto after = holes_.find(block + bytes); after != holes_.end()) join(after);
  if (const auto next = holes_.lower_bound(block); next != holes_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second.size == block) {
      block = before->first;
      join(before);
    }
  }
  add(block, hole);
}

void Arena::add(char* at, const Hole& hole) {
  holes_.emplace(at, hole);
  by_size_.emplace(hole.size, at);
  idle_ += hole.resident;
}

Arena::Hole Arena::remove(Holes::iterator hole) {
  const auto removed = hole->second;
  by_size_.erase({removed.size, hole->first});
  idle_ -= removed.resident;
  holes_.erase(hole);
  return removed;
}

/// Makes the hole below top_ so large, or one there.
void Arena::grow(std::size_t bytes) {
  const auto last = holes_.empty() ? holes_.end() : std::prev(holes_.end());
  const bool at_top = last != holes_.end() && last->first + last->second.size == top_;
  char* const at = at_top ? last->first : top_;
  if (static_cast<std::size_t>(end_ - at) < bytes) return;
  const auto resident = at_top ? remove(last).resident : 0;
  top_ = at + bytes;
  add(at, {bytes, resident});
}

void Arena::release_holes() {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (auto& [at, hole] : holes_) {
    const auto begin = rounded_up(reinterpret_cast<std::uintptr_t>(at), page);
    const auto end = (reinterpret_cast<std::uintptr_t>(at) + hole.size) / page * page;
    if (end <= begin) continue;
    auto* first = at + (begin - reinterpret_cast<std::uintptr_t>(at));
    if (madvise(first, end - begin, MADV_DONTNEED) != 0) continue;
    const auto left = std::min(hole.resident, hole.size - (end - begin));
    idle_ -= hole.resident - left;
    hole.resident = left;
  }
}

}  // namespace transformer
