// The fake device refuses what a GPU would, and counts.
#include "tests/fake_device/fake_device.h"

#include <sys/wait.h>
#include <torch/types.h>
#include <torch/version.h>
#include <unistd.h>

#include <csignal>

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/memory.h"

using namespace transformer;
using test::fake_device::counts;
using test::fake_device::device;

TEST_CASE("it computes what the CPU does, with gradients") {
  torch::manual_seed(1);
  const auto a = torch::randn({3, 4}), b = torch::randn({4, 2});
  const auto there = a.to(device()).requires_grad_();
  const auto product = there.mm(b.to(device())).relu();
  CHECK(product.device() == device());
  CHECK(torch::equal(product.cpu(), a.mm(b).relu()));
  product.sum().backward();
  const auto here = a.clone().requires_grad_();
  here.mm(b).relu().sum().backward();
  CHECK(torch::equal(there.grad().cpu(), here.grad()));
}

TEST_CASE("it is chosen by the name that it has, and by the one that it gives itself") {
  const auto name = runtime::choose_device("fake").str();
  CHECK(name == "fake:0");
  CHECK(runtime::choose_device(name) == runtime::choose_device("fake"));
  CHECK_THROWS_AS(runtime::choose_device("fake:1"), InputError);
}

TEST_CASE("tensors of two devices do not meet, but for single numbers") {
  const auto a = torch::ones({2, 2}, device());
  CHECK_THROWS_WITH(a.mm(torch::ones({2, 2})), ContainsSubstring("a tensor on the CPU"));
  CHECK_THROWS_WITH(torch::cat({a, torch::ones({2, 2})}), ContainsSubstring("a tensor on the CPU"));
  CHECK(torch::equal((a * torch::full({}, 3.0)).cpu(), torch::full({2, 2}, 3.0)));
}

TEST_CASE("what CUDA's operations do not take of half types is refused") {
  const auto x = torch::randn({2, 8}).to(torch::kBFloat16).to(device());
  const auto weight = torch::ones({8}, device());
  CHECK_THROWS_WITH(torch::layer_norm(x, {8}, weight, weight), ContainsSubstring("with weights of Float"));
  CHECK(torch::layer_norm(x, {8}, weight.to(x), weight.to(x)).scalar_type() == torch::kBFloat16);
  CHECK_THROWS(at::_log_softmax(x, 1, /*half_to_float=*/true));
}

TEST_CASE("its memory cannot be read by the host") {
  const auto a = torch::ones({2}, device());
  const auto* memory = a.const_data_ptr<float>();
  const auto child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);  // without the test framework's report
    _exit(*static_cast<const volatile float*>(memory) == 1.0F ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
#if defined(__SANITIZE_ADDRESS__)
  CHECK((WIFSIGNALED(status) || WEXITSTATUS(status) > 1));
#else
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV));
#endif
}

TEST_CASE("launches, copies, reads and waits are counted") {
  const auto host = torch::ones({4});
  test::fake_device::reset();
  const auto a = host.to(device()), b = host.to(device(), /*non_blocking=*/true);
  const auto sum = (a + b).sum();
  CHECK(counts().to_device == 2);
  CHECK(counts().waits == 1);
  CHECK(counts().launches == 2);
  CHECK(counts().operations.at("aten::add.out") == 1);
  CHECK(sum.item<float>() == 8.0F);
  CHECK(counts().reads == 1);
  CHECK(counts().waits == 2);
  CHECK(torch::equal(a.cpu(), host));
  CHECK(counts().to_host == 1);
  CHECK(counts().waits == 3);
  CHECK_THAT(counts().table(), ContainsSubstring("aten::sum"));
}

TEST_CASE("programs choose it by its name") {
  CHECK(runtime::choose_device("fake") == device());
  CHECK(runtime::choose_precision("auto", device()) == torch::kFloat);
}

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 10
TEST_CASE("its memory is counted, and ends as CUDA's does") {
  const auto before = test::fake_device::memory_use();
  runtime::release_kept_memory(device());
  CHECK(test::fake_device::memory_use().released == before.released + 1);
  CHECK(runtime::peak_memory(device()) == static_cast<double>(before.in_use));
  {
    const auto megabyte = torch::empty({1 << 20}, torch::dtype(torch::kByte).device(device()));
    CHECK(test::fake_device::memory_use().in_use == before.in_use + (1 << 20));
    CHECK(runtime::free_memory(device()) == before.capacity - before.in_use - (1 << 20));
    test::fake_device::set_capacity(before.in_use + (3 << 20));
    const auto refused = torch::dtype(torch::kByte).device(device());
    CHECK_NOTHROW(torch::empty({2 << 20}, refused));
    try {
      torch::empty({(2 << 20) + 1}, refused);
      FAIL("more than there is");
    } catch (const c10::Error& error) {
      CHECK(runtime::is_out_of_memory(error));
    }
    test::fake_device::set_capacity(before.capacity);
  }
  CHECK(test::fake_device::memory_use().in_use == before.in_use);
  CHECK(runtime::peak_memory(device()) == static_cast<double>(before.in_use + (3 << 20)));
}
#endif

TEST_CASE("of the CPU's memory it is not told what is free") {
  CHECK_FALSE(runtime::free_memory(torch::kCPU));
  runtime::release_kept_memory(torch::kCPU);
}
