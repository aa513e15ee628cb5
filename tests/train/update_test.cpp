#include "transformer/train/update.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "tests/data/write_dataset.h"
#include "tests/train/random_data.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/tasks/next_tokens.h"
#include "transformer/train/evaluation.h"
#include "transformer/train/optimizers/adam.h"

namespace transformer::train {
namespace {

using Update = data::BatchPlan::Update;

/// A model after one update, with the update's gradients still in place.
struct Updated {
  models::EncoderDecoder model = test::exact_model();
  UpdateResult result;

  Updated(const data::Dataset& data, const Update& update, double clip = 0.0, double r_drop = 0.0,
          bool clip_sum = false) {
    Adam adam(checkpoints::named_parameters(model), TrainOptions{});
    tasks::NextTokens objective(model, data, {.label_smoothing = 0.1, .r_drop = r_drop});
    result = Updater(objective, adam, {.clip = clip, .clip_sum = clip_sum})
                 .run(objective.examples(), update, 0.01, 1);
  }

  double gradient_norm() const {
    double square = 0;
    for (const auto& value : model->parameters()) square += value.grad().square().sum().item<double>();
    return std::sqrt(square);
  }
};

TEST_CASE("an update does not depend on how it is cut into micro-batches") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 12);
  const Updated whole(data, {test::numbers(0, 12)});
  const Update thirds = {test::numbers(0, 2), test::numbers(2, 9), test::numbers(9, 12)};
  Update singles;
  for (std::int64_t i = 0; i < 12; ++i) singles.push_back({11 - i});
  for (const auto& cut : {thirds, singles}) {
    const Updated other(data, cut);
    CHECK(other.result.loss == Approx(whole.result.loss).epsilon(1e-11));
    CHECK(other.result.gradient_norm == Approx(whole.result.gradient_norm).epsilon(1e-11));
    for (const auto& parameter : whole.model->named_parameters()) {
      INFO(parameter.key());
      const auto same = other.model->named_parameters()[parameter.key()];
      const double scale = parameter.value().grad().abs().max().item<double>();
      CHECK(test::difference(parameter.value().grad(), same.grad()) <= 1e-9 * scale + 1e-15);
      CHECK(test::difference(parameter.value(), same) < 1e-6);
    }
  }
}

/// What an update of a model with every dropout computes.
struct Dropped {
  UpdateResult result;
  std::vector<torch::Tensor> gradients;

  Dropped(const data::Dataset& data, const Update& update, torch::ScalarType precision,
          std::uint64_t seed = 3, std::int64_t step = 7, double r_drop = 0.0) {
    auto options = test::tiny_model();
    options.dropout = options.attention_dropout = options.activation_dropout = 0.3;
    torch::manual_seed(1);
    models::EncoderDecoder model(options, models::VocabularySizes{test::kVocabulary, test::kVocabulary});
    Adam adam(checkpoints::named_parameters(model), TrainOptions{});
    tasks::NextTokens objective(model, data, {.label_smoothing = 0.1, .r_drop = r_drop});
    torch::manual_seed(static_cast<std::uint64_t>(update.size()));  // which decides nothing here
    result = Updater(objective, adam, {.precision = precision, .seed = seed})
                 .run(objective.examples(), update, 0.01, step);
    for (const auto& value : model->parameters()) gradients.push_back(value.grad().clone());
  }

  /// The largest difference of a gradient, as a share of its largest element.
  double difference_to(const Dropped& other) const {
    double largest = 0;
    for (std::size_t i = 0; i < gradients.size(); ++i)
      largest = std::max(largest, test::difference(gradients[i], other.gradients[i]) /
                                      gradients[i].abs().max().item<double>());
    return largest;
  }
};

