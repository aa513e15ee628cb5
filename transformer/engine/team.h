// Threads that share out one matrix product after another, thousands of times a second.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace transformer::engine {

/// Between two calls of run() the threads wait in a loop for some time before they sleep, because waking them
/// takes longer than a product. One thread owns the team.
class Team {
 public:
  /// The caller and `members` - 1 threads, or as many as the system gives.
  explicit Team(int members);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int members() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls work(member) for 0 … members() - 1, all at once, and 0 on the caller's thread. `work` may not
  /// throw.
  template <typename Work>
  void run(const Work& work) {
    if (threads_.empty()) return work(0);
    run([](const void* of_all, int member) { (*static_cast<const Work*>(of_all))(member); }, &work);
  }

 private:
  using Call = void (*)(const void* work, int member);

  void run(Call call, const void* work);
  void serve(int member);

  std::atomic<std::uint32_t> round_ = 0;  // of work, or the end
  std::atomic<int> busy_ = 0;             // threads that have not finished the round
  Call call_ = nullptr;                   // null: the end
  const void* work_ = nullptr;
  std::vector<std::jthread> threads_;
};

/// The share of `member` in `pieces`: from first to before end. Shares differ by one at most.
struct Share {
  std::int64_t first, end;

  Share(std::int64_t pieces, int member, int members)
      : first(pieces * member / members), end(pieces * (member + 1) / members) {}
};

}  // namespace transformer::engine
