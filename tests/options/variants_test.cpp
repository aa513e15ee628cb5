#include "transformer/nn/variants.h"

#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "tests/options/outside_variants.h"
#include "tests/temporary_folder.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/models/size.h"
#include "transformer/nn/attention_record.h"
#include "transformer/nn/variant_check.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/linear.h"

using namespace transformer;

namespace {

using torch::Tensor;

variants::Part part(const std::string& text) {
  test::add_outside_variants();
  return {.choice = *variants::parse(text),
          .place = {.d_model = 12, .d_ff = 16, .heads = 2, .d_k = 6, .d_v = 5}};
}

void add_odd_ones();

nn::MultiHeadAttention attention_with(const std::string& text) {
  add_odd_ones();
  return nn::MultiHeadAttention(
      nn::MultiHeadAttentionOptions{.d_model = 12, .heads = 2, .d_k = 6, .d_v = 5, .variant = part(text)});
}

/// A feed-forward layer that gives one number too few.
class Narrow : public nn::FeedForwardVariant {
 public:
  Narrow(const variants::Place&, const variants::Values&) {}
  Tensor forward(const Tensor& x) override { return x.narrow(-1, 0, x.size(-1) - 1); }
};

/// One that has an opinion on sizes.
class Picky : public nn::FeedForwardVariant {
 public:
  Picky(const variants::Place& place, const variants::Values&) {
    throw InputError("expected model.d_model 512, found " + std::to_string(place.d_model));
  }
  Tensor forward(const Tensor& x) override { return x; }
};

/// Attention whose result is no sum of the values.
class Curved : public nn::AttentionVariant {
 public:
  Curved(const variants::Place&, const variants::Values&) {}
  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                 const Tensor& bias) override {
    return ops::reference_attention(query, key, value, mask, 0.0, bias).square();
  }
};

/// One that does not hear of masks.
class Deaf : public nn::AttentionVariant {
 public:
  Deaf(const variants::Place&, const variants::Values&) {}
  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor&,
                 const Tensor& bias) override {
    return ops::reference_attention(query, key, value, {}, 0.0, bias);
  }
};

/// A feed-forward layer whose gradient is a part of the true one.
class Detached : public nn::FeedForwardVariant {
 public:
  Detached(const variants::Place&, const variants::Values&) {}
  Tensor forward(const Tensor& x) override { return x + x.detach().sin(); }
};

/// One in which positions see each other.
class Mixing : public nn::FeedForwardVariant {
 public:
  Mixing(const variants::Place&, const variants::Values&) {}
  Tensor forward(const Tensor& x) override { return x - x.mean(1, /*keepdim=*/true); }
};

void add_odd_ones() {
  static const bool added = [] {
    nn::add_variant<Curved>({.name = "curved", .about = "squares"});
    nn::add_variant<Deaf>({.name = "deaf", .about = "no masks"});
    nn::add_variant<Detached>({.name = "detached", .about = "half a gradient"});
    nn::add_variant<Mixing>({.name = "mixing", .about = "the mean of all"});
    nn::add_variant<Narrow>({.name = "narrow", .about = "too few"});
    nn::add_variant<Picky>({.name = "picky", .about = "never"});
    nn::add_variant(
        variants::Kind::feed_forward, {.name = "other", .about = "of no such class"},
        [](const variants::Place&, const variants::Values&) -> std::shared_ptr<torch::nn::Module> {
          return torch::nn::Linear(2, 2).ptr();
        });
    return true;
  }();
  static_cast<void>(added);
}

nn::FeedForward feed_forward_with(const std::string& text) {
  add_odd_ones();
  return nn::FeedForward(nn::FeedForwardOptions{.d_model = 12, .d_ff = 16, .variant = part(text)});
}

}  // namespace

TEST_CASE("a variant has its place's sizes, its options, and no weights of the paper's beside it") {
  const auto layer = feed_forward_with("gated width=7");
  REQUIRE(layer->parameters().size() == 3);
  CHECK(layer->named_parameters()["variant.in.weight"].sizes() == torch::IntArrayRef({7, 12}));
  nn::Norm norm(nn::NormOptions{.d_model = 12, .variant = part("root")});
  REQUIRE(norm->parameters().size() == 1);
  const auto x = torch::randn({2, 3, 12});
  CHECK(test::difference(norm(x), x * torch::rsqrt(x.square().mean(-1, true) + 1e-3)) < 1e-6);
}

