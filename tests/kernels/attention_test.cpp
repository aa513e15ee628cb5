#include "transformer/kernels/attention.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {
namespace {

using test::data;

/// query, key and value: (B, T, H, K); keys and values may have fewer heads. mask: (B or 1, T or 1, S) or
/// undefined. bias: (H, T, S) or undefined.
struct Inputs {
  torch::Tensor query, key, value, mask, output_gradient, bias = {};
  std::int64_t window = 0;
};

struct Results {
  torch::Tensor output, query_gradient, key_gradient, value_gradient;
  torch::Tensor bias_gradient;  // without a bias undefined
};

template <typename T>
Results run(Isa isa, const Inputs& in) {
  const auto sentences = in.query.size(0);
  AttentionShape shape{.heads = in.query.size(2),
                       .queries = in.query.size(1),
                       .keys = in.key.size(1),
                       .key_size = in.key.size(3),
                       .value_size = in.value.size(3),
                       .kv_heads = in.key.size(2),
                       .window = in.window};
  if (in.mask.defined()) {
    shape.mask = reinterpret_cast<const std::uint8_t*>(in.mask.const_data_ptr<bool>());
    if (in.mask.size(0) > 1) shape.mask_sentence = in.mask.stride(0);
    if (in.mask.size(1) > 1) shape.mask_query = in.mask.stride(1);
  }
  if (in.bias.defined()) shape.bias = in.bias.const_data_ptr<float>();
  Results out{torch::empty_like(in.output_gradient), torch::empty_like(in.query), torch::empty_like(in.key),
              torch::empty_like(in.value), torch::Tensor()};
  torch::Tensor score_gradients;
  if (in.bias.defined()) score_gradients = torch::zeros({sentences, shape.heads, shape.queries, shape.keys});
  auto logsumexp = torch::empty({sentences, shape.heads, shape.queries});
  // NaN in the scratch memory shows whatever is read without having been written.
  auto scratch = torch::full({attention_scratch(shape)}, std::numeric_limits<float>::quiet_NaN());
  const auto heads = [](const torch::Tensor& x) { return HeadVectors<T>{data<T>(x), x.stride(1)}; };
  const auto inputs = [&](const torch::Tensor& x) { return HeadVectors<const T>{data<T>(x), x.stride(1)}; };
  const Attention<T> forward{.shape = shape,
                             .end = sentences * shape.kv_heads,
                             .query = inputs(in.query),
                             .key = inputs(in.key),
                             .value = inputs(in.value),
                             .output = heads(out.output),
                             .logsumexp = test::floats(logsumexp),
                             .scratch = test::floats(scratch)};
  const AttentionBackward<T> backward{
      .shape = shape,
      .end = sentences * shape.kv_heads,
      .query = inputs(in.query),
      .key = inputs(in.key),
      .value = inputs(in.value),
      .logsumexp = test::floats(logsumexp),
      .output_gradient = inputs(in.output_gradient),
      .query_gradient = heads(out.query_gradient),
      .key_gradient = heads(out.key_gradient),
      .value_gradient = heads(out.value_gradient),
      .score_gradient = in.bias.defined() ? test::floats(score_gradients) : nullptr,
      .scratch = test::floats(scratch)};
  const auto& k = attention(isa);
  if constexpr (std::is_same_v<T, float>) {
    k.forward(forward);
    scratch.fill_(std::numeric_limits<float>::quiet_NaN());
    k.backward(backward);
  } else {
    k.forward_bf16(forward);
    k.backward_bf16(backward);
  }
  if (in.bias.defined()) out.bias_gradient = score_gradients.sum(0);
  return out;
}

/// The definition, in double precision.
Results by_autograd(const Inputs& in) {
  const auto leaf = [](const torch::Tensor& t) { return t.to(torch::kDouble).requires_grad_(); };
  const auto q = leaf(in.query), k = leaf(in.key), v = leaf(in.value);
  const auto of_readers = [&](const torch::Tensor& x) {
    return x.repeat_interleave(q.size(2) / x.size(2), 2);
  };
  auto scores = torch::matmul(q.transpose(1, 2), of_readers(k).permute({0, 2, 3, 1})) / std::sqrt(q.size(3));
  const auto bias = in.bias.defined() ? leaf(in.bias) : torch::Tensor();
  if (bias.defined()) scores = scores + bias;
  if (in.mask.defined())
    scores = scores.masked_fill(in.mask.unsqueeze(1).logical_not(), -std::numeric_limits<float>::infinity());
  if (in.window > 0) {
    const auto t = torch::arange(q.size(1)).unsqueeze(1), s = torch::arange(k.size(1)).unsqueeze(0);
    scores = scores.masked_fill((s - t).abs() > in.window, -std::numeric_limits<float>::infinity());
  }
  const auto output =
      torch::matmul(torch::_safe_softmax(scores, -1), of_readers(v).transpose(1, 2)).transpose(1, 2);
  output.backward(in.output_gradient.to(torch::kDouble));
  return {output.detach(), q.grad(), k.grad(), v.grad(), bias.defined() ? bias.grad() : torch::Tensor()};
}

void check(const Results& found, const Results& expected, double tolerance) {
  test::check_close(found.output, expected.output, tolerance);
  test::check_close(found.query_gradient, expected.query_gradient, tolerance);
  test::check_close(found.key_gradient, expected.key_gradient, tolerance);
  test::check_close(found.value_gradient, expected.value_gradient, tolerance);
  if (expected.bias_gradient.defined())
    test::check_close(found.bias_gradient, expected.bias_gradient, tolerance);
}

torch::Tensor causal(std::int64_t n) {
  return torch::ones({1, n, n}, torch::kBool).tril();
}

/// Sentences of 1, 3, 5 … tokens and padding; the second has none at all.
torch::Tensor padding(std::int64_t sentences, std::int64_t keys) {
  auto lengths = torch::arange(sentences) * 2 + 1;
  lengths[1] = 0;
  return torch::arange(keys).lt(lengths.view({-1, 1, 1}));
}

}  // namespace

