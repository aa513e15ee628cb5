#include "transformer/distributed/store.h"

#include <c10/util/Exception.h>
#include <c10/util/Flags.h>
#include <fmt/format.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "transformer/base/file_limit.h"
#include "transformer/distributed/addresses.h"

C10_DECLARE_int(caffe2_log_level);

namespace transformer::distributed {
namespace {

/// c10d prints errors at once, with a stack. We report them in one line, from the process that they concern.
void silence_c10d() {
  constexpr int kFatal = 3;
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = kFatal;
}

std::vector<std::uint8_t> bytes(const std::string& text) {
  return {text.begin(), text.end()};
}

std::string text_of(const std::vector<std::uint8_t>& raw) {
  return {raw.begin(), raw.end()};
}

/// c10d's exceptions differ by what went wrong on the network; to whoever uses the store they mean the same.
template <typename Call>
auto ask(const StoreAddress& address, Call call) {
  try {
    return call();
  } catch (const c10::Error&) {
    throw StoreGone(fmt::format("the store at {} does not answer any more", address.text()));
  }
}

}  // namespace

struct Store::Connection {
  explicit Connection(c10::intrusive_ptr<c10d::TCPStore> store) : tcp(std::move(store)) {}

  c10::intrusive_ptr<c10d::TCPStore> tcp;
  c10::intrusive_ptr<c10d::Store> prefixed = tcp;
};

std::string StoreAddress::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Store::Store(StoreAddress address, std::unique_ptr<Connection> connection)
    : address_(std::move(address)), connection_(std::move(connection)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

void expect_connections(std::int64_t processes) {
  constexpr std::int64_t kOwn = 40, kForEach = 4;
  expect_open_files(static_cast<std::uint64_t>(kOwn + kForEach * processes),
                    fmt::format("{} processes", processes));
}

Store Store::serve(const StoreAddress& address, bool publicly) {
  silence_c10d();
  const auto host = resolve(address.host);
  if (!publicly && !is_private_address(host))
    throw InputError(
        fmt::format("MASTER_ADDR: expected an address of the loopback or of a private network, found {}: the "
                    "processes' exchange is neither authenticated nor encrypted; --listen-publicly allows it",
                    host));
  const int socket = listen_at(host, address.port);
  const StoreAddress own{host, port_of(socket)};
  c10d::TCPStoreOptions options;
  options.port = own.port;
  options.isServer = true;
  options.waitWorkers = false;
  options.masterListenFd = socket;  // which is the store's from here on
  try {
    return {own, std::make_unique<Connection>(c10::make_intrusive<c10d::TCPStore>(own.host, options))};
  } catch (const c10::Error& error) {
    throw RunError(fmt::format("{}: opening the store: {}", own.text(), error.what_without_backtrace()));
  }
}

Store Store::connect(const StoreAddress& address, std::chrono::milliseconds patience) {
  silence_c10d();
  c10d::TCPStoreOptions options;
  options.port = address.port;
  options.waitWorkers = false;
  options.timeout = patience;
  try {
    return {address,
            std::make_unique<Connection>(c10::make_intrusive<c10d::TCPStore>(address.host, options))};
  } catch (const c10::Error&) {
    throw RunError(
        fmt::format("{}: expected the store of rank 0 or of the launcher, found nobody who answers: is it "
                    "running, and is "
                    "the address (MASTER_ADDR, MASTER_PORT) right and open to this machine?",
                    address.text()));
  }
}

void Store::enter(const std::string& prefix) {
  connection_->prefixed = c10::make_intrusive<c10d::PrefixStore>(prefix, connection_->prefixed);
}

void Store::set(const std::string& name, const std::string& value) {
  ask(address_, [&] { connection_->prefixed->set(name, bytes(value)); });
}

bool Store::has(const std::string& name) {
  return ask(address_, [&] { return connection_->prefixed->check({name}); });
}

std::string Store::get(const std::string& name) {
  return ask(address_, [&] { return text_of(connection_->prefixed->get(name)); });
}

std::int64_t Store::add(const std::string& name, std::int64_t number) {
  return ask(address_, [&] { return connection_->prefixed->add(name, number); });
}

std::string Store::set_once(const std::string& name, const std::string& value) {
  return ask(address_, [&] { return text_of(connection_->prefixed->compareSet(name, {}, bytes(value))); });
}

void Store::remove(const std::string& name) {
  ask(address_, [&] { connection_->prefixed->deleteKey(name); });
}

c10d::Store& Store::raw() const {
  return *connection_->prefixed;
}

}  // namespace transformer::distributed
