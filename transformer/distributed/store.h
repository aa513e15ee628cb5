// The store through which the processes of a run find and watch each other: c10d's TCPStore, as torchrun's.
// It neither authenticates nor encrypts: whoever reaches it can read and change what it holds.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "transformer/base/error.h"

namespace c10d {
class Store;
}

namespace transformer::distributed {

/// The store does not answer any more.
class StoreGone : public RunError {
 public:
  using RunError::RunError;
};

struct StoreAddress {
  std::string host;
  std::uint16_t port = 0;

  std::string text() const;  ///< "host:port"
};

/// A connection, for any thread; a call that waits makes the calls of others wait.
class Store {
 public:
  /// Opens a store on this machine, which is there as long as the object, and connects to it. The host is an
  /// address of this machine, and nothing else reaches it: by default it must be the loopback one or one of a
  /// private network. Port 0 is any that is free. Throws InputError where the address is not this machine's
  /// or is public, and where the port is in use.
  static Store serve(const StoreAddress& address, bool publicly = false);

  /// Throws RunError when nobody answers in time.
  static Store connect(const StoreAddress& address, std::chrono::milliseconds patience);

  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  const StoreAddress& address() const { return address_; }

  /// From now on all names begin with it.
  void enter(const std::string& prefix);

  /// All throw StoreGone.
  void set(const std::string& name, const std::string& value);
  bool has(const std::string& name);
  std::string get(const std::string& name);  ///< of what is there
  std::int64_t add(const std::string& name, std::int64_t number);
  /// Sets what is not there yet. → what is there now
  std::string set_once(const std::string& name, const std::string& value);
  void remove(const std::string& name);

  /// For process groups of c10d, which may share its ownership.
  c10d::Store& raw() const;

 private:
  struct Connection;
  Store(StoreAddress address, std::unique_ptr<Connection> connection);

  StoreAddress address_;
  std::unique_ptr<Connection> connection_;
};

/// Throws RunError where the system does not let a process of a run, or its launcher, have as many files open
/// as it needs, connections among them: c10d would wait, or name another cause.
void expect_connections(std::int64_t processes);

}  // namespace transformer::distributed
