// Page 10: how the next word is drawn.
#include <cmath>
#include <vector>

#include "examples/tutorial/page.h"
#include "transformer/base/special_tokens.h"
#include "transformer/search/sampling.h"

using namespace transformer;

namespace {

// --- words
struct Word {
  const char* text;
  double probability;
};

// Behind "It takes great". The numbers are made up.
const std::vector<Word> kNext = {{"courage", .4}, {"patience", .2}, {"care", .15},   {"effort", .1},
                                 {"skill", .05},  {"pride", .04},   {"length", .03}, {"banana", .03}};

std::vector<float> logits() {
  std::vector<float> all(kEos + 1, -INFINITY);  // no special token
  for (const auto& word : kNext) all.push_back(static_cast<float>(std::log(word.probability)));
  return all;
}
// ---

// --- shares
/// How often each word is drawn if the uniform numbers are 0.00005, 0.00015, …
void show_shares(const std::string& name, const search::SamplingOptions& options) {
  constexpr int kDraws = 10'000;
  search::Sampler sampler(options);
  auto shares = torch::zeros({static_cast<std::int64_t>(kNext.size())}, torch::kDouble);
  for (int i = 0; i < kDraws; ++i)
    shares[sampler.draw(logits(), {}, (i + 0.5) / kDraws).token - (kEos + 1)] += 1.0 / kDraws;
  tutorial::show(name, shares, 2);
}
// ---

}  // namespace

void tutorial::sampling() {
  section("likeliest");
  show_shares("temperature 0", {.temperature = 0});

  section("draw");
  show_shares("as the model says", {});

  section("temperature");
  show_shares("temperature 0.5", {.temperature = 0.5});
  show_shares("temperature 2", {.temperature = 2});

  section("tail");
  show("a word beyond the first four", 0.15, 2);
  show("one in twenty words", 1 - std::pow(0.85, 20), 2);

  section("cut");
  show_shares("top-k 4", {.top_k = 4});
  show_shares("top-p 0.7", {.top_p = 0.7});
  show_shares("min-p 0.3", {.min_p = 0.3});
}
