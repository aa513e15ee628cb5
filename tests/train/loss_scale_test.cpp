#include "transformer/train/loss_scale.h"

#include <cmath>

#include "tests/catch.h"

namespace transformer::train {
namespace {

TEST_CASE("the loss scale doubles after 2000 good updates in a row") {
  LossScale scale;
  CHECK(scale.value == 65536);
  for (int i = 1; i < 2000; ++i) scale.grow();
  CHECK(scale == LossScale{.value = 65536, .good_updates = 1999});
  SECTION("and then counts anew") {
    scale.grow();
    CHECK(scale == LossScale{.value = 131072});
    for (int i = 0; i < 2000; ++i) scale.grow();
    CHECK(scale == LossScale{.value = 262144});
  }
  SECTION("an overflow comes between") {
    CHECK(scale.shrink());
    CHECK(scale == LossScale{.value = 32768, .overflows = 1});
    scale.grow();
    CHECK(scale == LossScale{.value = 32768, .good_updates = 1, .overflows = 1});
  }
  SECTION("a bad loss comes between") {
    scale.pause();
    CHECK(scale == LossScale{.value = 65536});
  }
}

TEST_CASE("the loss scale is halved down to 1, below which it is not to blame") {
  LossScale scale;
  for (int i = 1; i <= 16; ++i) {
    CHECK(scale.shrink());
    CHECK(scale.value == std::ldexp(1, 16 - i));
    CHECK(scale.overflows == i);
  }
  scale.grow();
  CHECK_FALSE(scale.shrink());
  CHECK(scale == LossScale{.value = 1, .overflows = 16});
}

TEST_CASE("the loss scale stays a number in fp32") {
  LossScale scale{.value = LossScale::kMost / 2, .good_updates = 1999};
  scale.grow();
  CHECK(scale.value == LossScale::kMost);
  for (int i = 0; i < 2000; ++i) scale.grow();
  CHECK(scale.value == LossScale::kMost);
  CHECK(std::isfinite(static_cast<float>(scale.value)));
}

}  // namespace
}  // namespace transformer::train
