// Whatever computes a model, counts it or writes it down agrees with the modules for every option, or names
// the option that it does not know. The cases come from the table of configuration keys.
#include <ATen/record_function.h>
#include <torch/autograd.h>

#include <map>
#include <set>

#include "tests/catch.h"
#include "tests/options/model_variants.h"
#include "tests/options/steady.h"
#include "tests/translation/toy_model.h"
#include "transformer/base/error.h"
#include "transformer/config/departures.h"
#include "transformer/config/keys.h"
#include "transformer/config/validate.h"
#include "transformer/engine/support.h"
#include "transformer/models/size.h"
#include "transformer/ops/dropout.h"
#include "transformer/search/beam_search.h"
#include "transformer/translation/device_steps.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/model_search.h"
#include "transformer/translation/module_steps.h"

using namespace transformer;

namespace {

constexpr std::int64_t kVocabulary = 60;

std::vector<test::ModelVariant> all_variants() {
  auto all = test::single_variants();
  for (const auto& pairs : {test::pairwise_variants(), test::pairwise_outside_variants()})
    all.insert(all.end(), pairs.begin(), pairs.end());
  return all;
}

models::EncoderDecoder model_of(const models::ModelOptions& options) {
  return test::steady(test::random_model(options, models::VocabularySizes{kVocabulary, kVocabulary}));
}

config::Experiment experiment_of(const models::ModelOptions& options) {
  config::Experiment experiment;
  experiment.model = options;
  return experiment;
}

/// Sources, and targets that start with the begin token; two sentences of unlike length.
struct Batch {
  torch::Tensor source = test::random_sources(3, {7, 4}, kVocabulary);
  torch::Tensor target = [] {
    auto ids = test::random_sources(4, {5, 8}, kVocabulary).roll(1, 1);
    ids.select(1, 0).fill_(kBos);
    return ids;
  }();
};

struct Computed {
  torch::Tensor logits;
  std::vector<torch::Tensor> gradients;
};

Computed compute(models::EncoderDecoder& model) {
  const Batch batch;
  auto logits = model->forward(batch.source, batch.target);
  torch::manual_seed(9);
  const auto weights = torch::randn(logits.sizes()).to(logits.scalar_type());
  auto gradients = torch::autograd::grad({(logits * weights).sum()}, test::learned_tensors(model));
  return {logits.detach(), gradients};
}

/// Relative to the largest number of the second, or to `least` where that is more.
double relative_difference(const torch::Tensor& a, const torch::Tensor& b, double least = 1e-3) {
  const auto exact = b.to(torch::kDouble);
  const double largest = std::max(exact.abs().max().item<double>(), least);
  return (a.to(torch::kDouble) - exact).abs().max().item<double>() / largest;
}

/// The error of an fp64 model whose weights are off by one unit in the last place of fp32, relative to its
/// logits. No computation in fp32 can be expected to do better. Most models stay far below 1e-5. Models
/// without residual connections that normalise every result do not.
double unavoidable_difference(models::EncoderDecoder& model) {
  const torch::NoGradGuard no_gradients;
  const Batch batch;
  const auto exact = model->forward(batch.source, batch.target);
  std::vector<torch::Tensor> before;
  torch::manual_seed(10);
  for (auto& parameter : model->parameters()) {
    before.push_back(parameter.clone());
    parameter.mul_(1 + 6e-8 * torch::randn_like(parameter));
  }
  const auto moved = model->forward(batch.source, batch.target);
  std::size_t i = 0;
  for (auto& parameter : model->parameters()) parameter.copy_(before[i++]);
  return relative_difference(moved, exact);
}

#ifdef NDEBUG
/// Two for each multiplication with addition in the matrix products that run while it lives. (LibTorch lays
/// at::RecordFunction out otherwise for who compiles with assertions than it was itself compiled.)
class ProductCounter {
 public:
  ProductCounter() {
    total = 0;
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback(&count).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  }
  ~ProductCounter() { at::removeCallback(handle_); }
  ProductCounter(const ProductCounter&) = delete;
  ProductCounter& operator=(const ProductCounter&) = delete;

  static double total;

