#include "transformer/config/keys.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "tests/catch.h"
#include "transformer/config/other_toolkits.h"
#include "transformer/config/yaml.h"

using namespace transformer::config;

TEST_CASE("keys have distinct names, a line of help and a default that they accept") {
  std::set<std::string> names;
  for (const Key& key : keys()) {
    CAPTURE(key.name);
    CHECK(names.insert(key.name).second);
    CHECK_FALSE(key.help.empty());
    CHECK(key.help.find('\n') == std::string::npos);
    CHECK_FALSE(key.expected.empty());
    CHECK(find_key(key.name) == &key);
    Experiment experiment;
    auto text = key.get(experiment);
    if (!text.empty() && text.front() == '"') text = text.substr(1, text.size() - 2);
    CHECK(key.set(experiment, {.text = text}));
    CHECK(experiment == Experiment{});
  }
  CHECK(find_key("model.headz") == nullptr);
}

TEST_CASE("an output is at most so much longer than its source") {
  const Key* key = find_key("decode.length_offset");
  Experiment experiment;
  CHECK(key->set(experiment, {.text = "4096"}));
  CHECK_FALSE(key->set(experiment, {.text = "4097"}));
  CHECK(key->expected == "a whole number from 0 to 4096");
}

TEST_CASE("the tokens of a micro-batch are a number or auto") {
  const Key* key = find_key("train.micro_tokens");
  Experiment experiment;
  CHECK(key->get(experiment) == "auto");
  CHECK(key->set(experiment, {.text = "2300"}));
  CHECK(experiment.train.micro_tokens == 2300);
  CHECK(key->get(experiment) == "2300");
  for (const auto* text : {"0", "-1", "1.5", "Auto", ""}) CHECK_FALSE(key->set(experiment, {.text = text}));
  CHECK_FALSE(key->set(experiment, {.text = "2300", .quoted = true}));
  CHECK(experiment.train.micro_tokens == 2300);
  CHECK(key->set(experiment, {.text = "auto"}));
  CHECK_FALSE(experiment.train.micro_tokens);
  CHECK(key->expected == "a whole number from 1 to 1000000000000, or auto");
}

TEST_CASE("a training goes on with the tokens of a micro-batch that it found") {
  Experiment begun, now;
  begun.train.micro_tokens = 2300;
  CHECK(differences_in_weights(begun, now).empty());
  CHECK(differences_in_weights(now, begun) ==
        std::vector<Difference>{{"train.micro_tokens", "auto", "2300"}});
  now.train.micro_tokens = 4096;
  CHECK(differences_in_weights(begun, now) ==
        std::vector<Difference>{{"train.micro_tokens", "2300", "4096"}});
}

TEST_CASE("the nearest key is found over misspelling and a wrong section") {
  CHECK(nearest_key("model.headz") == "model.heads");
  CHECK(nearest_key("heads") == "model.heads");
  CHECK(nearest_key("train.heads") == "model.heads");
  CHECK(nearest_key("model.beam") == "decode.beam");
  CHECK(nearest_key("train.label_smooting") == "train.label_smoothing");
  CHECK(nearest_key("sead") == "seed");
  CHECK(nearest_key("extend") == "extends");
  CHECK(nearest_section("modle") == "model");
  CHECK(nearest_section("training") == "train");
  CHECK(nearest_key("model_heads") == "model.heads");
  CHECK(nearest_key("model.dropout_p") == "model.dropout");
}

TEST_CASE("what is near to no key is taken for none") {
  for (const auto* name : {"train.lr", "train.swa", "lr", "model.x", "train.", "", "data.corpus"}) {
    CAPTURE(name);
    CHECK(nearest_key(name).empty());
  }
  CHECK(nearest_section("corpus").empty());
  CHECK(describe_unknown("data.corpus") ==
        "unknown; transformer-inspect --help-config lists the keys that there are");
  CHECK(describe_unknown("corpus", true) == describe_unknown("data.corpus"));
}