TEST_CASE("attention gives a variant what the projections give, at once and step by step") {
  torch::manual_seed(1);
  auto attention = attention_with("sloped scale=0.3");
  const auto x = torch::randn({2, 4, 12});
  const auto whole = attention->forward(x, x, torch::ones({1, 1, 4, 4}, torch::kBool).tril());
  nn::KeyValue kept;
  for (std::int64_t t = 0; t < 4; ++t) {
    const auto row = x.slice(1, t, t + 1);
    kept.append(attention->keys_and_values(row));
    CHECK(test::difference(attention->attend(row, kept, {}), whole.slice(1, t, t + 1)) < 1e-5);
  }
}

TEST_CASE("a variant of attention is asked for its weights") {
  torch::manual_seed(1);
  auto attention = attention_with("sloped scale=0.3");
  const auto x = torch::randn({2, 7, 12});  // more keys than a value has numbers
  const auto mask = torch::ones({1, 1, 7, 7}, torch::kBool).tril();
  const nn::AttentionRecord record;
  const auto result = attention->forward(x, x, mask);
  REQUIRE(record.of(variants::Role::encoder).size() == 1);
  const auto& weights = record.of(variants::Role::encoder)[0];
  REQUIRE(weights.sizes() == torch::IntArrayRef({2, 2, 7, 7}));
  CHECK(test::difference(weights.sum(-1), torch::ones({2, 2, 7})) < 1e-5);
  CHECK(weights.masked_select(mask.logical_not()).abs().max().item<float>() == 0);
  const auto kept = attention->keys_and_values(x);
  CHECK(test::difference(attention->weights(x, kept, mask), weights) < 1e-6);
  const auto heads = ops::join_heads(torch::matmul(weights, kept.values));
  CHECK(test::difference(ops::linear(heads, attention->output->weight, {}), result) < 1e-5);

  auto curved = attention_with("curved");
  CHECK_THROWS_WITH(
      curved->forward(x, x, mask),
      ContainsSubstring("model.variants.attention: expected attention whose result is a sum of the "
                        "values by weights"));
}

TEST_CASE("a variant that keeps to the rules passes all checks") {
  add_odd_ones();
  for (const auto& [text, kind, count] : {std::tuple("sloped scale=0.5", variants::Kind::attention, 15U),
                                          {"gated width=7", variants::Kind::feed_forward, 3U},
                                          {"root centered=true", variants::Kind::norm, 3U},
                                          {"waves", variants::Kind::positions, 3U}}) {
    const auto checks = nn::check_variant(*variants::parse(text), kind);
    CHECK(checks.size() == count);
    for (const auto& [what, passed, found] : checks) {
      INFO(text << " " << what << ": " << found);
      CHECK(passed);
    }
  }
}

TEST_CASE("a variant that breaks a rule fails the check of that rule") {
  add_odd_ones();
  const auto failed = [](const char* name, variants::Kind kind) {
    std::string all;
    for (const auto& check : nn::check_variant({name, {}}, kind))
      if (!check.passed) all += check.what + "; ";
    return all;
  };
  using variants::Kind;
  CHECK(
      failed("deaf", Kind::attention) ==
      "attention, encoder: alone as beside others; attention, encoder: what the mask forbids moves nothing; "
      "attention, decoder: step by step as at once; attention, decoder: what the mask forbids moves nothing; "
      "attention, over the source: what the mask forbids moves nothing; ");
  CHECK(failed("detached", Kind::feed_forward) == "feed_forward: gradients; ");
  CHECK(failed("mixing", Kind::feed_forward) == "feed_forward: each row alone; ");
  CHECK(failed("narrow", Kind::feed_forward).find("shape, and the same") != std::string::npos);
  CHECK_THROWS_AS(nn::check_variant({"nobody", {}}, Kind::norm), InputError);
}

TEST_CASE("in bf16 a variant computes in the type of its weights, and the stream keeps its own") {
  torch::manual_seed(1);
  auto attention = attention_with("sloped");
  auto layer = feed_forward_with("gated");
  nn::ResidualNorm residual(nn::ResidualNormOptions{.d_model = 12, .dropout = 0.0, .variant = part("root")});
  const auto x = torch::randn({2, 4, 12});
  const auto compute = [&](const Tensor& input) {
    const auto y = attention->forward(input, input, {});
    const auto z = residual->add_and_norm(y, layer->forward(y));
    CHECK(z.scalar_type() == input.scalar_type());
    return z.to(torch::kFloat);
  };
  const auto expected = compute(x);
  const runtime::PrecisionScope scope(torch::kBFloat16);
  CHECK(test::difference(compute(runtime::in_compute_type(x)), expected) < 0.1);
}