 private:
  static std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& call) {
    const std::string name = call.name();
    const std::size_t first = name == "aten::addmm" ? 1 : 0;
    if (name != "aten::mm" && name != "aten::bmm" && name != "aten::addmm") return nullptr;
    const auto a = call.inputs()[first].toTensor(), b = call.inputs()[first + 1].toTensor();
    total += 2.0 * static_cast<double>(a.numel()) * static_cast<double>(b.size(-1));
    return nullptr;
  }

  at::CallbackHandle handle_;
};
double ProductCounter::total = 0;
#endif

}  // namespace

TEST_CASE("every value of every option is among the cases, and every pair of values") {
  const auto all = all_variants();
  std::set<std::string> names;
  for (const auto& variant : all) names.insert(variant.name);
  CHECK(all.size() >= 40);
  for (const auto* name : {"model.positions rotary, ", "model.positions learned, ", "model.norm pre, ",
                           "model.tie none, ", "model.attention_bias true, ", "model.heads 3, ",
                           "model.variants.attention sloped scale=0.5, ", "model.variants.norm root, "})
    CHECK(names.contains(name));
}

TEST_CASE("few pairs of values are refused") {
  // A gate, a variant, or no feed-forward layer excludes options of the inside of a feed-forward layer. The
  // same holds for other norms.
  const std::set<std::string> expected{"model.attention_scale *, model.attention_score *",
                                       "model.attention_score *, model.variants.attention *",
                                       "model.attention_window *, model.variants.attention *",
                                       "model.positions relative, model.attention_score *",
                                       "model.positions relative, model.variants.attention *",
                                       "model.positions rotary, model.attention_score *",
                                       "model.norm_type *, model.variants.norm *",
                                       "model.norm_type none, model.norm_epsilon *",
                                       "model.norm *, model.norm_type none",
                                       "model.activation *, model.variants.feed_forward *",
                                       "model.activation_dropout *, model.feed_forward none",
                                       "model.feed_forward *, model.activation *",
                                       "model.feed_forward *, model.variants.feed_forward *"};
  const auto refused = test::refused_pairs();
  CHECK(std::set(refused.begin(), refused.end()) == expected);
}

TEST_CASE("who knows the paper's model alone names every other option") {
  const auto knows_none = [](auto) { return false; };
  auto usual = test::single_variants().front().options;
  usual.max_positions = models::ModelOptions{}.max_positions;
  REQUIRE_FALSE(models::other_option(usual, knows_none));
  // Sizes and dropout, which everyone knows.
  const std::set<std::string> known{
      "encoder_layers", "decoder_layers", "d_model", "d_ff", "heads", "d_k", "d_v", "dropout"};
  for (auto [name, options] : test::single_variants()) {
    INFO(name);
    const auto key = name.substr(0, name.find(' '));
    if (key != "model.max_positions") options.max_positions = usual.max_positions;
    if (options == usual || known.contains(key.substr(key.find('.') + 1))) continue;
    const auto named = models::other_option(options, knows_none);
    REQUIRE(named);
    CHECK(named->starts_with(key.starts_with("model.variants.") ? "model.variants" : key + ": "));
  }
}

TEST_CASE("no value of a key computes what another does") {
  // With the same weights: a choice that some reader takes for another one, a number or a switch that nobody
  // reads. Some say something only where another key has a value.
  using Setting = std::pair<std::string, std::string>;
  const std::map<std::string, Setting> where{{"model.relative_distance", {"model.positions", "relative"}},
                                             {"model.rotary_base", {"model.positions", "rotary"}},
                                             {"model.max_positions", {"model.positions", "learned"}}};
  const torch::NoGradGuard no_gradients;
  const Batch batch;
  const auto compute_both = [&](const models::ModelOptions& options) {
    auto model = model_of(options);
    std::vector<torch::Tensor> all{model->forward(batch.source, batch.target)};
    if (nn::statistics_of(options.norm_type) == 0) {  // in training those demand packed sequences
      model->train();
      const ops::DropoutScope scope(1, 2, {11, 12});
      all.push_back(model->forward(batch.source, batch.target));
    }
    return all;
  };
  const auto is_same = [](const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      if (!torch::allclose(a[i], b[i])) return false;
    return true;
  };
  const auto all = test::single_variants();
  for (const auto& key : config::keys()) {
    if (!key.name.starts_with("model.") || key.kind != config::Key::Kind::plain) continue;
    if (test::is_of_kinds(key)) continue;
    auto first = experiment_of(all.front().options);
    if (const auto found = where.find(key.name); found != where.end()) {
      const auto& [other_key, value] = found->second;
      REQUIRE(config::find_key(other_key)->set(first, {.text = value}));
    }
    std::vector<std::pair<std::string, std::vector<torch::Tensor>>> seen;
    for (const auto& [name, options] : all) {
      if (&options != &all.front().options && !name.starts_with(key.name + " ")) continue;
      auto changed = first;
      REQUIRE(key.set(changed, {.text = key.get(experiment_of(options))}));
      const auto found = compute_both(changed.model);
      for (const auto& [other, others] : seen) {
        INFO(name << "computes what " << other << "does");
        CHECK_FALSE(is_same(found, others));
      }
      seen.emplace_back(name, found);
    }
    CHECK(seen.size() == std::max<std::size_t>(key.choices.size(), 2));
  }
}

