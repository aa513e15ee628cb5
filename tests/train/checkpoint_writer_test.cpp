#include "transformer/train/checkpoint_writer.h"

#include <chrono>
#include <new>
#include <thread>

#include "tests/catch.h"
#include "tests/train/training_parts.h"
#include "transformer/base/error.h"
#include "transformer/base/log.h"

namespace transformer::train {
namespace {

using namespace std::chrono_literals;

struct Writing {
  test::TemporaryFolder folder;
  test::Training training{test::prepare_reverse_task(folder, 40, 4)};

  Snapshot now() { return snapshot_of(training.parts()); }
};

TEST_CASE("a save does not hold up the training, has what was there when it began, and the next waits") {
  Writing writing;
  std::promise<void> gate;
  const auto opened = gate.get_future().share();
  std::vector<Snapshot> written;
  CheckpointWriter writer([&](Snapshot snapshot) {
    if (opened.wait_for(30s) != std::future_status::ready) throw RunError("the training waited");
    written.push_back(std::move(snapshot));
  });
  writing.training.step();
  const auto before = copy_to_host(writing.now());
  writer.save(writing.now());
  writing.training.step();
  CHECK_NOTHROW(writer.check());
  CHECK(written.empty());
  std::thread later([&] {
    std::this_thread::sleep_for(50ms);
    gate.set_value();
  });
  writer.save(writing.now());
  CHECK(written.size() >= 1);
  writer.finish();
  later.join();

  REQUIRE(written.size() == 2);
  CHECK(written[0].state == before.state);
  CHECK(written[1].state.step == 2);
  const auto equal = [](const auto& some, const auto& others) {
    REQUIRE(some.size() == others.size());
    bool all = true;
    for (std::size_t i = 0; i < some.size(); ++i)
      all = all && some[i].first == others[i].first && torch::equal(some[i].second, others[i].second);
    return all;
  };
  CHECK(equal(written[0].weights, before.weights));
  CHECK(equal(written[0].moments, before.moments));
  CHECK_FALSE(equal(written[0].weights, writing.now().weights));
  CHECK(equal(written[1].weights, writing.now().weights));
}

TEST_CASE("what goes wrong in a save arrives, once, and the next may succeed") {
  Writing writing;
  int calls = 0;
  CheckpointWriter writer([&](const Snapshot&) {
    if (++calls % 2 == 1) throw RunError("disk/run: No space left on device");
  });
  writer.save(writing.now());
  CHECK_THROWS_WITH(writer.finish(), "disk/run: No space left on device");
  CHECK_NOTHROW(writer.finish());
  writer.save(writing.now());
  CHECK_NOTHROW(writer.finish());

  writer.save(writing.now());
  const auto check_until_it_has_ended = [&] {
    for (int i = 0; i < 3000; ++i, std::this_thread::sleep_for(10ms)) writer.check();
  };
  CHECK_THROWS_AS(check_until_it_has_ended(), RunError);

  CHECK_NOTHROW(writer.save(writing.now()));
  writer.save(writing.now());
  CHECK_THROWS_AS(writer.save(writing.now()), RunError);
  CHECK(calls == 5);
}

TEST_CASE("where memory is too short for a copy, the training waits") {
  Writing writing;
  const auto here = std::this_thread::get_id();
  std::thread::id there;
  const auto write = [&](const Snapshot& snapshot) {
    there = std::this_thread::get_id();
    CHECK(snapshot.weights.front().second.const_data_ptr() ==
          writing.now().weights.front().second.const_data_ptr());
  };
  CheckpointWriter writer(write, [](const Snapshot&) -> Snapshot { throw std::bad_alloc(); });
  writer.save(writing.now());
  CHECK(there == here);
  CheckpointWriter broken(write, [](const Snapshot&) -> Snapshot { throw RunError("something else"); });
  CHECK_THROWS_WITH(broken.save(writing.now()), "something else");
}

TEST_CASE("a writer that goes waits for its save, and keeps what went wrong to the log") {
  start_logging("off");
  Writing writing;
  bool written = false;
  {
    CheckpointWriter writer([&](const Snapshot&) {
      std::this_thread::sleep_for(30ms);
      written = true;
      throw RunError("too late for anybody");
    });
    writer.save(writing.now());
  }
  CHECK(written);
}

}  // namespace
}  // namespace transformer::train
