// The processes of a run as threads of a test. Checks belong to the thread that began them: what they find,
// they return.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/distributed/collectives.h"
#include "transformer/distributed/group.h"
#include "transformer/distributed/store.h"

namespace transformer::test {

/// c10d's recorder of exchanges, which it keeps for a debugger, is for one process group of a process at a
/// time: here each thread has one. And it asks for the name of each address that it connects to, for its own
/// messages, for which a test is not to wait long.
inline const bool kEnvironmentIsSet =
    ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1) == 0 && ::setenv("RES_OPTIONS", "timeout:1 attempts:1", 1) == 0;

/// The store at which they meet, kept by the test as launchers do.
struct MeetingPlace {
  distributed::Store store = distributed::Store::serve({"127.0.0.1", 0});

  distributed::Placement placement(std::int64_t rank, std::int64_t size) const {
    return {.rank = rank,
            .local_rank = rank,
            .size = size,
            .address = store.address().host,
            .port = store.address().port,
            .store_is_hosted = true,
            .run = "test"};
  }
};

/// For tests of absence. A beat comes each half second.
inline distributed::JoinSettings watchful() {
  return {.silence = std::chrono::milliseconds(2000)};
}

/// What messages call this process as that rank.
inline std::string process_name(std::int64_t rank) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return "rank " + std::to_string(rank) + " (process " + std::to_string(::getpid()) + " on " + host.data() +
         ")";
}

/// Runs `member` for each rank, all at the same time, and throws what one of them threw, if there was any:
/// rather an error of its own than that the run had ended.
inline void run_ranks(std::int64_t count, const std::function<void(std::int64_t rank)>& member) {
  std::mutex mutex;
  std::exception_ptr own, ended;
  std::vector<std::thread> threads;
  for (std::int64_t rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      try {
        member(rank);
      } catch (const distributed::RunEnded&) {
        const std::lock_guard lock(mutex);
        ended = std::current_exception();
      } catch (...) {
        const std::lock_guard lock(mutex);
        own = std::current_exception();
      }
    });
  for (auto& thread : threads) thread.join();
  if (own) std::rethrow_exception(own);
  if (ended) std::rethrow_exception(ended);
}

/// The life of a process, as in the programs: it leaves at its end, and an error in it ends all. → the result
/// of `body`
template <typename Body>
auto live(distributed::Group& group, const Body& body) {
  try {
    auto result = body(group);
    group.leave();
    return result;
  } catch (const distributed::RunEnded&) {
    throw;
  } catch (const std::exception& error) {
    group.end_run({.cause = error.what()});
    throw;
  }
}

/// Lets `body` run in each of so many members of a group, which then leave. An error of one ends all, as in
/// programs. → what each returned, by rank
template <typename Body>
auto run_members(std::int64_t count, const Body& body, const distributed::JoinSettings& settings = {}) {
  using Result = std::decay_t<std::invoke_result_t<Body, distributed::Group&>>;
  static_assert(!std::is_same_v<Result, bool>, "of which a vector has several in one byte");
  const MeetingPlace place;
  std::vector<Result> results(static_cast<std::size_t>(count));
  run_ranks(count, [&](std::int64_t rank) {
    distributed::Group group(place.placement(rank, count), settings);
    results[static_cast<std::size_t>(rank)] = live(group, body);
  });
  return results;
}

/// The same with their collectives.
template <typename Body>
auto run_together(std::int64_t count, const Body& body,
                  distributed::OnOneHost sums = distributed::OnOneHost::shared_memory) {
  return run_members(count, [&](distributed::Group& group) {
    distributed::Collectives together(group, std::chrono::seconds(60), sums);
    return body(together);
  });
}

/// Whether processes can exchange tensors in this build; if not, a test says so and ends.
inline bool has_collectives() {
  static const bool has = [] {
    try {
      run_together(1, [](distributed::Collectives&) { return 0; });
      return true;
    } catch (const InputError&) {
      return false;
    }
  }();
  if (!has) WARN("skipped: built without Gloo's headers");
  return has;
}

/// Whether all are equal, bit by bit.
inline bool all_equal(const std::vector<torch::Tensor>& tensors) {
  for (const auto& tensor : tensors)
    if (!torch::equal(tensor, tensors.front())) return false;
  return true;
}

}  // namespace transformer::test