TEST_CASE("dropout's masks depend on seed, step and examples, not on how an update is cut") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 12);
  const Update whole = {test::numbers(0, 12)};
  const Update halves = {test::numbers(0, 6), test::numbers(6, 12)};
  const Update fifths = {{11, 3, 5}, {0, 10}, {8}, {2, 1, 9, 4}, {7, 6}};
  Update shuffled = {test::numbers(0, 12)};
  std::ranges::reverse(shuffled[0]);
  for (const auto precision : {torch::kFloat, torch::kBFloat16}) {
    INFO(precision);
    const bool exact = precision == torch::kFloat;
    const Dropped expected(data, whole, precision);
    for (const auto& cut : {whole, halves, fifths, shuffled}) {
      const Dropped found(data, cut, precision);
      CHECK(found.result.loss == Approx(expected.result.loss).epsilon(exact ? 1e-6 : 2e-3));
      CHECK(found.difference_to(expected) < (exact ? 2e-5 : 0.05));
    }
    // The same sentences with other masks.
    CHECK(Dropped(data, halves, precision, 4).difference_to(expected) > 0.2);
    CHECK(Dropped(data, halves, precision, 3, 8).difference_to(expected) > 0.2);
  }
}

TEST_CASE("R-Drop's two passes have masks of their own, which depend on what one pass's do") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 12);
  const Update whole = {test::numbers(0, 12)}, fifths = {{11, 3, 5}, {0, 10}, {8}, {2, 1, 9, 4}, {7, 6}};
  for (const auto precision : {torch::kFloat, torch::kBFloat16}) {
    INFO(precision);
    const bool exact = precision == torch::kFloat;
    const Dropped twice(data, whole, precision, 3, 7, 5.0), cut(data, fifths, precision, 3, 7, 5.0);
    CHECK(cut.result.loss == Approx(twice.result.loss).epsilon(exact ? 1e-6 : 2e-3));
    CHECK(cut.difference_to(twice) < (exact ? 2e-5 : 0.05));
    const Dropped once(data, whole, precision);
    CHECK(twice.difference_to(once) > 0.2);
    CHECK(twice.result.loss > once.result.loss);  // the passes differ
    CHECK(twice.result.flops == 2 * once.result.flops);
    CHECK(twice.result.target_tokens == once.result.target_tokens);
    CHECK(Dropped(data, whole, precision, 4, 7, 5.0).difference_to(twice) > 0.2);
    CHECK(Dropped(data, whole, precision, 3, 8, 5.0).difference_to(twice) > 0.2);
  }
}

TEST_CASE("without dropout R-Drop's update is the plain one") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 12);
  const Update update = {test::numbers(0, 7), test::numbers(7, 12)};
  const Updated plain(data, update), twice(data, update, 0.0, 5.0);
  CHECK(twice.result.loss == Approx(plain.result.loss).epsilon(1e-11));
  CHECK(twice.result.nll == Approx(plain.result.nll).epsilon(1e-11));
  CHECK(twice.result.gradient_norm == Approx(plain.result.gradient_norm).epsilon(1e-11));
  for (const auto& parameter : plain.model->named_parameters()) {
    INFO(parameter.key());
    CHECK(test::difference(parameter.value(), twice.model->named_parameters()[parameter.key()]) < 1e-9);
  }
}

TEST_CASE("an update reports losses from before it, and real tokens") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 6);
  auto before = test::exact_model();
  tasks::NextTokens objective(before, data, {.label_smoothing = 0.1});
  const auto expected = evaluate_loss(objective, torch::kFloat);
  const Updated updated(data, {test::numbers(0, 4), test::numbers(4, 6)});
  const auto& result = updated.result;
  CHECK(result.target_tokens == data.target_tokens() + 6);
  CHECK(result.source_tokens == data.source_tokens() + 6);
  CHECK(result.flops == objective.examples().flops({test::numbers(0, 6)}));
  const auto tokens = static_cast<double>(result.target_tokens);
  CHECK(result.loss / tokens == Approx(expected.loss).epsilon(1e-11));
  CHECK(result.nll / tokens == Approx(expected.nll).epsilon(1e-11));
  CHECK(result.gradient_norm == Approx(updated.gradient_norm()).epsilon(1e-11));
}

