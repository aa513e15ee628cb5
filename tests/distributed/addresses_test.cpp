#include "transformer/distributed/addresses.h"

#include <unistd.h>

#include "tests/catch.h"
#include "transformer/base/error.h"

namespace transformer::distributed {
namespace {

TEST_CASE("private addresses are those that the RFCs name, and none beside them") {
  const std::vector<std::string> inside = {
      "127.0.0.0",   "127.0.0.1",       "127.255.255.255",                           // RFC 1122, 3.2.1.3
      "10.0.0.0",    "10.255.255.255",                                               // RFC 1918
      "172.16.0.0",  "172.31.255.255",                                               //
      "192.168.0.0", "192.168.255.255",                                              //
      "169.254.0.0", "169.254.255.255",                                              // RFC 3927
      "100.64.0.0",  "100.127.255.255",                                              // RFC 6598
      "::1",                                                                         // RFC 4291
      "fe80::1",     "fe80::1%eth0",    "febf:ffff::1",                              //
      "fc00::",      "fd12:3456::1",    "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"};  // RFC 4193
  for (const auto& address : inside) {
    INFO(address);
    CHECK(is_private_address(address));
  }
  const std::vector<std::string> outside = {"126.255.255.255",
                                            "128.0.0.0",
                                            "9.255.255.255",
                                            "11.0.0.0",
                                            "172.15.255.255",
                                            "172.32.0.0",
                                            "192.167.0.1",
                                            "192.169.0.0",
                                            "169.253.0.1",
                                            "169.255.0.0",
                                            "100.63.255.255",
                                            "100.128.0.0",
                                            "0.0.0.0",
                                            "8.8.8.8",
                                            "255.255.255.255",
                                            "::",
                                            "::2",
                                            "2001:db8::1",
                                            "fbff::1",
                                            "fe00::1",
                                            "fe7f:ffff::1",
                                            "fec0::1",
                                            "::ffff:10.0.0.1",
                                            "localhost",
                                            "10.0.0",
                                            "10.0.0.1.5",
                                            ""};
  for (const auto& address : outside) {
    INFO(address);
    CHECK_FALSE(is_private_address(address));
  }
}

TEST_CASE("an address stands for itself, and a name that means none is refused") {
  CHECK(resolve("127.0.0.1") == "127.0.0.1");
  CHECK(resolve("192.0.2.7") == "192.0.2.7");
  CHECK(resolve("::1") == "::1");
  CHECK(is_private_address(resolve("localhost")));
  CHECK_THROWS_AS(resolve("no such host"), InputError);
  CHECK_THROWS_WITH(resolve("no such host"),
                    ContainsSubstring("MASTER_ADDR: expected a host or an address, found 'no such host': "));
}

TEST_CASE("this machine's address towards itself is the one that was asked for") {
  CHECK(own_address_towards("127.0.0.1") == "127.0.0.1");
  CHECK(own_address_towards("127.3.2.1") == "127.0.0.1");  // all of 127/8 is reached from there
}

TEST_CASE("listening at any free port, at one in use, and at an address of somebody else") {
  const int first = listen_at("127.0.0.1", 0), second = listen_at("127.0.0.1", 0);
  const auto port = port_of(first);
  CHECK(port > 0);
  CHECK(port_of(second) != port);
  const auto in_use = "MASTER_PORT: expected a free port, found " + std::to_string(port) +
                      " in use at 127.0.0.1: name another";
  CHECK_THROWS_AS(listen_at("127.0.0.1", port), InputError);
  CHECK_THROWS_WITH(listen_at("127.0.0.1", port), in_use);
  ::close(first);
  const int again = listen_at("127.0.0.1", port);
  CHECK(port_of(again) == port);
  ::close(again);
  ::close(second);
  CHECK_THROWS_AS(listen_at("192.0.2.1", 0), InputError);
  CHECK_THROWS_WITH(
      listen_at("192.0.2.1", 0),  // of RFC 5737: nobody's
      "MASTER_ADDR: expected an address of the machine of rank 0, found 192.0.2.1, which is not "
      "this machine's");
}

}  // namespace
}  // namespace transformer::distributed
