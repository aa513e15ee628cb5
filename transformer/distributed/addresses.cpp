#include "transformer/distributed/addresses.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "transformer/base/error.h"

namespace transformer::distributed {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses look_up(const std::string& host, std::uint16_t port, int kind) {
  addrinfo hints = {};
  hints.ai_socktype = kind;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0)
    throw InputError(fmt::format("MASTER_ADDR: expected a host or an address, found '{}': {}", host,
                                 ::gai_strerror(error)));
  return Addresses(found);
}

std::string in_numbers(const sockaddr* address, socklen_t length) {
  char host[NI_MAXHOST] = {};
  ::getnameinfo(address, length, host, sizeof host, nullptr, 0, NI_NUMERICHOST);
  return host;
}

/// Closes itself unless it is released.
class Socket {
 public:
  explicit Socket(const addrinfo& address)
      : number_(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (number_ >= 0) ::close(number_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

std::string reason() {
  return std::generic_category().message(errno);
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string resolve(const std::string& host) {
  const auto found = look_up(host, 0, SOCK_STREAM);
  return in_numbers(found->ai_addr, found->ai_addrlen);
}

std::string own_address_towards(const std::string& host) {
  constexpr std::uint16_t kAnyPort = 9;  // nothing is sent: connecting a datagram socket only finds the way
  const auto found = look_up(host, kAnyPort, SOCK_DGRAM);
  const Socket socket(*found);
  sockaddr_storage own = {};
  socklen_t length = sizeof own;
  if (::connect(socket.number(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&own), &length) != 0)
    throw InputError(fmt::format("MASTER_ADDR: there is no way to '{}' from here: {}", host, reason()));
  return in_numbers(reinterpret_cast<const sockaddr*>(&own), length);
}

bool is_private_address(const std::string& address) {
  in_addr v4 = {};
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) {
    const std::uint32_t bits = ntohl(v4.s_addr);
    const auto within = [&](std::uint32_t net, int length) {
      return bits >> (32 - length) == net >> (32 - length);
    };
    return within(0x7f000000, 8) || within(0x0a000000, 8) || within(0xac100000, 12) ||
           within(0xc0a80000, 16) || within(0xa9fe0000, 16) ||
           within(0x64400000, 10);  // RFC 1122, 1918, 3927, 6598
  }
  in6_addr v6 = {};
  const auto bare = address.substr(0, address.find('%'));
  if (::inet_pton(AF_INET6, bare.c_str(), &v6) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&v6) || IN6_IS_ADDR_LINKLOCAL(&v6) || (v6.s6_addr[0] & 0xfe) == 0xfc;
}

int listen_at(const std::string& address, std::uint16_t port) {
  const auto found = look_up(address, port, SOCK_STREAM);
  Socket socket(*found);
  const int on = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.number(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(socket.number(), SOMAXCONN) != 0) {
    if (errno == EADDRINUSE)
      throw InputError(fmt::format("MASTER_PORT: expected a free port, found {} in use at {}: name another",
                                   port, address));
    if (errno == EADDRNOTAVAIL)
      throw InputError(
          fmt::format("MASTER_ADDR: expected an address of the machine of rank 0, found {}, which "
                      "is not this machine's",
                      address));
    throw InputError(
        fmt::format("MASTER_ADDR, MASTER_PORT: listening at {}:{}: {}", address, port, reason()));
  }
  return socket.release();
}

std::uint16_t port_of(int socket) {
  sockaddr_storage own = {};
  socklen_t length = sizeof own;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length);
  return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&own)->sin6_port
                                         : reinterpret_cast<const sockaddr_in*>(&own)->sin_port);
}

}  // namespace transformer::distributed
