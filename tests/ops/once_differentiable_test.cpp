// Every autograd function of ours: what it says when its gradient is to be differentiated.
#include "transformer/ops/once_differentiable.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/nn/checks.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/feed_forward.h"
#include "transformer/ops/fused_attention.h"
#include "transformer/ops/gate.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/ops/linear.h"
#include "transformer/ops/r_drop.h"
#include "transformer/ops/residual_norm.h"
#include "transformer/ops/rotary.h"
#include "transformer/ops/scores.h"

namespace transformer::ops {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kWidth = 8;

/// A function of x, (3, 5, kWidth), for each kName in the sources.
const std::map<std::string, std::function<torch::Tensor(const torch::Tensor& x)>> functions = {
    {"ops::linear",
     [](const torch::Tensor& x) {
       return ops::linear(x.to(torch::kBFloat16), torch::ones({4, kWidth}));
     }},
    {"ops::dropout", [](const torch::Tensor& x) { return ops::dropout(x, 0.5, /*training=*/true); }},
    {"ops::feed_forward",
     [](const torch::Tensor& x) {
       return ops::feed_forward(x, torch::ones({6, kWidth}), torch::ones({6}), torch::ones({kWidth, 6}),
                                torch::ones({kWidth}));
     }},
    {"ops::additive_scores",
     [](const torch::Tensor& x) {
       const auto head = x.unsqueeze(1);
       return ops::additive_scores(head, head, torch::ones({1, kWidth}));
     }},
    {"ops::gated", [](const torch::Tensor& x) { return ops::gated(x, nn::Gate::swish); }},
    {"ops::fused_attention",
     [](const torch::Tensor& x) {
       return ops::fused_self_attention(x, {}, {.heads = 1, .d_k = 2, .d_v = 4});
     }},
    {"ops::residual_norm",
     [](const torch::Tensor& x) {
       return ops::residual_norm(x, x * x, torch::ones({kWidth}), torch::zeros({kWidth}), 1e-5,
                                 /*dropout=*/0.1);
     }},
    {"ops::rotate",
     [](const torch::Tensor& x) { return ops::rotate(x, ops::rotation_at(torch::arange(5), 4), 2); }},
    {"ops::projected_loss",
     [](const torch::Tensor& x) {
       return projected_loss(x.flatten(0, 1), torch::eye(kWidth), torch::arange(15) % kWidth, 0.1).smoothed;
     }},
    {"ops::projected_r_drop_loss",
     [](const torch::Tensor& x) {
       const auto rows = x.flatten(0, 1);
       return projected_r_drop_loss(rows, rows * 2, torch::eye(kWidth), torch::arange(15) % kWidth, 0.1, 5.0)
           .smoothed;
     }},
};

/// Those of other devices are tried in tests/fake_device.
const std::set<std::string> on_devices{"ops::device_attention", "ops::dropout on a device",
                                       "ops::residual_norm by own kernels", "ops::residual_norm on a device"};

torch::Tensor leaf() {
  torch::manual_seed(1);
  return torch::randn({3, 5, kWidth}).requires_grad_();
}

/// The gradient of a number that a function makes of h, to be differentiated again.
torch::Tensor gradient(const std::function<torch::Tensor(const torch::Tensor&)>& function,
                       const torch::Tensor& h, const torch::Tensor& by, bool again) {
  torch::manual_seed(2);  // dropout's mask
  return torch::autograd::grad({function(h).to(torch::kDouble).square().sum()}, {by}, {},
                               /*retain_graph=*/again, /*create_graph=*/again)[0];
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("every autograd function is tried here") {
  const std::regex base(R"re(\bOnceDifferentiable<\w+> \{)re"), name(R"re(\bkName = "([^"]+)";)re"),
      other(R"re(\bautograd::Function<)re");
  std::set<std::string> found;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(TRANSFORMER_SOURCE_DIR) / "transformer")) {
    if (!entry.is_regular_file() || entry.path().stem() == "once_differentiable") continue;
    INFO(entry.path().string());
    const auto text = text_of(entry.path());
    CHECK_FALSE(std::regex_search(text, other));  // all have that base
    const std::sregex_iterator classes(text.begin(), text.end(), base), names(text.begin(), text.end(), name),
        end;
    CHECK(std::distance(classes, end) == std::distance(names, end));
    for (auto match = names; match != end; ++match) CHECK(found.insert((*match)[1]).second);
  }
  auto tried = on_devices;
  for (const auto& [function, ignored] : functions) tried.insert(function);
  CHECK(found == tried);
}

TEST_CASE("a second derivative is refused by name, a first one with create_graph is not") {
  for (const auto& [name, function] : functions) {
    INFO(name);
    const auto refused = ContainsSubstring(name + ": the second derivative");
    const auto x = leaf();
    const auto first = gradient(function, x, x, /*again=*/true);
    CHECK(torch::equal(first, gradient(function, x, x, /*again=*/false)));
    REQUIRE(first.requires_grad());
    CHECK_THROWS_WITH(torch::autograd::grad({first.sum()}, {x}, {}, /*retain_graph=*/true), refused);
    CHECK_THROWS_WITH(torch::autograd::grad({first.sum()}, {x}, {}, /*retain_graph=*/true,
                                            /*create_graph=*/false, /*allow_unused=*/true),
                      refused);
    CHECK_THROWS_WITH(first.sum().backward(), refused);
    CHECK_FALSE(x.grad().defined());
  }
}

TEST_CASE("a second derivative that leads past the function besides is refused as well") {
  for (const auto& [name, function] : functions) {
    INFO(name);
    // d(function(h))/dx with h = x * w depends on w through h and through the product alone: the latter is
    // known, and would be the whole result if nobody refused.
    const auto x = leaf(), w = torch::full({kWidth}, 0.5).requires_grad_();
    const auto first = gradient(function, x * w, x, /*again=*/true);
    CHECK_THROWS_WITH(torch::autograd::grad({first.sum()}, {w}), ContainsSubstring(name + ": the second"));
  }
}

}  // namespace transformer::ops