TEST_CASE("clipping may be of the gradient of the tokens' sum, which then is divided by their number") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 12);
  const Update update = {test::numbers(0, 5), test::numbers(5, 12)};
  const Updated free(data, update);
  const auto tokens = static_cast<double>(free.result.target_tokens);
  const double sum = free.result.gradient_norm * tokens;
  const Updated clipped(data, update, 0.5 * sum, 0, true), large(data, update, 2 * sum, 0, true);
  CHECK(clipped.gradient_norm() == Approx(0.5 * sum / tokens).epsilon(1e-11));
  CHECK(large.gradient_norm() == Approx(sum / tokens).epsilon(1e-11));
}

TEST_CASE("clipping limits the norm of the whole gradient") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 6);
  const Update update = {test::numbers(0, 6)};
  const Updated free(data, update);
  const double limit = free.result.gradient_norm / 3;
  const Updated clipped(data, update, limit);
  CHECK(clipped.result.gradient_norm == Approx(free.result.gradient_norm).epsilon(1e-11));
  CHECK(clipped.gradient_norm() == Approx(limit).epsilon(1e-11));
}

TEST_CASE("an update's gradients do not add to those of the one before") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 6);
  const Update update = {test::numbers(0, 6)};
  auto model = test::exact_model();
  Adam adam(checkpoints::named_parameters(model), TrainOptions{});
  tasks::NextTokens objective(model, data, {});
  Updater updater(objective, adam, {});
  const auto first = updater.run(objective.examples(), update, 0.0, 1);
  const auto second = updater.run(objective.examples(), update, 0.0, 1);
  CHECK(first.gradient_norm == second.gradient_norm);
}

TEST_CASE("repeated updates lower the loss, also in bf16") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 6);
  torch::manual_seed(1);
  models::EncoderDecoder model(test::tiny_model(),
                               models::VocabularySizes{test::kVocabulary, test::kVocabulary});
  Adam adam(checkpoints::named_parameters(model), TrainOptions{});
  tasks::NextTokens objective(model, data, {});
  Updater updater(objective, adam, {.precision = GENERATE(torch::kFloat, torch::kBFloat16)});
  const double first = updater.run(objective.examples(), {test::numbers(0, 6)}, 0.003, 0).loss;
  double last = first;
  for (int step = 1; step <= 30; ++step)
    last = updater.run(objective.examples(), {test::numbers(0, 6)}, 0.003, step).loss;
  CHECK(last < 0.7 * first);
  for (const auto& value : model->parameters()) REQUIRE(value.scalar_type() == torch::kFloat);
}

/// Weights and moments, to see that an update left them alone.
std::vector<torch::Tensor> copies(const models::EncoderDecoder& model, const Optimizer& adam) {
  std::vector<torch::Tensor> all;
  for (const auto& value : model->parameters()) all.push_back(value.detach().clone());
  for (const auto& [name, moment] : adam.state()) all.push_back(moment.clone());
  return all;
}

void check_equal(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(torch::allclose(a[i], b[i], 0, 0, /*equal_nan=*/true));
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

TEST_CASE("an update with NaN changes nothing and names the sentences that have it") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 12);
  auto options = test::tiny_model();
  options.tie = nn::Tie::none;  // so that only sentences with this very source token are touched
  models::EncoderDecoder model(options, models::VocabularySizes{test::kVocabulary, test::kVocabulary});
  const std::int32_t poison = data.source(3)[0];
  std::vector<std::int64_t> poisoned;
  for (std::int64_t i = 0; i < data.size(); ++i)
    if (std::ranges::count(data.source(i), poison) > 0) poisoned.push_back(i);
  REQUIRE(poisoned.size() < 12);
  {
    const torch::NoGradGuard no_gradients;
    model->named_parameters()["source_embedding.weight"][poison].fill_(NAN);
  }
  Adam adam(checkpoints::named_parameters(model), TrainOptions{});
  tasks::NextTokens objective(model, data, {});
  Updater updater(objective, adam, {});
  Update singles;
  for (std::int64_t i = 0; i < 12; ++i) singles.push_back({i});
  const auto before = copies(model, adam);
  const auto result = updater.run(objective.examples(), singles, 0.01, 1);
  CHECK(result.skipped());
  CHECK(sorted(result.suspects) == poisoned);
  CHECK(std::isnan(result.loss));
  check_equal(copies(model, adam), before);
}

