#include "transformer/distributed/group.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "tests/distributed/members.h"
#include "transformer/base/stopwatch.h"
#include "transformer/distributed/addresses.h"

namespace transformer::distributed {
namespace {

using std::chrono::milliseconds;
using Texts = std::vector<std::string>;

TEST_CASE("all members learn what each says, by rank, as often as they like") {
  const std::int64_t size = GENERATE(1, 2, 5);
  const auto heard = test::run_members(size, [](Group& group) {
    std::vector<Texts> all;
    for (int round = 0; round < 6; ++round)
      all.push_back(group.exchange(std::to_string(group.rank()) + " in " + std::to_string(round)));
    return all;
  });
  for (const auto& all : heard) {
    REQUIRE(all.size() == 6);
    for (std::size_t round = 0; round < all.size(); ++round) {
      Texts expected;
      for (std::int64_t rank = 0; rank < size; ++rank)
        expected.push_back(std::to_string(rank) + " in " + std::to_string(round));
      CHECK(all[round] == expected);
    }
  }
}

TEST_CASE("what rank 0 says, and whether something holds anywhere") {
  struct Heard {
    std::int64_t rank = -1, size = 0;
    bool leads = false, nowhere = false, anywhere = false, everywhere = false;
    std::string first = {};
  };
  const auto heard = test::run_members(3, [](Group& group) {
    Heard own{.rank = group.rank(), .size = group.size(), .leads = group.leads()};
    own.first = group.from_first("of " + std::to_string(group.rank()));
    own.nowhere = group.any(false);
    own.anywhere = group.any(group.rank() == 2);
    own.everywhere = group.any(true);
    return own;
  });
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    const auto& own = heard[static_cast<std::size_t>(rank)];
    CHECK(own.rank == rank);
    CHECK(own.size == 3);
    CHECK(own.leads == (rank == 0));
    CHECK(own.first == "of 0");
    CHECK_FALSE(own.nowhere);
    CHECK(own.anywhere);
    CHECK(own.everywhere);
  }
}

TEST_CASE("nobody goes on from a meeting before all are there") {
  std::atomic<int> there = 0;
  const auto seen = test::run_members(3, [&](Group& group) {
    std::this_thread::sleep_for(milliseconds(60) * group.rank());
    ++there;
    group.meet();
    return there.load();
  });
  CHECK(seen == std::vector{3, 3, 3});
}

/// Of rank 0 of three, which opens the store itself.
Placement served_place() {
  const int socket = listen_at("127.0.0.1", 0);
  const auto port = port_of(socket);
  ::close(socket);
  return {.size = 3, .address = "127.0.0.1", .port = port, .run = "test"};
}

TEST_CASE("rank 0 opens the store where the launcher has none, and the others may come before it") {
  const auto place = served_place();
  std::vector<Texts> heard(3);
  test::run_ranks(3, [&](std::int64_t rank) {
    auto placement = place;
    placement.rank = placement.local_rank = rank;
    if (rank == 0) std::this_thread::sleep_for(milliseconds(100));
    Group group(placement);
    heard[static_cast<std::size_t>(rank)] = group.exchange(std::to_string(rank));
    group.leave();
  });
  for (const auto& all : heard) CHECK(all == Texts{"0", "1", "2"});
}

TEST_CASE("several runs at one store do not hear each other") {
  const test::MeetingPlace place;
  std::vector<Texts> heard(4);
  test::run_ranks(4, [&](std::int64_t number) {
    auto placement = place.placement(number % 2, 2);
    placement.run = number < 2 ? "one" : "two";
    Group group(placement);
    heard[static_cast<std::size_t>(number)] = group.exchange(std::to_string(number));
    group.leave();
  });
  CHECK(heard == std::vector<Texts>{{"0", "1"}, {"0", "1"}, {"2", "3"}, {"2", "3"}});
}

/// The error of a process that joins while others are missing.
struct Stop {
  std::string cause = "nothing";
  int status = 0;
  bool speaks = false;
};

Stop come_in(const test::MeetingPlace& place, std::int64_t rank, std::int64_t size) {
  try {
    const Group group(place.placement(rank, size), {.patience = milliseconds(1000)});
  } catch (const JoinFailed& error) {
    return {error.fault.cause, error.fault.status, error.speaks};
  }
  return {};
}

TEST_CASE("who does not come in time is named, once") {
  const auto message = [](const test::MeetingPlace& place, const std::string& processes,
                          const std::string& missed) {
    return "expected " + processes + " processes at " + place.store.address().text() + ", missed " + missed +
           " after ";
  };
  const test::MeetingPlace place;
  std::vector<Stop> found(2);
  test::run_ranks(2, [&](std::int64_t i) { found[static_cast<std::size_t>(i)] = come_in(place, 2 * i, 3); });
  for (const auto& stop : found) {
    CHECK_THAT(stop.cause, ContainsSubstring(message(place, "3", "rank 1")));
    CHECK(stop.status == 1);
  }
  CHECK(found[0].speaks != found[1].speaks);
  const test::MeetingPlace large;
  CHECK_THAT(come_in(large, 4, 6).cause, ContainsSubstring(message(large, "6", "ranks 0, 1, 2, 3, 5")));
  const test::MeetingPlace huge;
  CHECK_THAT(come_in(huge, 0, 40).cause,
             ContainsSubstring(message(
                 huge, "40", "ranks 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 and 23 more")));
}

TEST_CASE("a rank that two processes have is refused, naming both, and ends all who wait") {
  test::MeetingPlace place;
  place.store.set("transformer/test/who/1", "rank 1 (process 77 on other)");
  const auto twice =
      "rank 1: expected each rank once, found it in two processes: rank 1 (process 77 on other) and " +
      test::process_name(1);
  const auto second = come_in(place, 1, 3);
  CHECK(second.cause == twice);
  CHECK(second.status == 2);
  CHECK(second.speaks);
  const auto other = come_in(place, 0, 3);
  CHECK(other.cause == twice);
  CHECK(other.status == 2);
  CHECK_FALSE(other.speaks);
}

/// The message for a process that is refused alone.
std::string refusal(const Placement& placement) {
  try {
    const Group group(placement, {.patience = milliseconds(20000)});
  } catch (const JoinFailed& error) {
    return "all end: " + error.fault.cause;
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("who takes a rank of a run that has begun is refused alone") {
  test::MeetingPlace place;
  place.store.set("transformer/test/who/1", "rank 1 (process 77 on other)");
  place.store.add("transformer/test/joined", 3);
  CHECK(refusal(place.placement(1, 3)) ==
        "rank 1: expected each rank once, found it in two processes: rank 1 (process 77 on other) and " +
            test::process_name(1) + ", whose run goes on: name another port (MASTER_PORT) for a second one");
  CHECK_FALSE(place.store.has("transformer/test/fault"));
}

TEST_CASE("who comes to the store of another run is refused, and that one goes on") {
  const auto place = served_place();
  std::atomic<int> there = 0;
  std::atomic<bool> refused = false;
  std::string refusal_of_another;
  std::vector<Texts> heard(3);
  test::run_ranks(4, [&](std::int64_t number) {
    auto placement = place;
    placement.rank = placement.local_rank = number % 3;
    if (number == 3) {
      while (there < 3) std::this_thread::sleep_for(milliseconds(10));
      placement.rank = 1;
      placement.run = "another";
      refusal_of_another = refusal(placement);
      refused = true;
      return;
    }
    Group group(placement);
    ++there;
    while (!refused) std::this_thread::sleep_for(milliseconds(10));
    heard[static_cast<std::size_t>(number)] = group.exchange(std::to_string(number));
    group.leave();
  });
  for (const auto& all : heard) CHECK(all == Texts{"0", "1", "2"});
  CHECK(refusal_of_another == "127.0.0.1:" + std::to_string(place.port) +
                                  ": expected the store of this run, another, found that of another one, "
                                  "test, which goes on: name another port (MASTER_PORT)");
}

TEST_CASE("an interruption ends the waiting for others") {
  const test::MeetingPlace place;
  const std::atomic<bool> interrupted = true;
  CHECK_THROWS_AS(Group(place.placement(0, 2), {.interrupted = &interrupted}), Interrupted);
  auto nobody = place.placement(1, 2);
  nobody.port = 1;
  CHECK_THROWS_AS(Group(nobody, {.interrupted = &interrupted}), Interrupted);
}

TEST_CASE("who comes when the run has ended already is told so") {
  test::MeetingPlace place;
  place.store.set("transformer/test/fault", "2 rank 0: no such file");
  const auto stop = come_in(place, 1, 2);
  CHECK(stop.cause == "rank 0: no such file");
  CHECK(stop.status == 2);
}

TEST_CASE("an interruption of one shows in all, and the run goes on") {
  const test::MeetingPlace place;
  std::atomic<bool> interrupted = false;
  std::vector<char> before(3), after(3);
  test::run_ranks(3, [&](std::int64_t rank) {
    JoinSettings settings;
    if (rank == 1) settings.interrupted = &interrupted;
    Group group(place.placement(rank, 3), settings);
    before[static_cast<std::size_t>(rank)] = group.interrupted();
    group.meet();
    if (rank == 1) interrupted = true;
    for (const Stopwatch watch; !group.interrupted() && watch.seconds() < 20;)
      std::this_thread::sleep_for(milliseconds(10));
    after[static_cast<std::size_t>(rank)] = group.interrupted() && group.any(true);
    group.leave();
  });
  CHECK(before == std::vector<char>{0, 0, 0});
  CHECK(after == std::vector<char>{1, 1, 1});
}

/// How a member saw the run end.
struct End {
  std::optional<Fault> fault;
  bool speaks = false;
};

/// Each member does its part; a run's end that it learns of is its result.
template <typename Part>
std::vector<End> ends(const test::MeetingPlace& place, std::int64_t size, const Part& part) {
  std::vector<End> all(static_cast<std::size_t>(size));
  test::run_ranks(size, [&](std::int64_t rank) {
    auto& own = all[static_cast<std::size_t>(rank)];
    Group group(place.placement(rank, size), test::watchful());
    try {
      part(group);
    } catch (const RunEnded& error) {
      own = {.fault = error.fault, .speaks = group.speaks()};
    }
  });
  return all;
}

std::int64_t speakers(const std::vector<End>& all) {
  return std::ranges::count(all, true, &End::speaks);
}

TEST_CASE("a fault of one ends all, with its cause and status, and one of them says so") {
  const auto all = ends({}, 3, [](Group& group) {
    if (group.rank() == 1) throw RunEnded(group.end_run({"rank 1: a bad file", 2}));
    group.meet();
  });
  for (const auto& end : all) {
    REQUIRE(end.fault);
    CHECK(end.fault->cause == "rank 1: a bad file");
    CHECK(end.fault->status == 2);
  }
  CHECK(speakers(all) == 1);
}

TEST_CASE("of several faults the first counts") {
  const auto all = ends({}, 2, [](Group& group) {
    if (group.rank() == 1) {
      group.meet();
      throw RunEnded(group.end_run({"the second", 2}));
    }
    const auto own = group.end_run({"the first"});
    group.meet();
    throw RunEnded(own);
  });
  for (const auto& end : all) CHECK(end.fault->cause == "the first");
  CHECK(speakers(all) == 1);
}

TEST_CASE("what a failed exchange means is the fault that somebody tells of, or its own symptom") {
  const auto told = ends({}, 2, [](Group& group) {
    if (group.rank() == 1) {
      std::this_thread::sleep_for(milliseconds(300));
      throw RunEnded(group.end_run({"rank 1: a full disk"}));
    }
    throw RunEnded(group.explain("a broken connection"));
  });
  for (const auto& end : told) CHECK(end.fault->cause == "rank 1: a full disk");
  const auto untold = ends({}, 2, [](Group& group) {
    if (group.rank() == 1) group.meet();
    throw RunEnded(group.explain("a broken connection"));
  });
  for (const auto& end : untold) CHECK(end.fault->cause == test::process_name(0) + ": a broken connection");
}

TEST_CASE("who dies without a word is missed by all, by name, before long") {
  const Stopwatch watch;
  const auto all = ends({}, 3, [](Group& group) {
    if (group.rank() == 2) return;  // and its object goes
    group.meet();
  });
  CHECK_FALSE(all[2].fault);
  for (const auto rank : {0, 1}) {
    const auto& end = all[static_cast<std::size_t>(rank)];
    REQUIRE(end.fault);
    CHECK(end.fault->cause ==
          test::process_name(2) + ": has not been heard of for 2 s: it died, hangs, or cannot be reached");
    CHECK(end.fault->status == 1);
  }
  CHECK(speakers(all) == 1);
  CHECK(watch.seconds() > 2);
  CHECK(watch.seconds() < 12);
}

TEST_CASE("a launcher's store that goes ends all") {
  auto place = std::make_unique<test::MeetingPlace>();
  const auto address = place->store.address().text();
  std::atomic<int> there = 0;
  std::vector<Fault> faults(2);
  test::run_ranks(3, [&](std::int64_t rank) {
    if (rank == 2) {  // the launcher
      while (there < 2) std::this_thread::sleep_for(milliseconds(10));
      place.reset();
      return;
    }
    Group group(place->placement(rank, 2), test::watchful());
    ++there;
    try {
      while (true) group.meet();
    } catch (const RunEnded& error) {
      faults[static_cast<std::size_t>(rank)] = error.fault;
    }
  });
  for (const auto& fault : faults)
    CHECK(fault.cause == "the launcher: the store at " + address + " does not answer any more");
}

TEST_CASE("the store goes with rank 0, whom the others then name") {
  const auto place = served_place();
  std::atomic<int> there = 0;
  std::vector<End> all(3);
  test::run_ranks(3, [&](std::int64_t rank) {
    auto placement = place;
    placement.rank = placement.local_rank = rank;
    Group group(placement, test::watchful());
    ++there;
    while (rank == 0 && there < 3) std::this_thread::sleep_for(milliseconds(10));
    if (rank == 0) return;
    try {
      group.meet();
    } catch (const RunEnded& error) {
      all[static_cast<std::size_t>(rank)] = {.fault = error.fault, .speaks = group.speaks()};
    }
  });
  const auto store = "127.0.0.1:" + std::to_string(place.port);
  for (const auto rank : {1u, 2u}) {
    REQUIRE(all[rank].fault);
    CHECK(all[rank].fault->cause == "rank 0: the store at " + store + " does not answer any more");
  }
  CHECK(speakers(all) == 1);
}

TEST_CASE("those who have left are not missed") {
  const test::MeetingPlace place;
  auto look = Store::connect(place.store.address(), milliseconds(5000));
  test::run_ranks(2, [&](std::int64_t rank) {
    Group group(place.placement(rank, 2), test::watchful());
    group.leave();
    if (rank == 0) std::this_thread::sleep_for(milliseconds(3500));
  });
  look.enter("transformer/test");
  CHECK(look.has("left"));
  CHECK_FALSE(look.has(kFaultName));
}

}  // namespace
}  // namespace transformer::distributed