TEST_CASE("fast paths of training give the definition's values and gradients, for every option") {
  for (const auto& [name, options] : all_variants()) {
    INFO(name);
    auto model = model_of(options);  // dropout is off: its own tests hold it
    const auto fast = compute(model);
    model->to(torch::kDouble);  // for which there are no kernels
    const auto exact = compute(model);
    const auto difference = relative_difference(fast.logits, exact.logits);
    CHECK((difference < 1e-5 || difference < 10 * unavoidable_difference(model)));
    const auto parameters = test::learned(model);
    REQUIRE(fast.gradients.size() == exact.gradients.size());
    double largest = 0;
    for (const auto& gradient : exact.gradients)
      largest = std::max(largest, gradient.abs().max().item<double>());
    for (std::size_t i = 0; i < exact.gradients.size(); ++i) {
      INFO(parameters[i].first);
      // A bias of keys moves all scores of a query equally, so its gradient is zero up to rounding. In fp32 a
      // sum over layers, positions and heads has a relative error of about 1e-4. A wrong term is a hundred
      // times as large.
      CHECK(relative_difference(fast.gradients[i], exact.gradients[i], 1e-2 * largest) < 1e-3);
    }
  }
}

TEST_CASE("packed sequences give what padded ones give, with the same dropout, for every option") {
  const Batch batch;
  const auto packed = [](const torch::Tensor& ids) {
    const auto lengths = ids.ne(kPad).sum(1);
    const auto offsets = torch::cat({torch::zeros({1}, torch::kLong), lengths.cumsum(0)});
    const auto rows = ids.ne(kPad).flatten().nonzero().squeeze(1);
    return models::Packed{ids.flatten().index_select(0, rows),
                          {offsets, offsets.to(torch::kInt), rows % ids.size(1), ids.size(1)}};
  };
  const auto source = packed(batch.source), target = packed(batch.target);
  for (const auto& [name, options] : all_variants()) {
    INFO(name);
    auto model = model_of(options);
    model->train();
    if (nn::statistics_of(options.norm_type) > 0) {  // of padded ones nobody knows what is padding
      CHECK_THROWS_WITH(model->forward(batch.source, batch.target),
                        ContainsSubstring("expected packed sequences"));
      model->eval();
    }
    const auto compute_in_scope = [&](const auto& forward) {
      const ops::DropoutScope scope(1, 2, {11, 12});
      const auto logits = forward();
      torch::manual_seed(9);
      const auto gradients = torch::autograd::grad({(logits * torch::randn(logits.sizes())).sum()},
                                                   test::learned_tensors(model));
      return Computed{logits.detach(), gradients};
    };
    const auto found =
        compute_in_scope([&] { return model->logits(model->decode(target, model->encode(source)).rows); });
    const auto expected = compute_in_scope(
        [&] { return ops::pack(model->forward(batch.source, batch.target), target.sequences); });
    CHECK(relative_difference(found.logits, expected.logits) < 1e-5);
    double largest = 0;
    for (const auto& gradient : expected.gradients)
      largest = std::max(largest, gradient.abs().max().item<double>());
    for (std::size_t i = 0; i < expected.gradients.size(); ++i)
      CHECK(relative_difference(found.gradients[i], expected.gradients[i], 1e-2 * largest) < 1e-3);
  }
}

