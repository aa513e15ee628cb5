#include "transformer/kernels/next_tokens.h"

#include <torch/torch.h>

#include <limits>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {
namespace {

using test::floats;

struct Found {
  torch::Tensor log_sum, values, tokens;
};

/// Scans logits (rows, V) in pieces of `piece` columns.
Found scan(Isa isa, const torch::Tensor& logits, std::int64_t piece, std::int64_t best, std::int32_t never) {
  const auto rows = logits.size(0);
  constexpr auto kNever = -std::numeric_limits<float>::infinity();
  const auto maximum = torch::full({rows}, kNever), total = torch::zeros({rows});
  Found found{{}, torch::full({rows, best}, kNever), torch::full({rows, best}, -1, torch::kInt)};
  for (std::int64_t first = 0; first < logits.size(1); first += piece) {
    const auto columns = std::min(piece, logits.size(1) - first);
    // What lies behind the last column is not to matter.
    const auto part =
        torch::constant_pad_nd(logits.slice(1, first, first + columns), {0, 16}, 1e9).contiguous();
    next_tokens(isa).scan({rows,
                           first,
                           columns,
                           floats(part),
                           part.size(1),
                           floats(maximum),
                           floats(total),
                           {never, -1},
                           best,
                           floats(found.values),
                           found.tokens.data_ptr<std::int32_t>()});
  }
  found.log_sum = maximum + total.log();
  return found;
}

}  // namespace

TEST_CASE("the best tokens and the sum of all are those of a sort and a softmax") {
  torch::manual_seed(1);
  for (const auto isa : test::levels()) {
    for (const std::int64_t vocabulary : {5, 16, 70, 1000}) {
      for (const std::int64_t piece : {64, 512}) {
        for (const std::int64_t best : {1, 4, 5}) {
          INFO("level " << static_cast<int>(isa) << ", " << vocabulary << " tokens, " << best << " of them");
          const auto logits = torch::randn({3, vocabulary}) * 4;
          const auto found = scan(isa, logits, piece, best, -1);
          const auto [values, tokens] = logits.topk(best, 1);
          CHECK(torch::equal(found.values, values));
          CHECK(torch::equal(found.tokens.to(torch::kLong), tokens));
          CHECK(torch::allclose(found.log_sum, torch::logsumexp(logits, 1), 1e-6, 1e-6));
        }
      }
    }
  }
}

TEST_CASE("a token that is never taken counts in the sum; of equal ones the first comes first") {
  for (const auto isa : test::levels()) {
    auto logits = torch::zeros({1, 40});
    logits[0][7] = 5.0;
    logits[0][20] = 2.0;
    const auto found = scan(isa, logits, 64, 4, 7);
    CHECK(torch::equal(found.tokens, torch::tensor({{20, 0, 1, 2}}, torch::kInt)));
    CHECK(torch::allclose(found.log_sum, torch::logsumexp(logits, 1)));
  }
}

TEST_CASE("far apart, infinite and undefined logits") {
  constexpr auto kInfinity = std::numeric_limits<float>::infinity();
  for (const auto isa : test::levels()) {
    auto logits = torch::full({1, 200}, -1e30F);
    logits[0][150] = 3.0;
    logits[0][10] = -kInfinity;
    auto found = scan(isa, logits, 64, 1, -1);
    CHECK(found.tokens[0][0].item<int>() == 150);
    CHECK(found.log_sum[0].item<float>() == Approx(3.0));
    logits.fill_(std::numeric_limits<float>::quiet_NaN());
    found = scan(isa, logits, 64, 2, -1);  // it ends, and takes nothing
    CHECK(found.tokens.eq(-1).all().item<bool>());
  }
}

}  // namespace transformer::kernels