TEST_CASE("attention and its gradients are what the definition gives") {
  torch::manual_seed(1);
  struct Shape {
    std::int64_t queries, keys, key_size, value_size;
  };
  for (const auto isa : test::levels()) {
    for (const auto& s : {Shape{1, 1, 1, 1}, Shape{3, 5, 8, 8}, Shape{17, 17, 64, 64}, Shape{40, 33, 24, 80},
                          Shape{70, 70, 16, 32}}) {
      INFO("level " << static_cast<int>(isa) << ", " << s.queries << " queries, " << s.keys << " keys");
      const std::int64_t sentences = 3, heads = 2;
      Inputs in{torch::randn({sentences, s.queries, heads, s.key_size}) * 2,
                torch::randn({sentences, s.keys, heads, s.key_size}),
                torch::randn({sentences, s.keys, heads, s.value_size}),
                {},
                torch::randn({sentences, s.queries, heads, s.value_size})};
      check(run<float>(isa, in), by_autograd(in), 1e-5);
      in.mask = padding(sentences, s.keys);
      check(run<float>(isa, in), by_autograd(in), 1e-5);
      const auto half = [](const torch::Tensor& t) { return t.to(torch::kBFloat16); };
      in.bias = torch::randn({heads, s.queries, s.keys});
      check(run<float>(isa, in), by_autograd(in), 1e-5);
      Inputs halves{half(in.query), half(in.key), half(in.value), in.mask, half(in.output_gradient)};
      check(run<Bf16>(isa, halves), by_autograd(halves), 1e-2);
      halves.bias = in.bias;
      check(run<Bf16>(isa, halves), by_autograd(halves), 1e-2);
      if (s.queries != s.keys) continue;
      in.mask = causal(s.queries);
      check(run<float>(isa, in), by_autograd(in), 1e-5);
      in.mask = in.mask.logical_and(padding(sentences, s.keys));  // (B, T, S), with gaps of both kinds
      check(run<float>(isa, in), by_autograd(in), 1e-5);
    }
  }
}