TEST_CASE("training reaches variants from outside: gradients are those of finite differences") {
  for (auto [name, options] : test::single_variants()) {
    if (options.variants == variants::Choices{}) continue;
    INFO(name);
    options.dropout = 0;  // a loss without chance
    auto model = model_of(options);
    model->train();
    const Batch batch;
    torch::manual_seed(9);
    const auto weights = torch::randn({2, batch.target.size(1), kVocabulary});
    const auto loss = [&] { return (model->forward(batch.source, batch.target) * weights).mean(); };
    std::size_t seen = 0;
    for (const auto& parameter : model->named_parameters()) {
      if (parameter.key().find(".variant.") == std::string::npos) continue;
      INFO(parameter.key());
      ++seen;
      auto values = parameter.value();
      const auto gradient = torch::autograd::grad({loss()}, {values})[0];
      const auto direction = gradient / gradient.norm();
      const torch::NoGradGuard no_gradients;
      const double step = 2e-3;
      values.add_(direction, step);
      const double above = loss().item<double>();
      values.sub_(direction, 2 * step);
      const double below = loss().item<double>();
      values.add_(direction, step);
      CHECK((above - below) / (2 * step) == Approx(gradient.norm().item<double>()).epsilon(0.02));
    }
    CHECK(seen > 1);
  }
}

// Section 3.1: "the predictions for position i can depend only on the known outputs at positions less than
// i".
TEST_CASE("no position sees a later one, for every option") {
  const torch::NoGradGuard no_gradients;
  for (const auto& [name, options] : all_variants()) {
    INFO(name);
    auto model = model_of(options);
    const Batch batch;
    const auto before = model->forward(batch.source, batch.target);
    constexpr std::int64_t kFrom = 3;
    auto changed = batch.target.clone();
    changed.slice(1, kFrom).fill_(kVocabulary - 1);
    const auto after = model->forward(batch.source, changed);
    CHECK(torch::equal(after.slice(1, 0, kFrom), before.slice(1, 0, kFrom)));
    const bool sees = !torch::equal(after.slice(1, kFrom), before.slice(1, kFrom));
    // Without residual connections random weights may leave nothing of the input.
    CHECK((sees || !options.residual));
  }
}

TEST_CASE("the step with a cache gives what the whole decoder gives, for every option") {
  const torch::NoGradGuard no_gradients;
  for (const auto& [name, options] : all_variants()) {
    INFO(name);
    auto model = model_of(options);
    model->to(torch::kDouble);
    const Batch batch;
    const auto source = model->encode(batch.source);
    const auto whole = model->logits(model->decode(batch.target, source));
    auto cache = model->start(source);
    for (std::int64_t t = 0; t < batch.target.size(1); ++t) {
      const auto next = model->step(batch.target.slice(1, t, t + 1), cache).squeeze(1);
      // Behind a row's end the whole decoder sees padding, and so does the step.
      CHECK(relative_difference(next, whole.select(1, t)) < 1e-6);
    }
  }
}

TEST_CASE("the engine gives what the modules give, or names the option, for every option") {
  const torch::NoGradGuard no_gradients;
  std::size_t computed = 0, declined = 0;
  for (const auto& [name, options] : all_variants()) {
    INFO(name);
    auto model = model_of(options);
    const auto unknown = engine::unsupported(options);
    if (unknown) {
      ++declined;
      test::check_refused([&] { translation::pack(model, engine::Precision::fp32); }, {*unknown});
      continue;
    }
    ++computed;
    const auto packed = translation::pack(model, engine::Precision::fp32);
    engine::BatchDecoder decoder(packed);
    const auto sources = test::random_sources(3, {7, 4, 1}, kVocabulary);
    std::vector<test::Ids> rows;
    for (std::int64_t row = 0; row < sources.size(0); ++row) {
      const auto ids = test::alone(sources, row)[0].to(torch::kInt);
      rows.emplace_back(ids.data_ptr<std::int32_t>(), ids.data_ptr<std::int32_t>() + ids.numel());
    }
    const search::DecodeOptions search{.beam = 3, .length_offset = 4, .nbest = 3};
    const auto found = translation::beam_search(decoder, rows, search)[0];
    const auto expected = translation::beam_search(model, sources, search)[0];
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i].size() == expected[i].size());
      for (std::size_t j = 0; j < found[i].size(); ++j)
        CHECK(found[i][j].score == Approx(expected[i][j].score).margin(1e-3));
      CHECK(found[i].front().ids == expected[i].front().ids);
    }
  }
  CHECK(computed > 20);
  CHECK(declined > 1);
}

