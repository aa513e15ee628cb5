// One range of addresses that blocks of any size are cut from and go back to.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace transformer {

/// An allocator over one range of addresses. A request takes the smallest hole that is large enough, and a
/// block that is given back joins the holes beside it. A training frees its tensors in the reverse order of
/// their creation, so hardly any memory lies idle between others, whatever the sizes. The process keeps pages
/// that it has touched, so they do not fault a second time. `take` bounds the idle memory. Only one thread
/// may use an arena at a time.
class Arena {
 public:
  /// Reserves addresses, not memory. If the system grants none, the arena stays empty.
  explicit Arena(std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  static constexpr std::size_t kAlignment = 64;

  /// A block of at least that many bytes (its place and size), or null where there is no room. Gives the
  /// memory of all holes back to the system where more would be held than a quarter above the most that was
  /// ever in use.
  std::pair<char*, std::size_t> take(std::size_t bytes);

  /// A whole block, as it was taken.
  void give_back(char* block, std::size_t bytes);

  bool contains(const char* block) const { return block >= begin_ && block < end_; }

  std::size_t in_use() const { return in_use_; }
  std::size_t most_in_use() const { return most_; }
  std::size_t idle() const { return idle_; }  ///< bytes of holes that are, or may be, in memory

 private:
  struct Hole {
    std::size_t size = 0;
    std::size_t resident = 0;  ///< of these so many at most are in memory
  };
  using Holes = std::map<char*, Hole>;

  void add(char* at, const Hole& hole);
  Hole remove(Holes::iterator hole);
  void grow(std::size_t bytes);
  void release_holes();

  char *begin_ = nullptr, *end_ = nullptr;
  char* top_ = nullptr;  ///< from here on nothing was ever taken
  Holes holes_;          ///< below top_; no two of them touch
  std::set<std::pair<std::size_t, char*>> by_size_;
  std::size_t in_use_ = 0, most_ = 0, idle_ = 0;
};

}  // namespace transformer
