#include "transformer/distributed/store.h"

#include <unistd.h>

#include <thread>
#include <vector>

#include "tests/catch.h"
#include "transformer/distributed/addresses.h"

namespace transformer::distributed {
namespace {

using std::chrono::milliseconds;

TEST_CASE("what one connection writes, others read") {
  auto first = Store::serve({"127.0.0.1", 0});
  CHECK(first.address().port > 0);
  auto second = Store::connect(first.address(), milliseconds(5000));
  CHECK_FALSE(second.has("name"));
  first.set("name", std::string("a\0\xff\n", 4));
  CHECK(first.has("name"));  // answered after what was sent before, which is not answered
  CHECK(second.has("name"));
  CHECK(second.get("name") == std::string("a\0\xff\n", 4));
  second.set("name", "");
  CHECK(second.get("name").empty());
  CHECK(first.get("name").empty());
  second.remove("name");
  CHECK_FALSE(first.has("name"));
}

TEST_CASE("of many who set a name once, or count together, none is lost") {
  auto store = Store::serve({"127.0.0.1", 0});
  constexpr std::size_t kThreads = 4;
  std::vector<std::string> taken(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      auto own = Store::connect(store.address(), milliseconds(5000));
      taken[i] = own.set_once("first", std::to_string(i));
      for (int count = 0; count < 50; ++count) own.add("count", 2);
    });
  for (auto& thread : threads) thread.join();
  CHECK(store.add("count", 0) == 400);
  for (const auto& text : taken) CHECK(text == store.get("first"));
  CHECK(store.set_once("first", "late") == taken[0]);
  CHECK(store.get("first") == taken[0]);
}

TEST_CASE("names below a prefix are their own") {
  auto store = Store::serve({"127.0.0.1", 0});
  auto part = Store::connect(store.address(), milliseconds(5000));
  part.enter("a");
  part.set("name", "of a");
  CHECK_FALSE(store.has("name"));
  store.set("name", "of all");
  CHECK(part.get("name") == "of a");
  part.enter("b");
  CHECK_FALSE(part.has("name"));
  part.set("name", "of a/b");
  store.enter("a");
  CHECK(store.get("name") == "of a");
  store.enter("b");
  CHECK(store.get("name") == "of a/b");
}

TEST_CASE("addresses are written as people write them") {
  CHECK(StoreAddress{"10.0.0.1", 29500}.text() == "10.0.0.1:29500");
  CHECK(StoreAddress{"fd00::1", 29500}.text() == "[fd00::1]:29500");
}

TEST_CASE("a store opens at private addresses only, unless it is told to") {
  CHECK_THROWS_AS(Store::serve({"0.0.0.0", 0}), InputError);
  CHECK_THROWS_WITH(
      Store::serve({"0.0.0.0", 0}),
      "MASTER_ADDR: expected an address of the loopback or of a private network, found 0.0.0.0: "
      "the processes' exchange is neither authenticated nor encrypted; --listen-publicly allows "
      "it");
  CHECK_THROWS_WITH(Store::serve({"192.0.2.1", 0}), ContainsSubstring("--listen-publicly"));
  auto open = Store::serve({"0.0.0.0", 0}, /*publicly=*/true);
  open.set("name", "value");
  CHECK(Store::connect({"127.0.0.1", open.address().port}, milliseconds(5000)).get("name") == "value");
}

TEST_CASE("nothing but the address that it was opened at reaches a store") {
  const auto store = Store::serve({"127.0.0.1", 0});
  CHECK_THROWS_AS(Store::connect({"127.0.0.2", store.address().port}, milliseconds(200)), RunError);
}

TEST_CASE("a port in use is named") {
  const auto store = Store::serve({"127.0.0.1", 0});
  CHECK_THROWS_AS(Store::serve(store.address()), InputError);
  CHECK_THROWS_WITH(Store::serve(store.address()),
                    ContainsSubstring("found " + std::to_string(store.address().port) + " in use"));
}

TEST_CASE("who finds no store, or one that has gone, is told where it looked") {
  const int socket = listen_at("127.0.0.1", 0);
  const StoreAddress nobody{"127.0.0.1", port_of(socket)};
  ::close(socket);
  CHECK_THROWS_AS(Store::connect(nobody, milliseconds(200)), RunError);
  CHECK_THROWS_WITH(Store::connect(nobody, milliseconds(200)),
                    nobody.text() +
                        ": expected the store of rank 0 or of the launcher, found nobody who answers: is it "
                        "running, and is the address (MASTER_ADDR, MASTER_PORT) right and open to this "
                        "machine?");

  auto served = std::make_unique<Store>(Store::serve({"127.0.0.1", 0}));
  auto left = Store::connect(served->address(), milliseconds(5000));
  left.set("name", "value");
  served.reset();
  const auto gone = "the store at " + left.address().text() + " does not answer any more";
  CHECK_THROWS_AS(left.has("name"), StoreGone);
  CHECK_THROWS_WITH(left.has("name"), gone);
  CHECK_THROWS_WITH(left.get("name"), gone);
  CHECK_THROWS_WITH(left.set("name", ""), gone);
  CHECK_THROWS_WITH(left.add("count", 1), gone);
  CHECK_THROWS_WITH(left.set_once("name", ""), gone);
  CHECK_THROWS_WITH(left.remove("name"), gone);
}

}  // namespace
}  // namespace transformer::distributed