TEST_CASE("an update with a finite loss and an infinite gradient names all of its sentences") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 6);
  auto model = test::exact_model();
  model->parameters()[0].register_hook([](const torch::Tensor& gradient) { return gradient * INFINITY; });
  Adam adam(checkpoints::named_parameters(model), TrainOptions{});
  tasks::NextTokens objective(model, data, {});
  Updater updater(objective, adam, {.clip = 1.0});
  const auto before = copies(model, adam);
  const auto result = updater.run(objective.examples(), {test::numbers(0, 4), test::numbers(4, 6)}, 0.01, 1);
  CHECK(std::isfinite(result.loss));
  CHECK_FALSE(std::isfinite(result.gradient_norm));
  CHECK(result.suspects == test::numbers(0, 6));
  check_equal(copies(model, adam), before);
}

namespace {

/// Tells which batches are made.
class Watched : public Examples {
 public:
  explicit Watched(const Examples& examples) : examples_(examples) {}
  data::BatchSize size_of(const MicroBatch& examples) const override { return examples_.size_of(examples); }
  double flops(const Update& update) const override { return examples_.flops(update); }
  std::any make_batch(const MicroBatch& examples) const override {
    made.push_back(examples);
    if (examples == fails) {
      fails.clear();
      throw std::bad_alloc();
    }
    return examples_.make_batch(examples);
  }

  mutable Update made;
  mutable MicroBatch fails;  ///< the first time

 private:
  const Examples& examples_;
};

}  // namespace

TEST_CASE("the next update's first batch is made in this one, once, and changes nothing") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 9);
  const Examples::Update first{{0, 1}, {2}}, second{{3, 4}, {5}}, third{{6}, {7, 8}};
  const auto train = [&](bool ahead, const Examples::Update* wrong) {
    auto model = test::exact_model();
    Adam adam(checkpoints::named_parameters(model), TrainOptions{});
    tasks::NextTokens objective(model, data, {});
    const Watched examples(objective.examples());
    Updater updater(objective, adam, {});
    updater.run(examples, first, 0.01, 1, ahead ? &second : nullptr);
    CHECK(examples.made.size() == (ahead ? 3 : 2));
    updater.run(examples, second, 0.01, 2, ahead ? (wrong ? wrong : &third) : nullptr);
    updater.run(examples, third, 0.01, 3);
    if (!wrong) CHECK(examples.made == Examples::Update{{0, 1}, {2}, {3, 4}, {5}, {6}, {7, 8}});
    return copies(model, adam);
  };
  const auto expected = train(false, nullptr);
  check_equal(train(true, nullptr), expected);
  check_equal(train(true, &first), expected);  // another one comes than was said
}

TEST_CASE("an update whose successor's batch cannot be made is made once") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 2);
  const Examples::Update first{{0}}, second{{1}};
  const auto train = [&](bool fails) {
    auto model = test::exact_model();
    Adam adam(checkpoints::named_parameters(model), TrainOptions{});
    tasks::NextTokens objective(model, data, {});
    const Watched examples(objective.examples());
    Updater updater(objective, adam, {});
    if (fails) examples.fails = second.front();
    updater.run(examples, first, 0.01, 1, &second);
    CHECK(updater.parts() == 1);
    updater.run(examples, second, 0.01, 2);
    CHECK(examples.made.size() == (fails ? 3 : 2));
    return copies(model, adam);
  };
  check_equal(train(true), train(false));
}

