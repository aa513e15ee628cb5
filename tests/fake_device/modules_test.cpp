// Every model computes on another device what it computes on the CPU.
#include <torch/autograd.h>

#include <numeric>

#include "tests/catch.h"
#include "tests/fake_device/tested_device.h"
#include "tests/options/model_variants.h"
#include "tests/options/steady.h"
#include "tests/translation/toy_model.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/device_choices.h"

using namespace transformer;

namespace {

constexpr std::int64_t kVocabulary = 60;

/// No weight keeps a value, such as zero, that would hide its part.
models::EncoderDecoder random_model(const models::ModelOptions& options) {
  torch::manual_seed(5);
  models::EncoderDecoder model(options, models::VocabularySizes{kVocabulary, kVocabulary});
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters()) parameter.add_(0.1 * torch::randn_like(parameter));
  model->eval();
  return test::steady(model);
}

/// Sentences of these lengths, behind each other.
models::Packed packed(const std::vector<std::int64_t>& lengths, const torch::Device& device) {
  torch::manual_seed(3);
  std::vector<std::int64_t> offsets{0}, places;
  for (const auto length : lengths) {
    offsets.push_back(offsets.back() + length);
    for (std::int64_t i = 0; i < length; ++i) places.push_back(i);
  }
  const auto host = torch::tensor(offsets);
  return {torch::randint(4, kVocabulary, {offsets.back()}, torch::kLong).to(device),
          {.offsets = host,
           .device_offsets = host.to(torch::kInt).to(device),
           .places = torch::tensor(places).to(device),
           .longest = *std::ranges::max_element(lengths)}};
}

/// Losses, then the gradients of all parameters, on the CPU in double precision.
using Numbers = std::vector<torch::Tensor>;

/// Training's forward and backward pass. longest: tokens of the first source; the others are short.
Numbers of_packed(models::EncoderDecoder& model, torch::ScalarType precision, std::int64_t longest = 7) {
  const runtime::PrecisionScope scope(precision);
  const auto device = model->device();
  const auto states =
      model->decode(packed({5, 8, 1}, device), model->encode(packed({longest, 4, 2}, device)));
  const auto loss = ops::projected_loss(states.rows, model->output_weight(), packed({5, 8, 1}, device).rows,
                                        0.1, model->output_bias);
  Numbers numbers{loss.smoothed, loss.nll};
  for (auto& gradient : torch::autograd::grad({loss.smoothed}, test::learned_tensors(model)))
    numbers.push_back(std::move(gradient));
  for (auto& x : numbers) x = x.detach().cpu().to(torch::kDouble);
  return numbers;
}

/// The forward and backward pass of padded sentences, as an evaluation may take them.
Numbers of_padded(models::EncoderDecoder& model, torch::ScalarType precision) {
  const runtime::PrecisionScope scope(precision);
  const auto source = test::random_sources(3, {7, 4}, kVocabulary).to(model->device());
  const auto target = test::random_sources(4, {5, 8}, kVocabulary).to(model->device());
  const auto logits = model->forward(source, target).to(torch::kFloat);
  torch::manual_seed(9);
  const auto weights = torch::randn(logits.sizes()).to(model->device());
  Numbers numbers{logits};
  for (auto& gradient : torch::autograd::grad({(logits * weights).sum()}, test::learned_tensors(model)))
    numbers.push_back(std::move(gradient));
  for (auto& x : numbers) x = x.detach().cpu().to(torch::kDouble);
  return numbers;
}

/// Root mean square.
double size_of(const torch::Tensor& x) {
  return x.square().mean().sqrt().item<double>();
}

/// Root mean square of the differences.
double distance(const torch::Tensor& a, const torch::Tensor& b) {
  return size_of(a - b);
}

std::vector<test::ModelVariant> all_variants() {
  auto all = test::single_variants();
  for (auto& pair : test::pairwise_outside_variants()) all.push_back(std::move(pair));
  return all;
}

