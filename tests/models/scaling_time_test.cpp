#include "transformer/models/scaling_time.h"

#include "tests/catch.h"

using namespace transformer::models;

namespace {

/// A part takes so many seconds as it has millions of FLOPs: memory and host are as fast as can be.
constexpr Device kCounting{.flops_per_second = 1e6, .bytes_per_second = 1e30, .launch_seconds = 1e-30};

/// Feed-forward layers of 360 012 numbers (2 · 4 · 40 000 + 40 000 + 4, and 8 of the norm), all else small.
const ModelOptions kWide{
    .encoder_layers = 1, .decoder_layers = 1, .d_model = 4, .d_ff = 40000, .heads = 1, .d_k = 4, .d_v = 4};
constexpr VocabularySizes kWords{100, 100};
constexpr UpdateShape kShape{.tokens = 60, .length = 10, .micro_batches = 1, .element = 4};
constexpr double kFirst = 4 * 360'012;                      // the decoder's feed-forward layer
constexpr double kSecond = 4 * (360'012 + 3 * 72.0 + 400);  // the encoder's, three attentions, the embedding

ScaledUpdate two_devices(const Device& device, const Network& network) {
  return predict_scaled_update(kWide, kWords, kShape, {.devices = 2, .device = device, .network = network});
}

}  // namespace

TEST_CASE("a ring takes 2 (N - 1) steps, each of an N-th of the bytes") {
  const Network network{.bytes_per_second = 50e9, .latency_seconds = 5e-6};
  CHECK(ring_seconds(1e9, 8, network) == Approx(0.035 + 70e-6));  // 1.75 GB, 14 steps
  CHECK(ring_seconds(1e9, 2, network) == Approx(0.020 + 10e-6));
  CHECK(ring_seconds(0, 512, network) == Approx(5110e-6));
  CHECK(ring_seconds(1e9, 1, network) == 0);
}

TEST_CASE("buckets are filled from the last tensor on, the first up to 1 MiB, others up to 25") {
  const std::vector<TensorInfo> tensors{{.shape = {1'000}, .step = 0},     {.shape = {7'000'000}, .step = 0},
                                        {.shape = {6'000'000}, .step = 1}, {.shape = {553'599}, .step = 1},
                                        {.shape = {162'144}, .step = 2},   {.shape = {100'000}, .step = 2}};
  const auto buckets = gradient_buckets(tensors);
  REQUIRE(buckets.size() == 3);
  CHECK(buckets[0].numbers == 262'144);  // 1 MiB
  CHECK(buckets[0].step == 2);
  CHECK(buckets[1].numbers == 13'553'599);  // one number less than 25 MiB, and the next tensor
  CHECK(buckets[1].step == 0);
  CHECK(buckets[2].numbers == 1'000);
  CHECK(buckets[2].step == 0);
}

TEST_CASE("a bucket is of the first step that any of its tensors is of") {
  const auto buckets =
      gradient_buckets({{.shape = {9}, .step = 7}, {.shape = {9}, .step = 0}, {.shape = {9}, .step = 3}});
  REQUIRE(buckets.size() == 1);
  CHECK(buckets[0].step == 0);
}

TEST_CASE("a bucket waits for its gradients and for the bucket before it") {
  const std::vector<Bucket> buckets{
      {.numbers = 100e6, .step = 2}, {.numbers = 50e6, .step = 1}, {.numbers = 25e6, .step = 0}};
  const std::vector<double> completed{5, 1.2, 1};
  Network network{.bytes_per_second = 1e9, .latency_seconds = 0.01};
  const std::vector<Bucket> two(buckets.begin(), buckets.end() - 1);
  // 1.5 · 0.4 + 0.06, 1.5 · 0.2 + 0.06
  CHECK(communication_end(two, completed, 4, network) == Approx(1 + 0.66 + 0.36));
  CHECK(communication_end(buckets, completed, 4, network) == Approx(5 + 0.21));
  network.number_bytes = 2;
  CHECK(communication_end(two, completed, 4, network) == Approx(1 + 0.36 + 0.21));
}

TEST_CASE("what is sent during the backward pass is hidden, what is sent after it exposed") {
  // 30 tokens on each device. Millions of operations, forward:
  // * an attention: 2 · 30 · 64 + 2 · 30 · 10 · 8 = 0.00864.
  // * a feed-forward layer: 2 · 30 · 320 000 = 19.2.
  // * the output: 2 · 30 · 400 = 0.024.
  //
  // Backward has twice as many.
  const double forward = 2 * 19.2 + 3 * 0.00864 + 0.024, first_ready = 2 * (0.024 + 19.2);
  SECTION("a network that waits for the second bucket") {
    const auto update = two_devices(kCounting, {.bytes_per_second = kFirst / 10, .latency_seconds = 0.5});
    CHECK(update.computing.seconds() == Approx(3 * forward));
    CHECK(update.share.buckets == 2);
    CHECK(update.bytes == kFirst + kSecond);
    CHECK(update.hidden_seconds() == Approx(11));
    CHECK(update.exposed_seconds == Approx(10 * kSecond / kFirst + 1));
    CHECK(update.seconds() == Approx(3 * forward + 10 * kSecond / kFirst + 1));
    CHECK(update.efficiency == Approx(6 * forward / (2 * update.seconds())));
    CHECK(update.speed_up() == Approx(6 * forward / update.seconds()));
  }
  SECTION("a network for which the second bucket waits") {
    const auto update = two_devices(kCounting, {.bytes_per_second = kFirst / 100, .latency_seconds = 0.5});
    CHECK(update.hidden_seconds() == Approx(2 * forward - first_ready));
    CHECK(update.exposed_seconds == Approx(first_ready + 101 + 100 * kSecond / kFirst + 1 - 2 * forward));
  }
  SECTION("half as many bytes in bf16") {
    const auto update =
        two_devices(kCounting, {.bytes_per_second = kFirst / 10, .latency_seconds = 0.5, .number_bytes = 2});
    CHECK(update.bytes == (kFirst + kSecond) / 2);
    CHECK(update.hidden_seconds() == Approx(6));
    CHECK(update.exposed_seconds == Approx(5 * kSecond / kFirst + 1));
  }
}

TEST_CASE("where launches limit an update, the backward pass takes as long as its launches") {
  const Device device{.flops_per_second = 1e30, .bytes_per_second = 1e30, .launch_seconds = 1};
  const auto update = two_devices(device, {.bytes_per_second = kFirst / 99, .latency_seconds = 0.5});
  CHECK(update.launches_limit());
  // Launches of the backward pass:
  // * The output: 2 + 1.
  // * A feed-forward layer: 2 · (2 + 1), 1 of the activation, 3 of dropout and norm, 1 of the sum.
  // * An attention: 2 · 2 + 1 + 4; with separate queries 3 · 2 + 2 + 4, as the gradients of keys and values
  // are
  //   joined.
  // * An embedding: 1 + 2 + 1 + 1.
  // * Adding a tensor to its bucket: six for a layer or an attention with its norm, one for an embedding.
  const double added = 5 * 6 + 1, backward = 3 + 11 + 12 + 9 + 5 + 11 + 9 + 5 + added,
               first_ready = 3 + 11 + 6;
  CHECK(update.hidden_seconds() == Approx(backward - first_ready));
  CHECK(update.exposed_seconds == Approx(first_ready + 100 + 99 * kSecond / kFirst + 1 - backward));
  // A device alone launches as much, but for the additions and the zeros of two buckets.
  CHECK(update.speed_up() == Approx((update.computing.host_seconds - added - 2) / update.seconds()));
}

TEST_CASE("devices share an update's tokens, and with them its micro-batches") {
  const ModelOptions base;
  const VocabularySizes words{37000, 37000};
  const UpdateShape shape{.tokens = 25000, .micro_batches = 7};
  const Device device{.flops_per_second = 650e12, .bytes_per_second = 3350e9, .launch_seconds = 5e-6};
  const Network network{.bytes_per_second = 50e9, .latency_seconds = 5e-6};
  const auto on = [&](double devices) {
    return predict_scaled_update(base, words, shape,
                                 {.devices = devices, .device = device, .network = network});
  };
  const auto one = on(1), two = on(2), eight = on(8);
  CHECK(one.seconds() == predict_update(base, words, shape, device).seconds());
  CHECK(one.communication_seconds == 0);
  CHECK(one.exposed_seconds == 0);
  CHECK(one.efficiency == 1);
  CHECK(one.share.buckets == 0);
  CHECK(two.share.tokens == 12500);
  CHECK(two.share.micro_batches == 4);
  CHECK(eight.share.tokens == 3125);
  CHECK(eight.share.micro_batches == 1);
  CHECK(eight.computing.seconds() ==
        predict_update(base, words, {.tokens = 3125, .micro_batches = 1, .buckets = 8}, device).seconds());
  CHECK(eight.bytes == 4.0 * 63'045'632);  // Table 3's base with 37 000 words
}
