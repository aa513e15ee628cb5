#include "transformer/data/in_order.h"

#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/catch.h"

namespace transformer::data {
namespace {

struct Number {
  int value = -1;
  int square = -1;
};

void nothing() {}

TEST_CASE("results come in the order of what was read, on any number of threads") {
  const int threads = GENERATE(0, 1, 2, 7);
  int next = 0;
  std::atomic<int> unwritten = 0;
  std::atomic<int> most = 0;
  std::vector<int> squares;
  const auto read = [&](Number& number) {
    if (next == 500) return false;
    number.value = next++;
    most = std::max<int>(most, ++unwritten);
    return true;
  };
  const auto make_work = [] {
    return [](Number& number) {
      if (number.value % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      number.square = number.value * number.value;
    };
  };
  const auto write = [&](const Number& number) {
    squares.push_back(number.square);
    --unwritten;
  };
  InOrder<Number>(read, make_work, write).run(threads, nothing);
  REQUIRE(squares.size() == 500);
  for (int i = 0; i < 500; ++i) REQUIRE(squares[static_cast<std::size_t>(i)] == i * i);
  CHECK(most <= 2 * std::max(threads, 1) + 1);  // however slow one of them is
}

TEST_CASE("what a step throws ends all threads and arrives") {
  const std::string step = GENERATE("read", "make", "work", "write");
  int next = 0;
  const auto fail = [&](const std::string& here) {
    if (here == step) throw std::runtime_error(here);
  };
  const auto read = [&](Number& number) {
    number.value = next++;
    if (number.value == 30) fail("read");
    return true;  // without the failure there is no end
  };
  const auto make_work = [&] {
    fail("make");
    return [&](Number& number) {
      if (number.value == 30) fail("work");
    };
  };
  const auto write = [&](const Number& number) {
    CHECK(number.value <= 30);
    if (number.value == 30) fail("write");
  };
  CHECK_THROWS_WITH(InOrder<Number>(read, make_work, write).run(3, nothing), step);
}

TEST_CASE("nothing to read is no failure") {
  int reads = 0, written = 0;
  std::atomic<int> worked = 0;
  const auto read = [&](Number&) {
    ++reads;
    return false;
  };
  const auto make_work = [&] { return [&](Number&) { ++worked; }; };
  CHECK_NOTHROW(InOrder<Number>(read, make_work, [&](Number&) { ++written; }).run(2, nothing));
  CHECK(reads == 1);  // one of the two threads has read, and told the other
  CHECK((worked == 0 && written == 0));
}

}  // namespace
}  // namespace transformer::data
