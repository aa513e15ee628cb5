#include "transformer/distributed/shared_exchange.h"

#include <ATen/CPUGeneratorImpl.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <filesystem>

#include "tests/distributed/members.h"
#include "transformer/base/stopwatch.h"

namespace transformer::distributed {
namespace {

using Tensors = std::vector<torch::Tensor>;
constexpr std::chrono::seconds kTimeout{60};

/// Lets `body` sum in each of so many members of a group. → what each returned, by rank
template <typename Body>
std::vector<Tensors> sum_together(std::int64_t size, const Body& body) {
  return test::run_members(size, [&](Group& group) {
    const auto sums = SharedExchange::make(group, kTimeout);
    if (!sums) throw std::runtime_error("members of one process share no memory");
    return body(*sums, group.rank());
  });
}

TEST_CASE("each member sees what the others write, and zeros before") {
  const auto seen = test::run_members(3, [](Group& group) {
    const auto memory = SharedMemory::make(group, 5000);
    std::string text;
    if (!memory) return text;
    for (std::int64_t rank = 0; rank < 3; ++rank)
      text += std::to_string(static_cast<int>(memory->part(rank)[4999]));
    group.meet();
    memory->part(group.rank())[4999] = static_cast<std::byte>(group.rank() + 4);
    group.meet();
    for (std::int64_t rank = 0; rank < 3; ++rank)
      text += std::to_string(static_cast<int>(memory->part(rank)[4999]));
    return text;
  });
  for (const auto& text : seen) CHECK(text == "000456");
}

TEST_CASE("no file stays open") {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const auto more = test::run_members(1, [&](Group& group) {
    const auto before = open_files();
    const auto memory = SharedMemory::make(group, 5000);
    if (!memory) throw std::runtime_error("no memory");
    return open_files() - before;
  });
  CHECK(more[0] == 0);
}

/// Small whole numbers, which any order adds up to the same.
torch::Tensor counting(std::int64_t count, std::int64_t rank, torch::ScalarType type) {
  return ((rank + 1) * torch::arange(count).remainder(41)).to(type);
}

TEST_CASE("sums of any length, in the room for tensors from elsewhere and in memory of their own") {
  const std::int64_t size = GENERATE(1, 2, 3, 4);
  const auto type = GENERATE(torch::kFloat, torch::kDouble, torch::kBFloat16);
  const auto room = (std::int64_t{1} << 20) / static_cast<std::int64_t>(torch::elementSize(type));  // numbers
  std::vector<std::int64_t> counts = {0,    1,    15,       16,   17,       64,           65,
                                      1023, 1025, room - 1, room, room + 1, 2 * room + 7, 3};
  const auto found = sum_together(size, [&](SharedExchange& sums, std::int64_t rank) {
    Tensors tensors;
    std::int64_t last = 0;
    for (const auto count : counts) {
      tensors.push_back(counting(count, rank, type));
      tensors.push_back(sums.zeros(count, torch::TensorOptions(type)).copy_(tensors.back()));
      sums.begin_sum(tensors.rbegin()[1]);
      last = sums.begin_sum(tensors.back());
    }
    sums.finish(last);
    return tensors;
  });
  for (const auto& tensors : found)
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const auto expected = (size * (size + 1) / 2 * torch::arange(counts[i / 2]).remainder(41)).to(type);
      INFO(size << " members, " << torch::toString(type) << ", " << counts[i / 2] << " numbers");
      CHECK(torch::equal(tensors[i], expected));
    }
}

TEST_CASE("numbers are added in the order of the ranks, those in bf16 in fp32") {
  const auto type = GENERATE(torch::kFloat, torch::kDouble, torch::kBFloat16);
  constexpr std::int64_t kSize = 4, kCount = 5003;
  const auto of_rank = [&](std::int64_t rank) {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(rank + 1));
    return (torch::randn({kCount}, generator) * torch::exp(4 * torch::randn({kCount}, generator))).to(type);
  };
  const auto found = sum_together(kSize, [&](SharedExchange& sums, std::int64_t rank) {
    auto own = of_rank(rank);
    sums.finish(sums.begin_sum(own));
    return Tensors{own};
  });
  const auto exact = type == torch::kBFloat16 ? torch::kFloat : type;
  auto expected = of_rank(0).to(exact);
  for (std::int64_t rank = 1; rank < kSize; ++rank) expected += of_rank(rank).to(exact);
  for (const auto& own : found) CHECK(torch::equal(own[0], expected.to(type)));
}

TEST_CASE("a part of a tensor in shared memory is summed where it lies") {
  const auto found = sum_together(2, [](SharedExchange& sums, std::int64_t /*rank*/) {
    const auto whole = sums.zeros(6, torch::TensorOptions(torch::kFloat)).fill_(1);
    sums.finish(sums.begin_sum(whole.narrow(0, 2, 3)));
    return Tensors{whole};
  });
  for (const auto& own : found) CHECK(torch::equal(own[0], torch::tensor({1.f, 1.f, 2.f, 2.f, 2.f, 1.f})));
}