TEST_CASE("names of other toolkits are answered with what says it here") {
  const auto here = [](const char* name) { return describe_unknown(name); };
  CHECK_THAT(here("train.lr"),
             ContainsSubstring("in its place there is 'train.factor': the peak rate where train.schedule is "
                               "not noam; under noam, the default, it multiplies"));
  CHECK_THAT(here("optim"), ContainsSubstring("in its place there is 'train.optimizer'"));
  CHECK_THAT(here("train.criterion"), ContainsSubstring("in its place there is nothing: the smoothed"));
  CHECK_THAT(here("encoder-embed-dim"), ContainsSubstring("in its place there is 'model.d_model'"));
  CHECK_THAT(here("training.num_heads"), ContainsSubstring("in its place there is 'model.heads'"));
  CHECK_THAT(here("train.max_tokens"), ContainsSubstring("data.max_tokens is that of a training sentence"));
  CHECK(here("model.headz") == "unknown; did you mean 'model.heads'?");

  // Every key that a row names is one; no row has a name of ours, or one that another row has.
  std::set<std::string> seen;
  for (const auto& row : other_names()) {
    CAPTURE(row.names);
    std::istringstream names{std::string(row.names)};
    for (std::string name; names >> name;) {
      CAPTURE(name);
      CHECK(seen.insert(name).second);
      CHECK(find_key(name) == nullptr);
      CHECK(name_here("any." + name) == row.here);
    }
    std::istringstream quoted{std::string(row.here)};
    int part = 0;
    for (std::string text; std::getline(quoted, text, '\'');)
      if (++part % 2 == 0) CHECK(find_key(text) != nullptr);
  }
}

TEST_CASE("a suggestion for an endless name takes no time") {
  const std::string endless(10'000'000, 'x');
  CHECK(nearest_key(endless).empty());
  CHECK(nearest_section(endless).empty());
  CHECK(describe_unknown(endless + ".heads").size() < 200);
}

TEST_CASE("the number of steps decides weights only where the rate falls towards the last") {
  Experiment experiment;
  const auto may_change = [&](const char* name) {
    return std::ranges::count(keys_that_decide_no_weights(experiment), name) == 1;
  };
  using transformer::train::Schedule;
  for (const auto schedule : transformer::all_values<Schedule>()) {
    experiment.train.schedule = schedule;
    const bool falls = schedule == Schedule::cosine || schedule == Schedule::linear;
    CHECK(decides_weights("train.steps", experiment) == falls);
    CHECK(may_change("train.steps") == !falls);
    CHECK(may_change("train.epochs") == !falls);
    CHECK(may_change("train.keep"));
    CHECK(may_change("decode.*"));
    for (const auto* name : {"train.weight_decay", "train.floor", "train.schedule", "seed"})
      CHECK(decides_weights(name, experiment));

    auto longer = experiment;
    longer.train.steps += 1000;
    CHECK(differences_in_weights(experiment, longer).empty() == !falls);
  }
}

TEST_CASE("sections are not keys") {
  CHECK(is_section("model"));
  CHECK_FALSE(is_section("seed"));
  CHECK_FALSE(is_section("model.heads"));
  CHECK_FALSE(is_section(""));
}

TEST_CASE("the printed reference names every key with its default") {
  const auto text = describe_keys();
  for (const Key& key : keys()) CHECK_THAT(text, ContainsSubstring(key.name + " "));
  CHECK_THAT(text, ContainsSubstring("Adam's (default: 0.98)"));
  CHECK_THAT(text, ContainsSubstring("one of interleaved, halves, tensor2tensor, learned"));
}

TEST_CASE("what was said of BLEU before there were other metrics still holds") {
  const auto parsed = [](const std::string& train) {
    return parse_experiment("train: {" + train + "}", "c.yaml").train;
  };
  const auto old = parsed("metric: chrf, best: bleu, bleu_every: 10");
  CHECK(old.metric_every == 10);
  CHECK(old.metric == "chrf");  // said in the same place, it is the nearer word
  CHECK(old.best == transformer::train::BestBy::metric);
  CHECK(parsed("bleu_every: 10").metric == "bleu");
  CHECK(parse_experiment("train: {metric: chrf, metric_every: 5}", "c.yaml", {"train.bleu_every=7"})
            .train.metric == "bleu");
  CHECK(parse_experiment("train: {metric: chrf}", "c.yaml", {"train.bleu_every=0"}).train.metric == "chrf");
  CHECK_THAT(to_yaml(parse_experiment("train: {best: bleu, bleu_every: 10}", "c.yaml")),
             ContainsSubstring("  metric: bleu\n  metric_every: 10\n  best: metric\n"));
}
