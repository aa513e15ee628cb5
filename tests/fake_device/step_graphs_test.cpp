// A search whose steps are graphs finds what it finds by steps that are computed operation by operation.
#include "transformer/translation/step_graphs.h"

#include <ATen/Context.h>

#include "tests/catch.h"
#include "tests/fake_device/tested_device.h"
#include "tests/translation/toy_model.h"
#include "transformer/nn/variants.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/device_choices.h"
#include "transformer/runtime/memory.h"
#include "transformer/search/beam_search.h"
#include "transformer/translation/device_steps.h"
#include "transformer/translation/model_search.h"

using namespace transformer;
using translation::StepGraphs;

namespace {

constexpr std::int64_t kVocabulary = 40;
const search::DecodeOptions kSearch{.beam = 4, .length_offset = 20, .nbest = 3};

/// Does in a step what a graph cannot do again. There is one at a time.
class Unsteady : public nn::NormVariant {
 public:
  explicit Unsteady(const variants::Place&, const variants::Values&) {}

  torch::Tensor forward(const torch::Tensor& x) override {
    if (reads_back) x.sum().item();
    ++calls;
    return torch::layer_norm(x, x.size(-1)) * (calls >= other_from && calls < other_to ? -1 : 1);
  }

  static inline bool reads_back = false;
  static inline int calls = 0, other_from = 0, other_to = 0;
};

models::EncoderDecoder on_device(models::EncoderDecoder model) {
  runtime::move_to(*model, test::tested_device());
  return model;
}

models::EncoderDecoder unsteady_model() {
  static const bool known = [] {
    nn::add_variant<Unsteady>({.name = "unsteady", .about = "for this test"});
    return true;
  }();
  CHECK(known);
  torch::manual_seed(4);
  models::ModelOptions options = test::toy_model(1, kVocabulary)->options();
  options.variants.norm.name = "unsteady";
  models::EncoderDecoder model(options, models::VocabularySizes{kVocabulary, kVocabulary});
  model->eval();
  return on_device(model);
}

/// Of some shapes, which come again and again.
std::vector<torch::Tensor> batches() {
  std::vector<torch::Tensor> all;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    all.push_back(test::random_sources(seed, {5, 0, 9, 3, 12, 7}, kVocabulary));
    all.push_back(test::random_sources(seed, {20, 4, 31}, kVocabulary));
    all.push_back(test::random_sources(seed, {6}, kVocabulary));
    all.push_back(test::random_sources(seed, {2, 3, 2, 5, 2, 1, 1, 3, 5}, kVocabulary));
  }
  return all;
}

search::Found search_for(models::EncoderDecoder& model, const torch::Tensor& sources, StepGraphs* graphs) {
  const translation::SearchMode mode(model);
  const auto limits = translation::length_limits(*model, sources, kSearch);
  return search::beam_search(limits, kSearch,
                             translation::DeviceSteps(model, sources, limits, kSearch, graphs), {});
}

void check_equal_finds(const search::Found& found, const search::Found& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t row = 0; row < found.size(); ++row) {
    REQUIRE(found[row].size() == expected[row].size());
    for (std::size_t i = 0; i < found[row].size(); ++i) {
      CAPTURE(row, i);
      if (test::near_graphs() == 0) CHECK(found[row][i].ids == expected[row][i].ids);
      CHECK(found[row][i].score == Approx(expected[row][i].score).epsilon(test::near_graphs()).margin(0));
    }
  }
}

void check_searches(models::EncoderDecoder& model, StepGraphs& graphs) {
  for (const auto& sources : batches())
    check_equal_finds(search_for(model, sources, &graphs), search_for(model, sources, nullptr));
}

}  // namespace

TEST_CASE("a search whose steps are graphs finds what it finds without", "[device]") {
  const auto [positions, precision] = GENERATE(std::pair{nn::Positions::interleaved, torch::kFloat},
                                               std::pair{nn::Positions::learned, torch::kBFloat16},
                                               std::pair{nn::Positions::rotary, torch::kHalf},
                                               std::pair{nn::Positions::alibi, torch::kBFloat16},
                                               std::pair{nn::Positions::every_layer, torch::kFloat});
  INFO(nn::name_of(positions) << ' ' << torch::toString(precision));
  auto model = on_device(test::toy_model(3, kVocabulary, positions, 70));
  const runtime::PrecisionScope scope(precision);
  StepGraphs graphs(model);
  check_searches(model, graphs);
  CHECK(graphs.size() > 5);
  CHECK(graphs.size() < 40);
}

