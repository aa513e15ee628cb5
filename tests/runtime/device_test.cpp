#include "transformer/runtime/device.h"

#include <ATen/Context.h>

#include "tests/catch.h"
#include "tests/cuda.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/nn/encoder.h"
#include "transformer/nn/init.h"
#include "transformer/nn/positional_encoding.h"
#include "transformer/ops/linear.h"
#include "transformer/runtime/exact_fp32.h"

using namespace transformer;

TEST_CASE("a device is chosen by name") {
  CHECK(runtime::choose_device("cpu").is_cpu());
  for (const auto* name :
       {"gpu", "CPU", "", "cuda:", "cuda:x", "cuda:-1", "cuda:01", "cuda:1000", "cuda: 1", "cpu:0"}) {
    CHECK_THROWS_AS(runtime::choose_device(name), InputError);
    CHECK_THROWS_WITH(runtime::choose_device(name), ContainsSubstring("expected cpu, cuda, cuda:N or auto") &&
                                                        ContainsSubstring(std::string("'") + name + "'"));
  }
}

TEST_CASE("cuda:N is that of the CUDA devices there are") {
  CHECK(runtime::choose_device("cuda:2", 3) == torch::Device(torch::kCUDA, 2));
  CHECK(runtime::choose_device("cuda:0", 1) == torch::Device(torch::kCUDA, 0));
  CHECK(runtime::choose_device("cuda", 3) == torch::Device(torch::kCUDA, 0));
  CHECK(runtime::choose_device("auto", 3) == torch::Device(torch::kCUDA, 0));
  CHECK(runtime::choose_device("auto", 0).is_cpu());
  CHECK(runtime::choose_device("cpu", 3).is_cpu());
  const auto message = [](const char* name, std::int64_t devices) {
    try {
      runtime::choose_device(name, devices);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message("cuda:3", 3) == "--device cuda:3: there are 3 CUDA devices: expected cuda:0 to cuda:2");
  CHECK(message("cuda:1", 1) == "--device cuda:1: there is 1 CUDA device: expected cuda:0");
  try {
    runtime::choose_device("cuda:0", 0, "why there is none");
    FAIL("there is none");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == "--device cuda:0: why there is none");
  }
}

TEST_CASE("processes of a machine have a CUDA device each, unless one is named") {
  const auto of = [](const std::string& name, std::int64_t local_rank, std::int64_t devices,
                     bool chosen = false) {
    return runtime::device_of_process(name, local_rank, devices, chosen);
  };
  CHECK(of("cuda", 0, 2) == "cuda:0");
  CHECK(of("auto", 1, 2) == "cuda:1");
  CHECK(of("cuda:0", 1, 2) == "cuda:0");
  for (const std::string name : {"cpu", "auto", "cuda", "fake"}) CHECK(of(name, 3, 0) == name);
  CHECK(of("cpu", 3, 2) == "cpu");
  CHECK_THROWS_AS(of("auto", 2, 2), InputError);
  CHECK_THROWS_WITH(of("auto", 2, 2),
                    "--device auto: expected at most 2 processes on this machine, one for each CUDA device, "
                    "found 3 or more (--device cuda:0 lets them share one)");
  CHECK_THROWS_WITH(of("cuda", 1, 1), ContainsSubstring("expected at most 1 process on this"));
  CHECK(of("auto", 3, 1, true) == "cuda:0");  // a launcher shows each its own
  CHECK(of("auto", 3, 2, true) == "cuda:1");
}

TEST_CASE("auto never fails, and cuda fails exactly where auto finds none") {
  if (test::has_cuda) {
    CHECK(runtime::choose_device("cuda").is_cuda());
  } else {
    CHECK(runtime::choose_device("auto").is_cpu());
    CHECK_THROWS_AS(runtime::choose_device("cuda"), InputError);
    CHECK_THROWS_WITH(runtime::choose_device("cuda"), ContainsSubstring("--device cpu"));
  }
}

TEST_CASE("TF32 can be left for a while") {
  const torch::Device cuda(torch::kCUDA, 0);
  for (const auto* name : {"tf32", "fp32"}) {
    runtime::choose_precision(name, cuda);
    {
      const runtime::ExactFp32 exact;
      CHECK(runtime::name_of_precision(torch::kFloat) == "fp32");
    }
    CHECK(runtime::name_of_precision(torch::kFloat) == name);
  }
}

