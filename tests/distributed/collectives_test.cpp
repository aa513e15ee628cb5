#include "transformer/distributed/collectives.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "tests/distributed/members.h"
#include "transformer/base/error.h"

namespace transformer::distributed {
namespace {

constexpr auto kShared = OnOneHost::shared_memory, kByGloo = OnOneHost::gloo;

TEST_CASE("each member gets the sum over all, in any type") {
  if (!test::has_collectives()) return;
  const std::int64_t size = GENERATE(1, 2, 3, 4);
  const auto type = GENERATE(torch::kFloat, torch::kDouble, torch::kBFloat16, torch::kLong);
  const auto way = GENERATE(kShared, kByGloo);
  const auto member = [&](Collectives& together) {
    // Rank r has r + 1 times (1, 2, -3), so N ranks sum to N (N + 1) / 2 times that. Small integers are
    // exact.
    auto tensor = (together.group().rank() + 1) * torch::tensor({1, 2, -3}).to(type);
    together.sum(tensor);
    return tensor;
  };
  const auto sums = test::run_together(size, member, way);
  const auto expected = (size * (size + 1) / 2 * torch::tensor({1, 2, -3})).to(type);
  for (const auto& sum : sums) CHECK(torch::equal(sum, expected));
}

/// Numbers of very different sizes, whose sum depends on the order.
torch::Tensor numbers_of(std::int64_t rank, std::int64_t count) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(rank + 1));
  return torch::randn({count}, generator) * torch::exp(4 * torch::randn({count}, generator));
}

TEST_CASE("a sum is the same in all members, and each time, bit by bit") {
  if (!test::has_collectives()) return;
  const std::int64_t size = GENERATE(2, 3, 4);
  const std::int64_t count = GENERATE(1, 5, 100003);
  const auto way = GENERATE(kShared, kByGloo);
  const auto member = [&](Collectives& together) {
    const auto own = numbers_of(together.group().rank(), count);
    auto first = own.clone(), second = own.clone();
    together.sum(first);
    together.sum(second);
    return torch::stack({first, second});
  };
  std::vector<torch::Tensor> all;
  for (int time = 0; time < 2; ++time) {
    const auto sums = test::run_together(size, member, way);
    for (const auto& sum : sums) {
      all.push_back(sum[0]);
      all.push_back(sum[1]);
    }
  }
  CHECK(test::all_equal(all));
  auto expected = torch::zeros({count}, torch::kDouble), magnitude = expected.clone();
  for (std::int64_t rank = 0; rank < size; ++rank) {
    expected += numbers_of(rank, count);
    magnitude += numbers_of(rank, count).abs();
  }
  CHECK(((all.front() - expected).abs() <= 3e-7 * magnitude).all().item<bool>());
}

TEST_CASE("several sums are under way at once, and are waited for in any order") {
  if (!test::has_collectives()) return;
  const auto way = GENERATE(kShared, kByGloo);
  const auto member = [](Collectives& together) {
    std::vector<torch::Tensor> tensors;
    std::vector<Collectives::Pending> pending;
    for (int i = 0; i < 8; ++i) {
      tensors.push_back(torch::full({1000 * i + 1}, static_cast<double>(together.group().rank() + i)));
      pending.push_back(together.begin_sum(tensors.back()));
    }
    for (auto one = pending.rbegin(); one != pending.rend(); ++one) one->wait();
    return tensors;
  };
  const auto sums = test::run_together(3, member, way);
  for (const auto& tensors : sums)
    for (int i = 0; i < 8; ++i)
      CHECK(torch::equal(tensors[static_cast<std::size_t>(i)], torch::full({1000 * i + 1}, 3.0 + 3 * i)));
}

TEST_CASE("a part of a tensor is summed where it lies") {
  if (!test::has_collectives()) return;
  const auto way = GENERATE(kShared, kByGloo);
  const auto member = [](Collectives& together) {
    auto whole = torch::ones({6});
    together.sum(whole.narrow(0, 2, 3));
    return whole;
  };
  const auto sums = test::run_together(2, member, way);
  for (const auto& whole : sums) CHECK(torch::equal(whole, torch::tensor({1.f, 1.f, 2.f, 2.f, 2.f, 1.f})));
}

TEST_CASE("each member gets one's tensor") {
  if (!test::has_collectives()) return;
  const auto got = test::run_together(3, [](Collectives& together) {
    std::vector<torch::Tensor> tensors;
    for (std::int64_t from = 0; from < 3; ++from) {
      tensors.push_back(numbers_of(together.group().rank(), 1000));
      together.broadcast(tensors.back(), from);
    }
    return tensors;
  });
  for (const auto& tensors : got)
    for (std::int64_t from = 0; from < 3; ++from)
      CHECK(torch::equal(tensors[static_cast<std::size_t>(from)], numbers_of(from, 1000)));
}

/// Each member does its part until the run ends.
template <typename Part>
std::vector<std::string> causes(std::int64_t size, std::chrono::seconds timeout, OnOneHost way,
                                const Part& part) {
  const test::MeetingPlace place;
  std::vector<std::string> all(static_cast<std::size_t>(size));
  test::run_ranks(size, [&](std::int64_t rank) {
    Group group(place.placement(rank, size), test::watchful());
    try {
      Collectives together(group, timeout, way);
      together.sum(torch::ones({10}));
      part(together);
    } catch (const RunEnded& error) {
      all[static_cast<std::size_t>(rank)] = error.fault.cause;
    }
  });
  return all;
}

TEST_CASE("an interface that this machine has not is named, with those that it has") {
  if (!test::has_collectives()) return;
  const test::MeetingPlace place;
  Group group(place.placement(0, 1));
  ::setenv("GLOO_SOCKET_IFNAME", "nosuch0", 1);
  CHECK_THROWS_AS(Collectives(group, std::chrono::seconds(60)), InputError);
  CHECK_THROWS_WITH(
      Collectives(group, std::chrono::seconds(60)),
      ContainsSubstring("environment: GLOO_SOCKET_IFNAME: expected an interface of this machine (lo") &&
          ContainsSubstring("found 'nosuch0'"));
  ::unsetenv("GLOO_SOCKET_IFNAME");
}

TEST_CASE("who dies amid an exchange is named to those who wait for it") {
  if (!test::has_collectives()) return;
  const auto way = GENERATE(kShared, kByGloo);
  const auto found = causes(3, std::chrono::seconds(60), way, [](Collectives& together) {
    if (together.group().rank() != 1) together.sum(torch::ones({10}));
  });
  CHECK(found[0] ==
        test::process_name(1) + ": has not been heard of for 2 s: it died, hangs, or cannot be reached");
  CHECK(found[2] == found[0]);
}

TEST_CASE("who lives but does not come makes an exchange fail after its time") {
  if (!test::has_collectives()) return;
  const auto way = GENERATE(kShared, kByGloo);
  const auto found = causes(2, std::chrono::seconds(1), way, [](Collectives& together) {
    if (together.group().rank() == 1) together.group().meet();
    together.sum(torch::ones({10}));
  });
  CHECK_THAT(found[0], ContainsSubstring(test::process_name(0) + ": "));
  CHECK_THAT(found[0], ContainsSubstring("longer than distributed.timeout"));
  CHECK(found[1] == found[0]);
}

}  // namespace
}  // namespace transformer::distributed