TEST_CASE("positions are the variant's, wherever a sequence begins") {
  nn::PositionalEncoding positions(nn::Positions::interleaved, 12, 10, part("waves curve=cosine"));
  const auto x = torch::zeros({1, 6, 12});
  const auto whole = positions->forward(x);
  const auto frequency = positions->named_parameters()["variant.frequency"];
  CHECK(test::difference(whole[0][2], (2 * frequency).cos()) < 1e-6);
  CHECK(test::difference(positions->forward(x.slice(1, 4), 4), whole.slice(1, 4)) < 1e-6);
  CHECK(test::difference(positions->at(x.slice(1, 3, 4), torch::tensor(3)), whole.slice(1, 3, 4)) < 1e-6);
}

TEST_CASE("counting a variant's parameters leaves the random numbers alone") {
  test::add_outside_variants();
  models::ModelOptions options{.encoder_layers = 1, .decoder_layers = 1, .d_model = 12};
  options.variants = {.feed_forward = *variants::parse("gated"), .positions = *variants::parse("waves")};
  torch::manual_seed(7);
  const auto expected = torch::rand({3});
  torch::manual_seed(7);
  models::count_parameters(options, {20, 20});
  CHECK(test::difference(torch::rand({3}), expected) == 0);
}

TEST_CASE("a variant that does not keep to its class is named") {
  CHECK_THROWS_WITH(feed_forward_with("other"),
                    ContainsSubstring("model.variants.feed_forward: other: expected"));
  CHECK_THROWS_WITH(feed_forward_with("picky"),
                    "model.variants.feed_forward: picky: expected model.d_model 512, found 12");
  auto narrow = feed_forward_with("narrow");
  CHECK_THROWS_WITH(narrow->forward(torch::ones({1, 2, 12})),
                    ContainsSubstring("model.variants.feed_forward") && ContainsSubstring("[1, 2, 12]") &&
                        ContainsSubstring("[1, 2, 11]"));
  CHECK_THROWS_WITH(feed_forward_with("absent"), ContainsSubstring("found 'absent': --load"));
}

TEST_CASE("a plug-in that was cut off is refused before the loader reads what is not there") {
  const test::TemporaryFolder folder;
  const auto whole = read_file(TEST_PLUGIN_WITHOUT_ENTRY);
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 50) {
    const auto file = folder.write("cut.so", whole.substr(0, size));
    CHECK_THROWS_AS(nn::load_plugin(file), InputError);
    if (size > 4096)
      CHECK_THROWS_WITH(nn::load_plugin(file), ContainsSubstring("cut.so: expected a whole shared library"));
  }
}

TEST_CASE("what is no plug-in, or one of another version, is refused by its name") {
  const test::TemporaryFolder folder;
  const auto text = folder.path() / "text.so";
  write_file_atomically(text, "no library");
  CHECK_THROWS_WITH(nn::load_plugin(folder.path() / "absent.so"),
                    ContainsSubstring("absent.so: expected a shared library, found nothing of that name"));
  CHECK_THROWS_WITH(nn::load_plugin(folder.path()), ContainsSubstring("found something else"));
  CHECK_THROWS_WITH(nn::load_plugin(text),
                    ContainsSubstring("text.so: expected a shared library for transformer"));
  CHECK_THROWS_WITH(
      nn::load_plugin(TEST_PLUGIN_WITHOUT_ENTRY),
      ContainsSubstring("expected a plug-in") && ContainsSubstring("without transformer_plugin_version"));
  CHECK_THROWS_WITH(nn::load_plugin(TEST_PLUGIN_OF_ANOTHER_VERSION),
                    ContainsSubstring("expected a plug-in that was compiled for transformer 0.") &&
                        ContainsSubstring("found one for transformer 0.0.1"));
  for (const auto& file : {text.string(), std::string(TEST_PLUGIN_OF_ANOTHER_VERSION)}) {
    try {
      nn::load_plugin(file);
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find('\n') == std::string::npos);
    }
  }
}
