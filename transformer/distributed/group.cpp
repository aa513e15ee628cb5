#include "transformer/distributed/group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "transformer/base/exit_status.h"
#include "transformer/base/stopwatch.h"
#include "transformer/distributed/addresses.h"
#include "transformer/distributed/join.h"
#include "transformer/distributed/store.h"
#include "transformer/distributed/watch.h"

namespace transformer::distributed {
namespace {

using std::chrono::milliseconds;

std::string describe_process(std::int64_t rank) {
  return fmt::format("rank {} (process {} on {})", rank, ::getpid(), host_name());
}

}  // namespace

Group::Group(const Placement& placement, const JoinSettings& settings)
    : placement_(placement), prefix_(fmt::format("transformer/{}", placement.run)), settings_(settings) {
  expect_connections(placement.size);
  const StoreAddress address{placement.address, placement.port};
  if (leads() && !placement.store_is_hosted) {
    served_ = std::make_unique<Store>(Store::serve(address, settings.listen_publicly));
    served_->set(kRunName, placement.run);
  }
  std::optional<JoinGuard> guard(std::in_place, address, settings);
  store_ = std::make_unique<Store>(connect(placement, settings));
  guard.emplace(address, settings);  // waiting for the others has its own time
  if (!placement.store_is_hosted) check_run(*store_, placement, settings);
  store_->enter(prefix_);
  // Connect before the others know of this process, since they miss it if it falls silent afterwards.
  // Connecting may be slow: c10d looks up the name of each address, and a DNS server may not answer.
  auto connection = part_of_store("");
  try {
    come_in(settings);
  } catch (const Interrupted&) {
    throw;
  } catch (const Stranger&) {
    throw;
  } catch (const std::exception& error) {
    const bool input = dynamic_cast<const InputError*>(&error) != nullptr;
    const Fault own{error.what(), input ? kBadInput : kFailed};
    const auto fault = fault_from_text(store_->set_once(kFaultName, to_text(own)));
    throw JoinFailed(fault, store_->add(kSpokenName, 1) == 1);
  }
  guard.reset();
  watch_ = std::make_unique<Watch>(std::move(connection), placement,
                                   WatchSettings{settings.silence, settings.interrupted});
}

Group::~Group() {
  if (watch_ && watch_->fault() && served_) {
    // The others look for what the run ended for in the store that goes with this.
    constexpr milliseconds kLast{2000};
    std::this_thread::sleep_for(kLast);
  }
}

void Group::come_in(const JoinSettings& settings) {
  const auto own = describe_process(rank());
  if (const auto taken = store_->set_once(fmt::format("who/{}", rank()), own); taken != own) {
    const auto twice = fmt::format("rank {}: expected each rank once, found it in two processes: {} and {}",
                                   rank(), taken, own);
    // A run that has begun goes on.
    if (store_->add("joined", 0) < size()) throw InputError(twice);
    throw Stranger(twice + ", whose run goes on: name another port (MASTER_PORT) for a second one");
  }
  store_->add("joined", 1);
  const Stopwatch watch;
  WaitingLine line(placement_, settings);
  while (store_->add("joined", 0) < size()) {
    check_interrupted(settings);
    if (leads()) line.look();
    if (store_->has(kFaultName)) throw RunEnded(fault_from_text(store_->get(kFaultName)));
    if (watch.seconds() * 1000 > static_cast<double>(settings.patience.count()))
      throw RunError(fmt::format("expected {} processes at {}, missed {} after {:.0f} s", size(),
                                 store_->address().text(), missing_ranks(), watch.seconds()));
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

std::string Group::missing_ranks() const {
  constexpr std::size_t kNamed = 16;
  std::vector<std::int64_t> missing;
  for (std::int64_t other = 0; other < size(); ++other)
    if (!store_->has(fmt::format("who/{}", other))) missing.push_back(other);
  const auto more = missing.size() > kNamed ? missing.size() - kNamed : 0;
  missing.resize(missing.size() - more);
  return fmt::format("rank{} {}{}", missing.size() == 1 ? "" : "s", fmt::join(missing, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

const std::atomic<bool>& Group::interrupted() const {
  return watch_->interrupted();
}

Store Group::part_of_store(const std::string& name) const {
  constexpr milliseconds kPatience{10000};
  auto part = Store::connect(store_->address(), kPatience);
  part.enter(name.empty() ? prefix_ : fmt::format("{}/{}", prefix_, name));
  return part;
}

void Group::check() {
  const auto fault = watch_->fault();
  if (!fault) return;
  watch_->knows();
  throw RunEnded(*fault);
}

void Group::wait_for(const std::string& count, std::int64_t number) {
  auto pause = milliseconds(1);
  while (store_->add(count, 0) < number) {
    check();
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kBetweenLooks);
  }
}

std::vector<std::string> Group::exchange(const std::string& own) {
  const auto number = exchanges_++;
  const auto text_name = [](std::int64_t exchange, std::int64_t rank) {
    return fmt::format("exchange/{}/{}", exchange, rank);
  };
  const auto count_name = [](std::int64_t exchange) { return fmt::format("exchange/{}", exchange); };
  try {
    store_->set(text_name(number, rank()), own);
    store_->add(count_name(number), 1);
    wait_for(count_name(number), size());
    std::vector<std::string> texts;
    for (std::int64_t other = 0; other < size(); ++other)
      texts.push_back(store_->get(text_name(number, other)));
    // Who is here has read all of the exchange before.
    if (number > 0) store_->remove(text_name(number - 1, rank()));
    if (number > 0 && leads()) store_->remove(count_name(number - 1));
    return texts;
  } catch (const StoreGone& error) {
    throw RunEnded(explain(error.what()));
  }
}

std::string Group::from_first(const std::string& own) {
  return exchange(leads() ? own : "").front();
}

bool Group::any(bool here) {
  const auto all = exchange(here ? "1" : "0");
  return std::ranges::find(all, "1") != all.end();
}

void Group::meet() {
  exchange("");
}

Fault Group::end_run(const Fault& fault) {
  return watch_->end_run(fault);
}

Fault Group::explain(const std::string& symptom) {
  watch_->knows();
  if (const auto fault = watch_->wait_for_fault(settings_.silence + milliseconds(2000))) return *fault;
  return end_run({.cause = fmt::format("{}: {}", describe_process(rank()), symptom)});
}

bool Group::speaks() {
  return watch_->speaks();
}

void Group::leave() {
  meet();
  try {
    watch_->leave();
    store_->add("left", 1);
    // The store goes with this process: the others are not to look for it any more.
    constexpr double kSeconds = 5;
    for (const Stopwatch watch; served_ && store_->add("left", 0) < size() && watch.seconds() < kSeconds;)
      std::this_thread::sleep_for(kBetweenLooks);
  } catch (const StoreGone&) {
    // All were here: nobody needs it any more.
  }
}

void interrupt_together(Group* group, const std::function<void()>& body) {
  bool here = false;
  try {
    body();
  } catch (const Interrupted&) {
    here = true;  // the others wait for an answer, too
  }
  if (group ? group->any(here) : here) throw Interrupted();
}

}  // namespace transformer::distributed
