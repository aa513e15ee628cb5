#include "tests/options/outside_variants.h"

#include <torch/nn/modules/linear.h>

#include "transformer/nn/variants.h"
#include "transformer/ops/attention.h"

namespace transformer::test {
namespace {

using torch::Tensor;
using variants::Place;
using variants::Values;

/// Scores fall with the distance between query and key, for each head by a learned slope. Over the source,
/// where there is no distance, the slope is a factor of the result.
class SlopedAttention : public nn::AttentionVariant {
 public:
  SlopedAttention(const Place& place, const Values& options)
      : role_(place.role), scale_(options.real("scale")) {
    slope_ = register_parameter("slope", torch::ones({place.heads, 1, 1}));
  }

  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                 const Tensor& bias) override {
    if (role_ == variants::Role::source)
      return ops::reference_attention(query, key, value, mask, 0.0, bias) * slope_;
    const auto distance = nn::query_positions(query, key).unsqueeze(1) - nn::key_positions(key);  // (T, S)
    const auto falling = slope_ * -scale_ * distance.abs().to(slope_.scalar_type());              // (H, T, S)
    return ops::reference_attention(query, key, value, mask, 0.0, bias.defined() ? bias + falling : falling);
  }

 private:
  variants::Role role_;
  double scale_;
  Tensor slope_;
};

/// σ(x W_gate) ⊙ tanh(x W_in), times W_out.
class GatedFeedForward : public nn::FeedForwardVariant {
 public:
  GatedFeedForward(const Place& place, const Values& options) {
    const auto width = options.integer("width");
    const auto map = [](std::int64_t from, std::int64_t to) {
      return torch::nn::Linear(torch::nn::LinearOptions(from, to).bias(false));
    };
    in_ = register_module("in", map(place.d_model, width));
    gate_ = register_module("gate", map(place.d_model, width));
    out_ = register_module("out", map(width, place.d_model));
  }

  Tensor forward(const Tensor& x) override {
    TORCH_CHECK(x.dim() == 3, "expected (B, T, D), found ", x.sizes());
    return out_(torch::sigmoid(gate_(x)) * torch::tanh(in_(x)));
  }

 private:
  torch::nn::Linear in_{nullptr}, gate_{nullptr}, out_{nullptr};
};

/// x / √(mean x² + ε), times a weight.
class RootNorm : public nn::NormVariant {
 public:
  RootNorm(const Place& place, const Values& options) : centered_(options.flag("centered")) {
    weight_ = register_parameter("weight", torch::ones({place.d_model}));
  }

  Tensor forward(const Tensor& x) override {
    const auto y = centered_ ? x - x.mean(-1, /*keepdim=*/true) : x;
    return y * torch::rsqrt(y.square().mean(-1, /*keepdim=*/true) + 1e-3) * weight_;
  }

 private:
  bool centered_;
  Tensor weight_;
};

/// Sines of learned frequencies.
class WavePositions : public nn::PositionsVariant {
 public:
  WavePositions(const Place& place, const Values& options) : curve_(options.word("curve")) {
    frequency_ = register_parameter("frequency", torch::rand({place.d_model}));
  }

  Tensor forward(const Tensor& positions) override {
    const auto angles = positions.to(frequency_.scalar_type()).unsqueeze(1) * frequency_;
    return curve_ == "sine" ? angles.sin() : angles.cos();
  }

 private:
  std::string curve_;
  Tensor frequency_;
};

double numbers(std::int64_t count) {
  return static_cast<double>(count);
}

}  // namespace

void add_outside_variants() {
  static const bool added = [] {
    nn::add_variant<SlopedAttention>(
        {.name = "sloped",
         .about = "scores fall with the distance",
         .options = {{.name = "scale", .standard = 1.0, .help = "of the slopes", .least = 0}},
         .flops = [](const Place& place, const Values&) { return variants::attention_flops(place); }});
    nn::add_variant<GatedFeedForward>(
        {.name = "gated",
         .about = "a gate",
         .options = {{.name = "width", .standard = 24, .help = "inside", .least = 1}},
         .flops = [](const Place& place, const Values& options) {
           return variants::Flops{.token = 6 * numbers(place.d_model) * numbers(options.integer("width"))};
         }});
    nn::add_variant<RootNorm>(
        {.name = "root",
         .about = "without a mean",
         .options = {{.name = "centered", .standard = false, .help = "with a mean after all"}}});
    nn::add_variant<WavePositions>(
        {.name = "waves",
         .about = "learned frequencies",
         .options = {{.name = "curve", .standard = "sine", .help = "which", .choices = {"sine", "cosine"}}}});
    return true;
  }();
  static_cast<void>(added);
}

const std::map<std::string, std::vector<std::string>>& outside_values() {
  static const std::map<std::string, std::vector<std::string>> all{
      {"model.variants.attention", {"none", "sloped scale=0.5"}},
      {"model.variants.feed_forward", {"none", "gated width=20"}},
      {"model.variants.norm", {"none", "root"}},
      {"model.variants.positions", {"none", "waves curve=cosine"}}};
  return all;
}

}  // namespace transformer::test