TEST_CASE("steps on a device find what the modules find, or name the option, for every option") {
  const torch::NoGradGuard no_gradients;
  const search::DecodeOptions search{.beam = 3, .length_offset = 12, .nbest = 3};
  std::size_t computed = 0, declined = 0;
  for (const auto& [name, options] : all_variants()) {
    INFO(name);
    auto model = model_of(options);
    model->eval();
    model->to(torch::kDouble);
    if (const auto unknown = translation::DeviceSteps::unsupported(options, search)) {
      ++declined;
      CHECK_THAT(*unknown, ContainsSubstring("model."));
      continue;
    }
    ++computed;
    const auto sources = test::random_sources(3, {7, 4, 1}, kVocabulary);
    const auto limits = translation::length_limits(*model, sources, search);
    const auto found =
        search::beam_search(limits, search, translation::DeviceSteps(model, sources, limits, search), {});
    const auto expected = search::beam_search(limits, search, translation::ModuleSteps(model, sources), {});
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i].size() == expected[i].size());
      for (std::size_t j = 0; j < found[i].size(); ++j) {
        CHECK(found[i][j].ids == expected[i][j].ids);
        CHECK(found[i][j].score == Approx(expected[i][j].score).margin(1e-5));
      }
    }
  }
  CHECK(computed > 20);
  CHECK(declined > 1);
}

TEST_CASE("parameters and operations are counted as they are, for every option") {
  for (const auto& [name, options] : all_variants()) {
    INFO(name);
    auto model = model_of(options);
    std::int64_t parameters = 0, statistics = 0;
    for (const auto& parameter : model->parameters())
      (parameter.requires_grad() ? parameters : statistics) += parameter.numel();
    CHECK(models::count_parameters(options, model->vocabulary()).total() == parameters);
    CHECK(models::count_statistics(options) == statistics);

#ifdef NDEBUG
    const torch::NoGradGuard no_gradients;
    model->to(torch::kDouble);  // operation by operation
    const auto source = test::random_sources(3, {7, 7}, kVocabulary);
    const auto target = test::random_sources(4, {5, 5}, kVocabulary);
    models::TokenCounts counts;
    for (int i = 0; i < 2; ++i) counts.add_pair(source.size(1), target.size(1));
    const ProductCounter counter;
    model->forward(source, target);
    const double counted = models::forward_flops(options, model->vocabulary(), counts).total();
    if (options.attention_window == 0)
      CHECK(ProductCounter::total == Approx(counted).epsilon(1e-12));
    else  // of a window the pairs in reach count; whoever computes with masks or blocks computes more
      CHECK(ProductCounter::total > counted);
#endif
  }
}

TEST_CASE("every value that is not the paper's is named among the departures") {
  const auto usual = config::departures({});
  const auto first = experiment_of(test::single_variants().front().options);
  for (const auto& [name, options] : test::single_variants()) {
    INFO(name);
    const auto variant = experiment_of(options);
    config::Experiment experiment;  // what differs from the tiny model, in the paper's base model
    for (const auto& key : config::keys())
      if (key.name.starts_with("model.") && config::is_written(key.kind) &&
          key.get(variant) != key.get(first))
        REQUIRE(key.set(experiment, {.text = key.get(variant)}));
    // The tiny model itself, and what says something of learned, relative or rotary positions where there are
    // none.
    const bool is_usual = options == first.model || name.starts_with("model.max_positions ") ||
                          name.starts_with("model.relative_distance ") ||
                          name.starts_with("model.rotary_base ");
    CHECK((config::departures(experiment) == usual) == is_usual);
  }
}