TEST_CASE("an interruption comes between micro-batches and leaves weights and moments alone") {
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 6);
  auto model = test::exact_model();
  Adam adam(checkpoints::named_parameters(model), TrainOptions{});
  std::atomic<bool> interrupted = false;
  tasks::NextTokens objective(model, data, {});
  Updater updater(objective, adam, {.interrupted = &interrupted});
  int backward_passes = 0;
  model->parameters()[0].register_hook([&](const torch::Tensor& gradient) {
    interrupted = ++backward_passes == 2;
    return gradient;
  });
  const auto before = copies(model, adam);
  CHECK_THROWS_AS(updater.run(objective.examples(), {{0}, {1, 2}, {3}, {4, 5}}, 0.01, 1), Interrupted);
  CHECK(backward_passes == 2);
  check_equal(copies(model, adam), before);
}

#ifndef __SANITIZE_ADDRESS__  // which takes an address space of its own
/// Bounds the process's address space to what it has now and so many bytes.
class ShortMemory {
 public:
  explicit ShortMemory(std::size_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{pages * 4096 + bytes, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  ~ShortMemory() { setrlimit(RLIMIT_AS, &before_); }
  ShortMemory(const ShortMemory&) = delete;
  ShortMemory& operator=(const ShortMemory&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("where memory is short, micro-batches are cut and the gradient stays the same") {
  torch::set_num_threads(1);
  const test::TemporaryFolder folder;
  const auto data = test::random_data(folder, 4000);
  const Update update = {test::numbers(0, 4000)};
  const auto make = [] {
    auto options = test::tiny_model();
    options.dropout = 0;
    options.d_ff = 2048;  // 180 MB an activation of all sentences
    torch::manual_seed(1);
    return models::EncoderDecoder(options, models::VocabularySizes{test::kVocabulary, test::kVocabulary});
  };
  auto whole = make(), cut = make();
  Adam whole_adam(checkpoints::named_parameters(whole), {}), cut_adam(checkpoints::named_parameters(cut), {});
  tasks::NextTokens whole_objective(whole, data, {}), cut_objective(cut, data, {});
  const auto expected =
      Updater(whole_objective, whole_adam, {}).run(whole_objective.examples(), update, 0.001, 1);
  Updater updater(cut_objective, cut_adam, {});
  UpdateResult result;
  {
    const ShortMemory limit(400 << 20);
    result = updater.run(cut_objective.examples(), update, 0.001, 1);
  }
  CHECK(updater.parts() > 1);
  CHECK(result.loss == Approx(expected.loss).epsilon(1e-5));
  CHECK(result.gradient_norm == Approx(expected.gradient_norm).epsilon(1e-4));
  for (const auto& parameter : whole->named_parameters())
    CHECK(test::difference(parameter.value().grad(), cut->named_parameters()[parameter.key()].grad()) < 1e-5);
}

TEST_CASE("where memory is short for a single pair, the message gives its shape") {
  const test::TemporaryFolder folder;
  data::Sentences sentence;
  sentence.add(std::vector<std::int32_t>(9000, 5));
  test::write_dataset(folder.path() / "long.bin", sentence, sentence, test::kVocabulary, test::kVocabulary);
  const data::Dataset data(folder.path() / "long.bin");
  auto model = test::exact_model();
  Adam adam(checkpoints::named_parameters(model), {});
  tasks::NextTokens objective(model, data, {});
  Updater updater(objective, adam, {});
  const ShortMemory limit(50 << 20);
  CHECK_THROWS_WITH(updater.run(objective.examples(), {{0}}, 0.001, 1),
                    ContainsSubstring("1 × (9001 source and 9001 target tokens)"));
}
#endif

}  // namespace
}  // namespace transformer::train