TEST_CASE("a decoder has graphs where steps can be graphs", "[device]") {
  auto model = on_device(test::toy_model(3, kVocabulary));
  CHECK(StepGraphs::of(model));
  CHECK_FALSE(StepGraphs::of(test::toy_model(3, kVocabulary)));  // on the CPU
  CHECK_FALSE(StepGraphs::of(nullptr));                          // of another kind
  CHECK_FALSE(StepGraphs::of(unsteady_model()));                 // a part from outside
  at::globalContext().setDeterministicAlgorithms(true, false);
  CHECK_FALSE(StepGraphs::of(model));
  at::globalContext().setDeterministicAlgorithms(false, false);
  runtime::device_choices().graphs = false;
  CHECK_FALSE(StepGraphs::of(model));
  runtime::device_choices().graphs = true;
}

TEST_CASE("eight steps that are a graph are one launch for the host, and one copy") {
  auto model = on_device(test::toy_model(3, kVocabulary));
  translation::ModuleDecoder decoder(model);
  const auto sources = test::random_sources(4, {25, 25}, kVocabulary);
  const search::DecodeOptions options{.beam = 4, .alpha = 0, .length_offset = 40, .nbest = 4};
  std::vector<test::fake_device::Counts> before;  // what was done before each step
  const auto find = [&] {
    translation::beam_search(decoder, sources, options, {}, {.before_step = [&] {
                               before.push_back(test::fake_device::counts());
                               test::fake_device::reset();
                             }});
  };
  for (int i = 0; i < 3; ++i) {  // the first makes memory grow, so that graphs are made again in the second
    before.clear();
    find();
  }
  constexpr auto kAhead = static_cast<std::size_t>(translation::DeviceSteps::kStepsAhead);
  REQUIRE(before.size() > 2 * kAhead);
  const auto& counts = before[kAhead + 1];
  INFO(counts.table());
  CHECK(counts.operations.at("graph") == 1);
  CHECK(counts.launches == 1);
  CHECK(counts.to_device == 0);
  CHECK(counts.to_host == 1);
  CHECK(counts.waits == 1);
}

TEST_CASE("steps that a device cannot record are computed", "[device]") {
  auto model = unsteady_model();
  StepGraphs graphs(model);
  Unsteady::reads_back = true;
  check_searches(model, graphs);
  Unsteady::reads_back = false;
  CHECK(graphs.size() == 0);
}

TEST_CASE("a graph of other steps is found out, and what is computed counts", "[device]") {
  auto model = unsteady_model();
  const auto sources = batches().front();
  const auto expected = search_for(model, sources, nullptr);
  StepGraphs graphs(model);
  Unsteady::calls = 0;
  search_for(model, sources, nullptr);
  const auto all = Unsteady::calls;
  // The second eight steps are the first to be recorded: their norms turn the sign.
  Unsteady::calls = 0;
  const translation::SearchMode mode(model);
  const auto encoder = 2, step = 6;  // norms of one layer, and of two
  Unsteady::other_from = encoder + 8 * step + 1;
  Unsteady::other_to = encoder + 2 * 8 * step + 1;
  check_equal_finds(search_for(model, sources, &graphs), expected);
  CHECK(Unsteady::calls > all);  // recorded, then computed
  CHECK(graphs.size() == 0);
  Unsteady::other_from = Unsteady::other_to = 0;
}

TEST_CASE("where memory is too short for graphs, a search begins again without") {
  auto model = on_device(test::toy_model(3, kVocabulary));
  const auto sources = test::random_sources(4, {25, 25}, kVocabulary);
  const auto capacity = test::fake_device::memory_use().capacity;
  search_for(model, sources, nullptr);  // which makes what is made once
  runtime::release_kept_memory(test::tested_device());
  const auto expected = search_for(model, sources, nullptr);
  const auto most = test::fake_device::memory_use().most;
  translation::ModuleDecoder decoder(model);
  REQUIRE(decoder.graphs());
  test::fake_device::set_capacity(most);
  const auto found = translation::beam_search(decoder, sources, kSearch)[0];
  test::fake_device::set_capacity(capacity);
  check_equal_finds(found, expected);
  CHECK(decoder.graphs()->declined());
}