template <typename Compute>
void check_fp32(Compute&& compute) {
  for (auto [name, options] : all_variants()) {
    INFO(name);
    auto model = random_model(options);
    const auto here = compute(model, torch::kFloat);
    runtime::move_to(*model, test::tested_device());
    const auto there = compute(model, torch::kFloat);
    double largest = 0;
    for (std::size_t i = 1; i < here.size(); ++i) largest = std::max(largest, size_of(here[i]));
    REQUIRE(there.size() == here.size());
    for (std::size_t i = 0; i < here.size(); ++i)
      CHECK(distance(there[i], here[i]) < 1e-5 * std::max(size_of(here[i]), 0.1 * largest));
  }
}

}  // namespace

TEST_CASE("every model trains on the device as on the CPU", "[device]") {
  check_fp32([](auto& model, torch::ScalarType precision) { return of_packed(model, precision); });
}

TEST_CASE("every model computes padded sentences on the device as on the CPU", "[device]") {
  check_fp32(of_padded);
}

double mean(const std::vector<double>& numbers) {
  return std::reduce(numbers.begin(), numbers.end()) / static_cast<double>(numbers.size());
}

/// The middle number; of an even count, the upper one of the middle two.
double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

/// While it lives, so many positions count as short.
class ShortAttention {
 public:
  explicit ShortAttention(std::int64_t positions) { runtime::device_choices().short_attention = positions; }
  ~ShortAttention() { runtime::device_choices() = before_; }
  ShortAttention(const ShortAttention&) = delete;
  ShortAttention& operator=(const ShortAttention&) = delete;

 private:
  runtime::DeviceChoices before_ = runtime::device_choices();
};

TEST_CASE("bf16 is as near to fp32 on the device as on the CPU, for every model, and fp16 is nearer",
          "[device]") {
  // The longer ones, of 35 positions on average, go through FlashAttention in bf16.
  const auto [longest, own_kernels] =
      GENERATE(std::pair{std::int64_t{7}, false}, std::pair{std::int64_t{99}, false},
               std::pair{std::int64_t{7}, true});
  const ShortAttention short_attention(30);
  runtime::device_choices().own_kernels = own_kernels;
  // A real device rounds its own way, and long sentences are more sums.
  const bool usual = longest == 7 && !test::tested_device().is_cuda();
  std::vector<double> errors_here, errors_there, errors_fp16;
  for (const auto& [name, options] : all_variants()) {
    if (models::longest_sequence(options).value_or(longest) < longest) continue;
    INFO(name);
    auto model = random_model(options);
    const auto exact = of_packed(model, torch::kFloat, longest),
               here = of_packed(model, torch::kBFloat16, longest);
    runtime::move_to(*model, test::tested_device());
    const auto there = of_packed(model, torch::kBFloat16, longest),
               fp16 = of_packed(model, torch::kHalf, longest);
    const auto loss_error = [&](const Numbers& found) {
      return std::abs(found[0].item<double>() / exact[0].item<double>() - 1);
    };
    CHECK(loss_error(there) < (usual ? 2e-3 : 0x1p-8));  // or bf16's precision
    CHECK(loss_error(fp16) < 0x1p-11);
    // All gradients together: what rounding does to one of them is chance. So is a ReLU that it flips, in
    // fp16 rarely, but where it does no less than in bf16: of the tiny model on an H200 the one unit makes
    // 8.5 %. So there the limit is one for both, and which is nearer shows in the middle of all models.
    const auto error = [&](const Numbers& found) {
      double square = 0, size = 0;
      for (std::size_t i = 2; i < exact.size(); ++i) {
        square += (found[i] - exact[i]).square().sum().item<double>();
        size += exact[i].square().sum().item<double>();
      }
      return std::sqrt(square / size);
    };
    errors_here.push_back(error(here));
    errors_there.push_back(error(there));
    errors_fp16.push_back(error(fp16));
    if (own_kernels) continue;  // they flip other units: of 147 models one has 18 %, and all in the mean less
    CHECK(errors_there.back() < 0.15);
    CHECK(errors_fp16.back() < (usual ? 0.05 : 0.15));
  }
  REQUIRE(errors_there.size() > 20);
  const double here = mean(errors_here), there = mean(errors_there), middle = median(errors_there),
               fp16 = median(errors_fp16);
  INFO(here << " and " << there << ", in the middle " << middle << ", in fp16 " << fp16);
  CHECK(there < 1.3 * here);
  CHECK(fp16 < 0.3 * middle);  // three bits more
  if (usual) CHECK(mean(errors_fp16) < 0.3 * there);
}
