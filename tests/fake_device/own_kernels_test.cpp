// Own kernels of GPUs compute what they stand for, on the fake device by the CPU's compiler.
#include <limits>

#include "tests/catch.h"
#include "tests/fake_device/own_kernels.h"
#include "tests/fake_device/tested_device.h"
#include "transformer/gpu/kernel.h"
#include "transformer/ops/device_relu.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/ops/residual_norm.h"
#include "transformer/ops/softmax_loss.h"
#include "transformer/runtime/device_choices.h"

using namespace transformer;
using test::check_near;
using test::precision_of;
using test::WithoutOwnKernels;

TEST_CASE("the kernel of a softmax's loss computes its definition", "[device]") {
  const auto device = test::tested_device();
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16, torch::kHalf);
  const std::int64_t width = GENERATE(1, 7, 8, 511, 4096, 5000);
  const bool gradient = GENERATE(false, true);
  INFO(type << ", " << width << " words");
  torch::manual_seed(3);
  const auto given = (torch::randn({5, width}) * 6).to(type);
  auto labels = torch::arange(5) * 997 % width;
  labels[2] = -1;  // nobody asks
  auto logits = given.to(device), defined = given.to(torch::kDouble);
  const auto found = ops::softmax_loss(logits, labels.to(device), 0.9, gradient);
  const auto expected = ops::reference_softmax_loss(defined, labels, 0.9, gradient);
  check_near(found.nll, expected.nll, 2e-6, 2e-6);
  check_near(found.logsumexp, expected.logsumexp, 2e-6, 2e-6);
  CHECK(found.nll[2].item<float>() == 0);
  if (gradient) {
    check_near(logits, defined, precision_of(type), 1e-7);
    CHECK(logits[2].abs().max().item<float>() == 0);
  } else {
    CHECK(torch::equal(logits.cpu(), given));
  }
}

TEST_CASE("logits without bounds give what LibTorch's operations give", "[device]") {
  const auto device = test::tested_device();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  auto given = torch::zeros({5, 16});
  given[0].fill_(-infinity)[3] = 2;           // one word is left
  given[1].narrow(0, 0, 9).fill_(-infinity);  // a thread sees nothing but those
  given[2][5] = infinity;
  given[3][5] = std::numeric_limits<float>::quiet_NaN();
  given[4].fill_(-infinity);
  const auto labels = torch::tensor({3, 12, 1, 1, 1}, torch::kLong);
  auto logits = given.to(device), defined = given.clone();
  const auto found = ops::softmax_loss(logits, labels.to(device), 0.9, true);
  const auto expected = ops::reference_softmax_loss(defined, labels, 0.9, true);
  check_near(found.nll.narrow(0, 0, 2), expected.nll.narrow(0, 0, 2), 1e-6, 1e-6);
  check_near(logits.narrow(0, 0, 2), defined.narrow(0, 0, 2), 1e-6, 1e-7);
  for (std::int64_t row = 2; row < 5; ++row) {
    INFO(row);
    CHECK_FALSE(std::isfinite(found.nll[row].item<float>()));
    CHECK_FALSE(torch::isfinite(logits[row]).all().item<bool>());
  }
}

TEST_CASE("a projected loss has the same numbers with own kernels and without", "[device]") {
  const auto device = test::tested_device();
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16, torch::kHalf);
  torch::manual_seed(4);
  const auto states = torch::randn({30, 16}).to(device, type), weight = torch::randn({40, 16}).to(device),
             labels = (torch::arange(27) * 7 % 40).to(device);
  const auto numbers = [&] {
    const auto x = states.detach().requires_grad_(), w = weight.detach().requires_grad_();
    const auto loss = ops::projected_loss(x, w, labels, 0.1);
    loss.smoothed.backward();
    return std::vector<torch::Tensor>{loss.smoothed.detach(), loss.nll, x.grad(), w.grad()};
  };
  const auto found = numbers();
  const WithoutOwnKernels off;
  const auto expected = numbers();
  for (std::size_t i = 0; i < found.size(); ++i) check_near(found[i], expected[i], precision_of(type), 2e-3);
}

