// Two variants from outside the project: attention within a window, and RMSNorm (docs/guides/variants.md).
#include <transformer/nn/variants.h>
#include <transformer/ops/attention.h>

using namespace transformer;
using torch::Tensor;
namespace {

/// Each position attends to those that are at most `window` away; the target sees all of the source.
class LocalAttention : public nn::AttentionVariant {
 public:
  LocalAttention(const variants::Place& place, const variants::Values& options)
      : place_(place), window_(options.integer("window")) {}

  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                 const Tensor& bias) override {
    const double dropout = is_training() ? place_.attention_dropout : 0.0;
    if (place_.role == variants::Role::source)
      return ops::reference_attention(query, key, value, mask, dropout, bias);
    const auto distance = nn::query_positions(query, key).unsqueeze(1) - nn::key_positions(key);  // (T, S)
    auto allowed = distance.abs().le(window_);
    if (mask.defined()) allowed = allowed.logical_and(mask);
    return ops::reference_attention(query, key, value, allowed, dropout, bias);
  }

 private:
  variants::Place place_;
  std::int64_t window_;
};

/// x / √(mean x² + ε) · weight (Zhang and Sennrich 2019): no mean is subtracted, and there is no bias.
class RmsNorm : public nn::NormVariant {
 public:
  RmsNorm(const variants::Place& place, const variants::Values& options) : epsilon_(options.real("epsilon")) {
    weight_ = register_parameter("weight", torch::ones({place.d_model}));
  }

  Tensor forward(const Tensor& x) override {
    return x * torch::rsqrt(x.square().mean(-1, /*keepdim=*/true) + epsilon_) * weight_;
  }

 private:
  double epsilon_;
  Tensor weight_;
};

}  // namespace

TRANSFORMER_PLUGIN() {
  nn::add_variant<LocalAttention>(
      {.name = "local",
       .about = "each position attends to those near it",
       .options = {{.name = "window", .standard = 16, .help = "how far away", .least = 0}},
       .flops = [](const auto& place, const auto&) { return variants::attention_flops(place); }});
  nn::add_variant<RmsNorm>(
      {.name = "rms",
       .about = "RMSNorm",
       .options = {{.name = "epsilon", .standard = 1e-6, .help = "below the root", .least = 0}}});
}