TEST_CASE("several heads may read the keys and values of one") {
  torch::manual_seed(3);
  for (const auto isa : test::levels()) {
    for (const std::int64_t kv_heads : {1, 2, 3}) {
      INFO("level " << static_cast<int>(isa) << ", " << kv_heads << " of 6 heads");
      Inputs in{torch::randn({2, 37, 6, 16}), torch::randn({2, 21, kv_heads, 16}),
                torch::randn({2, 21, kv_heads, 24}), padding(2, 21), torch::randn({2, 37, 6, 24})};
      check(run<float>(isa, in), by_autograd(in), 1e-5);
      in.bias = torch::randn({6, 37, 21});
      check(run<float>(isa, in), by_autograd(in), 1e-5);
    }
  }
}

TEST_CASE("within a window a query attends to so many keys on either side") {
  torch::manual_seed(4);
  for (const auto isa : test::levels()) {
    for (const std::int64_t window : {1, 3, 16, 40, 200}) {
      for (const std::int64_t length : {1, 33, 150}) {
        INFO("level " << static_cast<int>(isa) << ", " << length << " positions, window " << window);
        Inputs in{torch::randn({2, length, 2, 8}),
                  torch::randn({2, length, 1, 8}),
                  torch::randn({2, length, 1, 24}),
                  {},
                  torch::randn({2, length, 2, 24})};
        in.window = window;
        check(run<float>(isa, in), by_autograd(in), 1e-5);
        in.mask = causal(length);
        check(run<float>(isa, in), by_autograd(in), 1e-5);
        in.mask = padding(2, length);  // most have nothing in their reach
        in.bias = torch::randn({2, length, length});
        check(run<float>(isa, in), by_autograd(in), 1e-5);
        in.mask = torch::rand({2, length, length}) < 0.5;
        check(run<float>(isa, in), by_autograd(in), 1e-5);
      }
    }
  }
}

TEST_CASE("a query that may attend to nothing gets zeros, and a mask may have gaps") {
  for (const auto isa : test::levels()) {
    Inputs in{torch::ones({1, 2, 1, 4}), torch::ones({1, 3, 1, 4}), torch::rand({1, 3, 1, 4}),
              torch::tensor({{{false, false, false}, {true, false, true}}}), torch::ones({1, 2, 1, 4})};
    const auto out = run<float>(isa, in);
    CHECK(out.output[0][0].abs().sum().item<float>() == 0.0F);
    CHECK(out.query_gradient.isfinite().all().item<bool>());
    CHECK(torch::allclose(out.output[0][1], (in.value[0][0] + in.value[0][2]) / 2));
    CHECK(out.value_gradient[0][1].abs().sum().item<float>() == 0.0F);
  }
}

TEST_CASE("attention reads and writes one tensor that holds queries, keys and values") {
  torch::manual_seed(2);
  const auto all = torch::randn({2, 9, 3, 2, 16});  // (B, T, 3, H, K)
  Inputs apart{all.select(2, 0).contiguous(),
               all.select(2, 1).contiguous(),
               all.select(2, 2).contiguous(),
               {},
               torch::randn({2, 9, 2, 16})};
  Inputs together{all.select(2, 0), all.select(2, 1), all.select(2, 2), {}, apart.output_gradient};
  CHECK(torch::equal(run<float>(best_isa(), together).output, run<float>(best_isa(), apart).output));
}

TEST_CASE("attention passes NaN on") {
  for (const auto isa : test::levels()) {
    Inputs in{torch::ones({1, 2, 1, 4}),
              torch::ones({1, 3, 1, 4}),
              torch::ones({1, 3, 1, 4}),
              {},
              torch::ones({1, 2, 1, 4})};
    in.query[0][0][0][0] = std::numeric_limits<float>::quiet_NaN();
    const auto out = run<float>(isa, in).output;
    CHECK(out[0][0].isnan().all().item<bool>());
    CHECK(out[0][1].isfinite().all().item<bool>());
  }
}

}  // namespace transformer::kernels