namespace {

/// Three sentences of examples 40, 7 and 12, and rows that fill the batch, on the CPU and on the device.
struct Rows {
  ops::Sequences here, there;
  std::vector<std::int64_t> examples{40, 7, 12};

  explicit Rows(const torch::Device& device) {
    here.offsets = torch::tensor({0, 4, 5, 12}, torch::kLong);
    here.places = torch::tensor({0, 1, 2, 3, 0, 0, 1, 2, 3, 4, 5, 6}, torch::kLong);
    there.offsets = torch::tensor({0, 4, 5, 12, 14}, torch::kLong);
    there.places = torch::cat({here.places, torch::tensor({0, 1}, torch::kLong)}).to(device);
    there.examples =
        torch::tensor({40, 40, 40, 40, 7, 12, 12, 12, 12, 12, 12, 12, -1, -1}, torch::kLong).to(device);
  }
  std::int64_t own() const { return here.rows(); }
};

/// body(rows of x) in a scope of its own, on the CPU or on the device.
template <typename Body>
auto in_scope(const Rows& rows, bool on_cpu, Body&& body) {
  const ops::DropoutScope scope(5, 3, rows.examples);
  const ops::PackedRows packed(on_cpu ? rows.here : rows.there);
  return body();
}

/// The rows of the sentences alone, of numbers on the CPU, and all of them on the device.
torch::Tensor place(const Rows& rows, const torch::Tensor& x, bool on_cpu, const torch::Device& device) {
  return (on_cpu ? x.narrow(0, 0, rows.own()) : x.to(device)).detach().requires_grad_();
}

}  // namespace

TEST_CASE("a device's rows have the CPU's masks of dropout, in both passes", "[device]") {
  const auto device = test::tested_device();
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16, torch::kHalf);
  const std::int64_t width = GENERATE(1, 24, 300);
  INFO(type << ", " << width);
  const Rows rows(device);
  torch::manual_seed(2);
  const auto given = torch::randn({rows.own() + 2, width});
  const auto dropped = [&](bool on_cpu) {
    // The CPU has no kernel for fp16.
    const auto x =
        place(rows, given.to(on_cpu && type == torch::kHalf ? torch::kFloat : type), on_cpu, device);
    const auto ys = in_scope(rows, on_cpu, [&] {
      return std::vector<torch::Tensor>{ops::dropout(x, 0.4, true), ops::dropout(x, 0.4, true)};
    });
    (ys[0] + ys[1] * 3).sum().backward();
    return std::vector<torch::Tensor>{ys[0].detach(), ys[1].detach(), x.grad()};
  };
  const auto expected = dropped(true), found = dropped(false);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto own = found[i].cpu().narrow(0, 0, rows.own());
    CHECK(torch::equal(own == 0, expected[i] == 0));
    check_near(own, expected[i], type == torch::kFloat ? 0 : precision_of(type), 0);
  }
  if (width > 1) CHECK_FALSE(torch::equal(expected[0], expected[1]));
}

TEST_CASE("residual, dropout and norm, and their gradients, are the CPU's", "[device]") {
  const auto device = test::tested_device();
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16);
  const std::int64_t width = GENERATE(24, 130, 300);
  const double p = GENERATE(0.0, 0.3);
  INFO(type << ", " << width << ", dropout " << p);
  const Rows rows(device);
  torch::manual_seed(2);
  const auto x0 = torch::randn({rows.own() + 2, width}).to(type),
             z0 = torch::randn({rows.own() + 2, width}).to(type);
  const auto w0 = torch::rand({width}) + 0.5, b0 = torch::randn({width});
  const auto weights = torch::randn({rows.own(), width});
  const auto numbers = [&](bool on_cpu) {
    const auto x = place(rows, x0, on_cpu, device), z = place(rows, z0, on_cpu, device);
    const auto w = w0.to(on_cpu ? torch::kCPU : device).detach().requires_grad_(),
               b = b0.to(w.device()).detach().requires_grad_();
    const auto y = in_scope(rows, on_cpu, [&] { return ops::residual_norm(x, z, w, b, 1e-5, p); });
    const auto own = y.narrow(0, 0, rows.own());
    (own.to(torch::kFloat) * weights.to(w.device())).sum().backward();
    return std::vector<torch::Tensor>{own.detach(), x.grad().narrow(0, 0, rows.own()),
                                      z.grad().narrow(0, 0, rows.own()), w.grad(), b.grad()};
  };
  const auto expected = numbers(true), found = numbers(false);
  const double near = type == torch::kFloat ? 2e-5 : 2e-2;
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO(i);
    CHECK(found[i].scalar_type() == expected[i].scalar_type());
    check_near(found[i], expected[i], near, near);
  }
}