TEST_CASE("a precision is chosen by name, auto by device") {
  const torch::Device cpu(torch::kCPU), cuda(torch::kCUDA, 0);
  CHECK(runtime::choose_precision("tf32", cuda) == torch::kFloat);
  CHECK(at::globalContext().allowTF32CuBLAS());
  CHECK(runtime::name_of_precision(torch::kFloat) == "tf32");
  CHECK(runtime::name_of_precision(torch::kBFloat16) == "bf16");
  CHECK(runtime::choose_precision("fp32", cuda) == torch::kFloat);
  CHECK_FALSE(at::globalContext().allowTF32CuBLAS());
  CHECK(runtime::name_of_precision(torch::kFloat) == "fp32");
  CHECK(runtime::choose_precision("bf16", cpu) == torch::kBFloat16);
  CHECK(runtime::choose_precision("auto", cpu) == torch::kFloat);
  CHECK(runtime::choose_precision("auto", cuda) == torch::kBFloat16);
  const auto sums_in_fp16 =
      at::globalContext().allowFP16ReductionCuBLAS();  // LibTorch's default: they may be
  CHECK(runtime::choose_precision("fp16", cuda) == torch::kHalf);
  CHECK_FALSE(at::globalContext().allowFP16ReductionCuBLAS() == sums_in_fp16);
  CHECK(runtime::name_of_precision(torch::kHalf) == "fp16");
  CHECK_THROWS_AS(runtime::choose_precision("fp16", cpu), InputError);
  CHECK_THROWS_WITH(runtime::choose_precision("fp16", cpu),
                    ContainsSubstring("--precision fp16") && ContainsSubstring("expected bf16"));
  CHECK_THROWS_AS(runtime::choose_precision("fp8", cpu), InputError);
  CHECK_THROWS_WITH(runtime::choose_precision("fp8", cpu),
                    ContainsSubstring("expected fp32, tf32, bf16, fp16 or auto, found 'fp8'"));
  CHECK_THROWS_AS(runtime::choose_precision("tf32", cpu), InputError);
  CHECK_THROWS_WITH(runtime::choose_precision("tf32", cpu),
                    ContainsSubstring("expected fp32 or bf16 on the CPU"));
}

TEST_CASE("a precision scope lowers products while it lives, and nests") {
  const auto a = torch::ones({2, 2});
  const auto type = [&] { return ops::linear(runtime::in_compute_type(a), a).scalar_type(); };
  CHECK(type() == torch::kFloat);
  {
    const runtime::PrecisionScope outer(torch::kBFloat16);
    CHECK(type() == torch::kBFloat16);
    {
      const runtime::PrecisionScope inner(torch::kFloat);
      CHECK(type() == torch::kFloat);
    }
    CHECK(type() == torch::kBFloat16);
  }
  CHECK(type() == torch::kFloat);
}

TEST_CASE("an encoder computes the same on CUDA as on the CPU", "[cuda]") {
  if (!test::has_cuda) {
    WARN("skipped: no CUDA device here");
    return;
  }
  torch::manual_seed(1);
  const nn::StackOptions options{.layers = 2,
                                 .attention = {.d_model = 64, .heads = 4, .d_k = 16, .d_v = 16},
                                 .feed_forward = {.d_model = 64, .d_ff = 128},
                                 .residual = {.d_model = 64, .dropout = 0.0}};
  nn::Encoder encoder(options);
  nn::PositionalEncoding positions(nn::Positions::interleaved, 64, 0);
  nn::initialize(*encoder);
  const auto x = torch::randn({3, 10, 64});
  auto mask = torch::ones({3, 1, 1, 10}, torch::kBool);
  mask[2].slice(2, 5).fill_(false);
  const auto expected = encoder(positions(x), mask);

  const auto device = runtime::choose_device("cuda");
  encoder->to(device);
  const auto on_device = encoder(positions(x.to(device)), mask.to(device));
  CHECK(test::difference(on_device.cpu(), expected) < 1e-3);  // TF32 stays off, sums differ in order
  const runtime::PrecisionScope scope(torch::kBFloat16);
  const auto half = runtime::in_compute_type(positions(x.to(device)));
  CHECK(test::difference(encoder(half, mask.to(device)).cpu(), expected) < 0.15);
}