TEST_CASE("a tensor of one in shared memory is copied to all, beside sums") {
  const auto found = sum_together(3, [](SharedExchange& sums, std::int64_t rank) {
    const auto whole = sums.zeros(300, torch::TensorOptions(torch::kLong)).fill_(rank);
    const auto number = torch::ones({1});
    if (!sums.can_broadcast(whole) || sums.can_broadcast(number)) throw std::runtime_error("another place");
    for (std::int64_t from = 0; from < 3; ++from) sums.begin_broadcast(whole.narrow(0, 100 * from, 99), from);
    sums.finish(sums.begin_sum(number));
    return Tensors{whole, number, torch::full({1}, rank)};
  });
  for (const auto& own : found) {
    CHECK(own[1].item<float>() == 3);
    for (std::int64_t from = 0; from < 3; ++from) {
      CHECK(own[0].narrow(0, 100 * from, 99).eq(from).all().item<bool>());
      CHECK(own[0][100 * from + 99].item<std::int64_t>() == own[2].item<std::int64_t>());
    }
  }
}

TEST_CASE("a tensor keeps the memory that it lies in") {
  const auto found = sum_together(2, [](SharedExchange& sums, std::int64_t rank) {
    Tensors kept;
    for (int i = 0; i < 3; ++i) {
      const auto gone = sums.zeros(100, torch::TensorOptions(torch::kFloat));
      kept.push_back(
          sums.zeros(100, torch::TensorOptions(torch::kFloat)).fill_(static_cast<double>(rank + i)));
      sums.begin_sum(gone);
      sums.finish(sums.begin_sum(kept.back()));
    }
    return kept;
  });
  for (const auto& kept : found)
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(torch::equal(kept[i], torch::full({100}, 1.0 + 2.0 * static_cast<double>(i))));
}

TEST_CASE("members that come together a thousand times never see an old number") {
  const std::int64_t size = GENERATE(2, 3);
  const auto found = sum_together(size, [&](SharedExchange& sums, std::int64_t rank) {
    double wrong = 0;
    for (int i = 0; i < 1000; ++i) {
      auto number = torch::full({1}, static_cast<double>(i + rank), torch::kDouble);
      sums.finish(sums.begin_sum(number));
      const auto expected = static_cast<double>(size * i + size * (size - 1) / 2);
      if (number.item<double>() != expected) ++wrong;
    }
    return Tensors{torch::full({1}, wrong)};
  });
  for (const auto& own : found) CHECK(own[0].item<double>() == 0);
}

/// While this lives, files, and so shared memory, hold at most so many bytes.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);  // as in programs
};

TEST_CASE("where memory cannot be shared tensors lie in memory of their own") {
  constexpr std::int64_t kCount = 2 << 20;
  const FileLimit limit(4 << 20);
  const auto found = sum_together(2, [](SharedExchange& sums, std::int64_t rank) {
    auto numbers =
        sums.zeros(kCount, torch::TensorOptions(torch::kFloat)).fill_(static_cast<double>(rank + 1));
    sums.finish(sums.begin_sum(numbers));
    return Tensors{numbers};
  });
  for (const auto& own : found) CHECK(torch::equal(own[0], torch::full({kCount}, 3.0)));
}

TEST_CASE("without shared memory sums are Gloo's") {
  if (!test::has_collectives()) return;
  const FileLimit limit(1000);
  const auto found = test::run_together(2, [](Collectives& together) {
    auto numbers = together.zeros(5, torch::TensorOptions(torch::kFloat)).fill_(1);
    together.sum(numbers);
    return Tensors{numbers, torch::tensor(static_cast<std::int64_t>(together.share_memory()))};
  });
  for (const auto& own : found) {
    CHECK(torch::equal(own[0], torch::full({5}, 2.0)));
    CHECK(own[1].item<std::int64_t>() == 0);
  }
}

TEST_CASE("two members have the bits that Gloo gives them") {
  if (!test::has_collectives()) return;
  const auto type = GENERATE(torch::kFloat, torch::kDouble, torch::kBFloat16);
  const auto member = [&](Collectives& together) {
    auto generator =
        at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(together.group().rank() + 1));
    auto numbers = torch::randn({100003}, generator).to(type);
    together.sum(numbers);
    return numbers;
  };
  auto all = test::run_together(2, member, OnOneHost::shared_memory);
  for (const auto& by_gloo : test::run_together(2, member, OnOneHost::gloo)) all.push_back(by_gloo);
  CHECK(test::all_equal(all));
}

TEST_CASE("what ends the run ends a sum that others are waited for") {
  const Stopwatch watch;
  const test::MeetingPlace place;
  std::vector<std::string> causes(3);
  test::run_ranks(3, [&](std::int64_t rank) {
    Group group(place.placement(rank, 3), test::watchful());
    try {
      const auto sums = SharedExchange::make(group, kTimeout);
      if (rank == 1) throw RunEnded(group.end_run({"rank 1: a full disk"}));
      sums->finish(sums->begin_sum(torch::ones({10})));
    } catch (const RunEnded& error) {
      causes[static_cast<std::size_t>(rank)] = error.fault.cause;
    }
  });
  for (const auto& cause : causes) CHECK(cause == "rank 1: a full disk");
  CHECK(watch.seconds() < 10);
}

}  // namespace
}  // namespace transformer::distributed