TEST_CASE("rows of which nobody knows the example are LibTorch's to drop", "[device]") {
  const auto device = test::tested_device();
  const Rows rows(device);
  const auto x = torch::ones({rows.own() + 2, 400}).to(device);
  const auto share = [&](const torch::Tensor& y) {
    CHECK(((y == 0) | ((y - 2).abs() < 1e-6)).all().item<bool>());
    return (y == 0).to(torch::kFloat).mean().item<double>();
  };
  CHECK(share(ops::dropout(x, 0.5, true)) == Approx(0.5).margin(0.05));
  const auto other = torch::ones({3, 7, 400}).to(device);
  CHECK(share(in_scope(rows, false, [&] { return ops::dropout(other, 0.5, true); })) ==
        Approx(0.5).margin(0.05));
  CHECK(share(in_scope(rows, false, [&] { return ops::dropout(x, 0.5, true); })) == Approx(0.5).margin(0.05));
}

TEST_CASE("kernels that do not compile or do not agree are not used") {
  const auto device = test::tested_device();
  const auto yes = [](const gpu::Kernels& /*kernels*/) { return true; };
  const std::string text = "text";
  CHECK_THROWS_WITH(gpu::Kernels({"unknown", text}, device),
                    "NVRTC does not compile unknown for sm_90: unknown.h(1): error: no such kernels");
  CHECK(gpu::usable_kernels({"unknown", text}, device, yes) == nullptr);
  int asked = 0;
  const auto no = [&](const gpu::Kernels& /*kernels*/) { return ++asked < 0; };
  CHECK(gpu::usable_kernels({"cross", text}, device, no) == nullptr);
  CHECK(gpu::usable_kernels({"cross", text}, device, no) == nullptr);
  CHECK(asked == 1);  // once for a device
  CHECK(gpu::usable_kernels({"cross_entropy", text}, torch::kCPU, yes) == nullptr);
  const WithoutOwnKernels off;
  CHECK(gpu::usable_kernels({"cross_entropy", text}, device, yes) == nullptr);
}

TEST_CASE("what has no functions of NVRTC and CUDA is told") {
  CHECK(gpu::load_driver("/nowhere/libcuda.so").problem.find("/nowhere/libcuda.so") != std::string::npos);
  CHECK(gpu::load_driver("libm.so.6").problem ==
        "libm.so.6: expected the functions of NVRTC and CUDA, found no nvrtcCreateProgram");
}

TEST_CASE("the kernel of a ReLU's gradient has its zeros, and the bias's gradient", "[device]") {
  const auto device = test::tested_device();
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16, torch::kHalf);
  const std::int64_t rows = GENERATE(1, 64, 150), width = GENERATE(3, 8, 520);
  INFO(type << ", " << rows << " rows, " << width << " columns");
  torch::manual_seed(4);
  auto output = torch::randn({rows, width}).clamp_min(0).to(type);
  output[0][0] = std::numeric_limits<float>::quiet_NaN();  // lets its gradient through, as in LibTorch
  const auto given = torch::randn({rows, width}).to(type), expected = given.masked_fill(output.le(0), 0);
  const auto gradient = given.to(device);
  const auto sums = ops::device_relu_gradient(gradient, output.to(device));
  CHECK(torch::equal(gradient.cpu(), expected));
  CHECK(sums.scalar_type() == torch::kFloat);
  check_near(sums, expected.to(torch::kDouble).sum(0), 1e-5, 1e-5);
}
