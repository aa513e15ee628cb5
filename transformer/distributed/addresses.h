// Addresses of machines.
#pragma once

#include <cstdint>
#include <string>

namespace transformer::distributed {

/// This machine's.
std::string host_name();

/// A host's first address in numbers. Throws InputError where the name means none.
std::string resolve(const std::string& host);

/// Which of this machine's addresses a message to that host leaves from: its peers reach it there, too.
/// Throws InputError where there is no way to it.
std::string own_address_towards(const std::string& host);

/// Whether an address in numbers, IPv4 or IPv6, is of the loopback or of a network that is not routed on the
/// Internet.
bool is_private_address(const std::string& address);

/// A socket that listens at an address of this machine; port 0: any that is free. → its descriptor. Throws
/// InputError where the address is not this machine's or the port is in use.
int listen_at(const std::string& address, std::uint16_t port);

/// The port at which a socket listens.
std::uint16_t port_of(int socket);

}  // namespace transformer::distributed
