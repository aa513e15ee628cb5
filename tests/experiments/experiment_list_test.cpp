#include "transformer/experiments/experiment_list.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/catch.h"
#include "tests/experiments/lists.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/config/yaml.h"

using namespace transformer;
using namespace transformer::config;
using namespace transformer::experiments;
using transformer::test::find;
using transformer::test::Lists;
using transformer::test::names;
using transformer::test::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("the baseline comes first, whether it is listed or not") {
  const Lists lists;
  CHECK(names(lists.load("base: base.yaml\n")) == std::vector<std::string>{"base"});
  CHECK(names(lists.load("base: base.yaml\nexperiments: [{name: a}, {name: base}, {name: b}]\n")) ==
        std::vector<std::string>{"base", "a", "b"});
}

TEST_CASE("settings are laid over the base, the nearest last") {
  const Lists lists;
  const auto list = lists.load(
      "base: base.yaml\nset: {train.steps: 10, model: {d_ff: 100}}\nexperiments:\n"
      "  - {name: a, set: {model: {d_ff: 200, layers: 1}}}\n  - {name: b, scale: {model.d_ff: 3}}\n",
      {"train.warmup=7"});
  CHECK(find(list, "base").experiment.train.steps == 10);
  CHECK(find(list, "base").experiment.train.warmup == 7);
  CHECK(find(list, "base").experiment.model.d_model == 64);
  CHECK(find(list, "a").experiment.model.d_ff == 200);
  CHECK(find(list, "a").experiment.model.decoder_layers == 1);
  CHECK(find(list, "b").experiment.model.d_ff == 300);
}

TEST_CASE("what each run finds for itself is not scaled") {
  const Lists lists;
  const auto list = lists.load(
      "base: base.yaml\nexperiments:\n  - {name: a, scale: {train.micro_tokens: 2}}\n"
      "  - {name: b, set: {train.micro_tokens: 100}}\n");
  CHECK_FALSE(find(list, "a").experiment.train.micro_tokens);
  CHECK(find(list, "b").experiment.train.micro_tokens == 100);
}

TEST_CASE("lists of values make a grid") {
  const Lists lists;
  const auto list = lists.load(
      "base: base.yaml\nexperiments:\n  - {name: g, set: {model.heads: [2, 4], train.clip: 1, model.dropout: "
      "[0, 0.5]}}\n");
  CHECK(names(list) == std::vector<std::string>{"base", "g.heads=2,dropout=0", "g.heads=2,dropout=0.5",
                                                "g.heads=4,dropout=0", "g.heads=4,dropout=0.5"});
  CHECK(list.variations[3].experiment.model.heads == 4);
  CHECK(list.variations[3].experiment.model.dropout == 0);
  CHECK(list.variations[3].experiment.train.clip == 1);
}

TEST_CASE("seeds are a number, or a list, or an experiment's own") {
  const Lists lists;
  const auto list =
      lists.load("base: base.yaml\nseeds: 2\nexperiments: [{name: a, seeds: [7, 5]}, {name: b}]\n");
  CHECK(find(list, "base").seeds == std::vector<std::int64_t>{1, 2});
  CHECK(find(list, "a").seeds == std::vector<std::int64_t>{7, 5});
  CHECK(find(list, "b").seeds == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("an experiment may average as many checkpoints as it wants, and the list says what the others do") {
  const Lists lists;
  const std::string experiments = "experiments: [{name: a, average: 20}, {name: b, average: 1}, {name: c}]\n";
  const auto list = lists.load("base: base.yaml\naverage: 5\n" + experiments);
  CHECK(find(list, "base").average == 5);
  CHECK(find(list, "a").average == 20);
  CHECK(find(list, "b").average == 1);
  CHECK(find(list, "c").average == 5);
  CHECK(find(lists.load("base: base.yaml\n" + experiments), "c").average == 1);

  lists.folder.write("rows.yaml", "base: base.yaml\n" + experiments);
  const auto extending = lists.load("extends: rows.yaml\nexperiments: [{name: a, average: 2}, {name: b}]\n");
  CHECK(find(extending, "a").average == 2);
  CHECK(find(extending, "b").average == 1);
  // `relative` takes no averages over: a base that is saved at other times has other checkpoints.
  CHECK(find(lists.load("base: base.yaml\nrelative: rows.yaml\naverage: 3\n"), "a").average == 3);
}

TEST_CASE("a list may ask for test sets, for the cost of time, and name published systems") {
  const Lists lists;
  const auto silent = lists.load("base: base.yaml\n");
  CHECK_FALSE(silent.test);
  CHECK(silent.tokenize == std::vector{eval::MetricOptions{}});
  CHECK(silent.sustained == 0);
  CHECK_FALSE(silent.target);
  CHECK_FALSE(silent.reach_base);
  CHECK(silent.published.empty());

  const auto list = lists.load(
      "base: base.yaml\ntest: true\ntokenize: [paper, 13a, moses-en lowercase]\nsustained: 9.5e12\ntarget: "
      "38\nreach_base: true\npublished:\n"
      "  - {name: GNMT + RL, group: En-De, bleu: 24.6, flops: 2.3e19}\n  - {name: ByteNet, bleu: 23.75}\n");
  CHECK(list.test);
  CHECK(list.tokenize == std::vector<eval::MetricOptions>{
                             {eval::Tokenization::paper}, {}, {eval::Tokenization::moses_english, true}});
  CHECK(list.sustained == 9.5e12);
  CHECK(list.target == 38);
  CHECK(list.reach_base);
  REQUIRE(list.published.size() == 2);
  CHECK(list.published[0].name == "GNMT + RL");
  CHECK(list.published[0].group == "En-De");
  CHECK(list.published[0].score == 24.6);
  CHECK(list.published[0].flops == 2.3e19);
  CHECK_FALSE(list.published[1].flops);

  lists.folder.write("more.yaml", "base: base.yaml\ntest: true\ntokenize: intl\npublished: [{name: a}]\n");
  const auto extending = lists.load("extends: more.yaml\ntest: false\npublished: [{name: b, bleu: 1}]\n");
  CHECK_FALSE(extending.test);
  CHECK(extending.tokenize == std::vector{eval::MetricOptions{eval::Tokenization::international}});
  CHECK(extending.published.size() == 2);
}

TEST_CASE("a list may say what is claimed of its rows") {
  const Lists lists;
  CHECK(lists.load("base: base.yaml\n").claims.empty());
  lists.folder.write(
      "more.yaml",
      "base: base.yaml\nexperiments: [{name: a, set: {model.d_ff: [10, 12]}}]\n"
      "claims: [{claim: Width pays, source: '6.2', row: a.d_ff=12, against: a.d_ff=10, expected: better}]\n");
  const auto list = lists.load(
      "extends: more.yaml\nclaims:\n  - {claim: None matters, row: a.d_ff=10, expected: equal, within: "
      "0.5}\n");
  REQUIRE(list.claims.size() == 2);
  CHECK(list.claims[0].text == "Width pays");
  CHECK(list.claims[0].source == "6.2");
  CHECK(list.claims[0].row == "a.d_ff=12");
  CHECK(list.claims[0].against == "a.d_ff=10");
  CHECK(list.claims[0].expected == report::Direction::better);
  CHECK(list.claims[1].against == "base");
  CHECK(list.claims[1].expected == report::Direction::equal);
  CHECK(list.claims[1].within == 0.5);
  CHECK(list.claims[1].source.empty());
}

TEST_CASE(
    "of a key that an experiment has in two lists the nearer one's value holds, also in the place of a "
    "grid") {
  const Lists lists;
  lists.folder.write(
      "more.yaml",
      "base: base.yaml\nexperiments:\n"
      "  - {name: a, set: {model.d_ff: [10, 12], model.heads: 1}, scale: {train.warmup: 1/2}}\n");
  const auto list = lists.load(
      "extends: more.yaml\nexperiments:\n  - {name: a, set: {model.d_ff: 14}, scale: {train.warmup: 2}}\n");
  REQUIRE(list.variations.size() == 2);
  const auto& base = list.variations[0].experiment;
  CHECK(list.variations[1].name == "a");
  CHECK(list.variations[1].experiment.model.d_ff == 14);
  CHECK(list.variations[1].experiment.model.heads == 1);
  CHECK(list.variations[1].experiment.train.warmup == 2 * base.train.warmup);
}

TEST_CASE("a nearer factor takes the place of a value, and a nearer value that of a factor") {
  const Lists lists;
  lists.folder.write("more.yaml",
                     "base: base.yaml\nexperiments:\n"
                     "  - {name: a, set: {model.d_ff: 10}}\n  - {name: b, scale: {model.d_ff: 3}}\n");
  const auto list = lists.load(
      "extends: more.yaml\nexperiments:\n"
      "  - {name: a, scale: {model.d_ff: 2}}\n  - {name: b, set: {model.d_ff: 7}}\n");
  CHECK(find(list, "a").experiment.model.d_ff == 2 * find(list, "base").experiment.model.d_ff);
  CHECK(find(list, "b").experiment.model.d_ff == 7);
}

TEST_CASE("a grid has at most ten thousand experiments") {
  const Lists lists;
  std::string values;
  for (int i = 1; i <= 101; ++i) values += (i > 1 ? "," : "") + std::to_string(i);
  const auto found = lists.refusal("base: base.yaml\nexperiments:\n - {name: a, set: {model.d_ff: [" +
                                   values + "], train.steps: [" + values + "]}}\n");
  CHECK_THAT(found, ContainsSubstring("key 'train.steps': the grid has more than 10000 experiments"));
}

TEST_CASE("lists extend one another only so far, and have seeds of their own") {
  const Lists lists;
  for (int i = 0; i < 101; ++i)
    lists.folder.write("l" + std::to_string(i) + ".yaml", "extends: l" + std::to_string(i + 1) + ".yaml\n");
  lists.folder.write("l101.yaml", "base: base.yaml\n");
  CHECK_THAT(lists.refusal("extends: l0.yaml\n"),
             ContainsSubstring("expected at most 100 lists that extend one another, found more"));
  CHECK_NOTHROW(lists.load("extends: l10.yaml\n"));
  CHECK_THROWS_WITH(load_experiment_list(lists.folder.write("seeded.yaml", "base: base.yaml\n"), {"seed=9"}),
                    ContainsSubstring("--set seed=9: expected --seeds"));
}

TEST_CASE("a list may extend another, and add to its experiments") {
  const Lists lists;
  fs::create_directory(lists.folder.path() / "far");
  lists.folder.write("far/rows.yaml",
                     "base: ../base.yaml\noutput: out\naverage: 3\nexperiments:\n"
                     "  - {name: a, group: A, set: {model.d_ff: 10}, paper: {bleu: 1.5}}\n  - {name: b}\n");
  const auto list =
      lists.load("extends: far/rows.yaml\nexperiments:\n  - {name: a, set: {model.d_k: 4}}\n  - {name: c}\n");
  CHECK(names(list) == std::vector<std::string>{"base", "a", "b", "c"});
  CHECK(list.output == lists.folder.path() / "far" / "out");
  CHECK(list.variations.front().average == 3);
  const auto& a = find(list, "a");
  CHECK(a.experiment.model.d_ff == 10);
  CHECK(a.experiment.model.d_k == 4);
  CHECK(a.group == "A");
  CHECK(a.paper.score == 1.5);
}

TEST_CASE("a list may take another's experiments in proportion to a base of its own") {
  const Lists lists;
  lists.folder.write("wide.yaml", "model: {d_model: 96, heads: 12, layers: 9}\n");
  lists.folder.write(
      "rows.yaml",
      "base: base.yaml\nexperiments:\n"
      "  - {name: h2, relative: quarter, group: A, set: {model.heads: 2, model.d_k: 24, train.keep: 2},"
      " paper: {bleu: 1.5, parameters: 3}}\n"
      "  - {name: shallow, set: {model.layers: 2}}\n"
      "  - {name: dry, set: {model.dropout: 0, model.positions: learned}}\n");
  const auto list = lists.load(
      "base: wide.yaml\nrelative: rows.yaml\nexperiments:\n  - {name: base, seeds: 2}\n"
      "  - {name: quarter, set: {train.clip: 1}}\n  - {name: more, set: {model.d_v: 3}}\n");
  CHECK(names(list) == std::vector<std::string>{"base", "quarter", "shallow", "dry", "more"});
  CHECK(find(list, "base").seeds.size() == 2);
  CHECK(find(list, "base").experiment.model.heads == 12);
  const auto& quarter = find(list, "quarter");
  CHECK(quarter.group == "A");
  CHECK(quarter.experiment.model.heads == 3);  // 2 of 8
  CHECK(quarter.experiment.model.d_k == 192);  // 24 for 8, of 64
  CHECK(quarter.experiment.train.clip == 1);
  CHECK(quarter.experiment.train.keep == find(list, "base").experiment.train.keep);
  CHECK(quarter.paper.score == 1.5);
  CHECK_FALSE(quarter.paper.parameters);
  CHECK(find(list, "shallow").experiment.model.encoder_layers == 3);
  CHECK(find(list, "dry").experiment.model.dropout == 0);
  CHECK(find(list, "dry").experiment.model.positions == nn::Positions::learned);
}

TEST_CASE("a list has a note on experiments whose widths of heads do not follow d_model") {
  const Lists lists;
  const auto list = lists.load(
      "base: base.yaml\nexperiments:\n - {name: thin, set: {model.d_model: 32}}\n - {name: thinner, set: "
      "{model.d_model: 16}}\n - {name: whole, set: {model.d_model: 32, model.d_k: 4, model.d_v: 4}}\n");
  CHECK_THAT(list.note, ContainsSubstring("list.yaml: thin, and 1 other likewise: --set model.d_model=32: "
                                          "model.heads 8 · model.d_k 8 = 64 is not model.d_model 32"));
  CHECK(find(list, "whole").note.empty());
  CHECK(lists.load("base: base.yaml\n").note.empty());
}

TEST_CASE("paths in a list are relative to it") {
  const Lists lists;
  const auto list =
      lists.load("base: base.yaml\noutput: here/out\nexperiments: [{name: a, set: {data.prepared: q}}]\n");
  CHECK(list.output == lists.folder.path() / "here" / "out");
  CHECK(find(list, "a").experiment.data.prepared == (lists.folder.path() / "q").string());
  CHECK(find(list, "base").experiment.data.prepared == (lists.folder.path() / "p").string());
}

TEST_CASE("what is wrong in a list is named with its place") {
  const Lists lists;
  const std::map<std::string, std::string> cases{
      {"experiments: []\n", "key 'base': expected an experiment's file"},
      {"base: nowhere.yaml\n", "nowhere.yaml"},
      {"base: base.yaml\nbases: 3\n", "list.yaml:2: key 'bases': unknown; expected one of average, base,"},
      {"base: base.yaml\nexperiments: 3\n", "list.yaml:2: key 'experiments': expected a list, found '3'"},
      {"base: base.yaml\nexperiments:\n - {set: {}}\n",
       "list.yaml:3: key 'name': expected one that can be a folder's"},
      {"base: base.yaml\nexperiments:\n - {name: ../x}\n", "found '../x'"},
      {"base: base.yaml\nexperiments:\n - {name: a}\n - {name: a}\n",
       "list.yaml:4: key 'name': 'a' stands already at"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {model.headz: 3}}\n",
       "list.yaml:3: key 'model.headz': unknown; did you mean 'model.heads'?"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {model.heads: x}}\n",
       "list.yaml:3: --set model.heads=x: key 'model.heads': expected a whole number"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {model.heads: []}}\n", "found an empty list"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {model.dropout: [0.1, 0.2, 0.10]}}\n",
       "list.yaml:3: key 'model.dropout': expected different values, found 0.1 and 0.10"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: 3}\n",
       "key 'set': expected keys with values, found '3'"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {seed: 3}}\n", "expected 'seeds'"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {model.d_ff: 3}, scale: {model.d_ff: 2}}\n",
       "key 'model.d_ff': expected a value (set) or a factor (scale), found both"},
      {"base: base.yaml\nexperiments:\n - {name: a, scale: {model.heads: 1/3}}\n",
       "found 8 · 0.3333 = 2.66666666667"},
      {"base: base.yaml\nexperiments:\n - {name: a, scale: {model.heads: -1}}\n",
       "expected a factor above 0"},
      {"base: base.yaml\nexperiments:\n - {name: a, scale: {model.positions: 2}}\n",
       "expected a number to scale, found interleaved"},
      {"base: base.yaml\nexperiments:\n - {name: a, scale: {train.r_drop: 2}}\n",
       "expected a number other than 0 to scale, found 0 in the base"},
      {"base: base.yaml\nexperiments:\n - {name: base, set: {model.heads: [1, 2]}}\n",
       "expected no grid in the experiment 'base'"},
      {"base: base.yaml\nseeds: 0\n", "list.yaml:2: key 'seeds'"},
      {"base: base.yaml\nseeds: [1, 1]\n", "1 stands twice"},
      {"base: base.yaml\naverage: 0\n", "key 'average': expected a whole number from 1 to 1000000"},
      {"base: base.yaml\nexperiments:\n - {name: a, average: two}\n",
       "list.yaml:3: key 'average': expected a whole number from 1 to 1000000, found 'two'"},
      {"base: base.yaml\ntest: yes\n", "key 'test': expected true or false, found 'yes'"},
      {"base: base.yaml\ntokenize: 14a\n",
       "key 'tokenize': expected some of 13a, none, char, intl, paper, moses-de, moses-en, moses-fr, each "
       "with "
       "\"lowercase\" behind it or not, found "
       "'14a'"},
      {"base: base.yaml\ntokenize: [13a, 13a]\n", "key 'tokenize': 13a stands twice"},
      {"base: base.yaml\ntokenize: []\n", "key 'tokenize': expected at least one"},
      {"base: base.yaml\nsustained: 0\n", "key 'sustained': expected FLOP/s above 0, found '0'"},
      {"base: base.yaml\ntarget: 101\n", "key 'target': expected BLEU from 0 to 100, found '101'"},
      {"base: base.yaml\nsustained: fast\n", "key 'sustained': expected a number, found 'fast'"},
      {"base: base.yaml\nclaims: {row: base}\n", "key 'claims': expected a list, found"},
      {"base: base.yaml\nclaims:\n - {row: base, expected: worse}\n",
       "list.yaml:3: key 'claim': expected what is claimed, found nothing"},
      {"base: base.yaml\nclaims:\n - {claim: ' ', row: base, expected: worse}\n",
       "list.yaml:3: key 'claim': expected what is claimed, found nothing"},
      {"base: base.yaml\nclaims:\n - {claim: a, expected: worse}\n",
       "list.yaml:3: key 'row': expected an experiment's name, found nothing"},
      {"base: base.yaml\nclaims:\n - {claim: a, row: base}\n",
       "list.yaml:3: key 'expected': expected worse, equal or better, found nothing"},
      {"base: base.yaml\nclaims:\n - {claim: a, row: base, expected: same}\n",
       "list.yaml:3: key 'expected': expected worse, equal or better, found 'same'"},
      {"base: base.yaml\nclaims:\n - {claim: a, row: base, expected: equal}\n",
       "list.yaml:3: key 'within': expected how far apart the scores of equal rows may be, found nothing"},
      {"base: base.yaml\nclaims:\n - {claim: a, row: base, expected: equal, within: -1}\n",
       "list.yaml:3: key 'within': expected a difference above 0, found '-1'"},
      {"base: base.yaml\nclaims:\n - {claim: a, row: base, expected: worse, within: 1}\n",
       "list.yaml:3: key 'within': expected 'expected: equal' beside it"},
      {"base: base.yaml\nclaims:\n - {claim: a, row: wide, expected: worse}\n",
       "list.yaml:3: key 'row': expected the name of an experiment, such as base, found 'wide'"},
      {"base: base.yaml\nclaims:\n - {claim: a, row: base, expected: worse}\n",
       "list.yaml:3: key 'against': expected another experiment than 'base'"},
      {"base: base.yaml\nexperiments:\n - {name: a, scale: {model.d_ff: 1e308}}\n",
       "list.yaml:3: key 'model.d_ff': expected a whole number from 1 to 1000000 after scaling, found "},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {model.d_ff: 8, model.d_ff: 16}}\n",
       "list.yaml:3: key 'model.d_ff': stands already at "},
      {"base: base.yaml\nexperiments:\n - name: a\n   set:\n    model.d_ff: [8, 9]\n    model: {d_ff: 10}\n",
       "list.yaml:6: key 'model.d_ff': stands already at "},
      {"base: base.yaml\nexperiments:\n - {name: report.md}\n",
       "list.yaml:3: key 'name': expected another than that of a file of the reports, found report.md"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {data.prepared: [x, \"y\\e[31m\"]}}\n",
       "list.yaml:3: key 'set': expected values that can be part of a folder's name"},
      {"base: base.yaml\nexperiments:\n - {name: a, paper: {bleu: 900}}\n",
       "key 'bleu': expected BLEU above 0, up to 100, found '900'"},
      {"base: base.yaml\nexperiments:\n - {name: a, paper: {perplexity: -3}}\n",
       "key 'perplexity': expected one above 0, found '-3'"},
      {"base: base.yaml\npublished:\n - {name: a, flops: 0}\n",
       "key 'flops': expected FLOPs above 0, found '0'"},
      {"base: base.yaml\ntitle: \"half\nseeds: 5\n", "not valid YAML"},
      {"base: base.yaml\npublished: ByteNet\n", "key 'published': expected a list, found 'ByteNet'"},
      {"base: base.yaml\npublished:\n - {bleu: 3}\n", "list.yaml:3: key 'name': expected that of a system"},
      {"base: base.yaml\npublished:\n - {name: a, blue: 3}\n",
       "key 'blue': unknown; expected one of bleu, flops"},
      {"base: base.yaml\nset: {model.heads: [1, 2]}\n", "expected one value for all experiments"},
      {"extends: list.yaml\n", "circular"},
      {"relative: list.yaml\n", "list.yaml:1: key 'relative': circular"},
      {"relative: nowhere.yaml\n", "list.yaml:1: key 'relative': expected a file, found none at /"},
      {"base: base.yaml\nrelative: baseless.yaml\n",
       "key 'relative': expected a list with a base, found one without"},
      {"base: base.yaml\nexperiments:\n - {name: a, relative: ../x}\n",
       "key 'relative': expected one that can be"},
      {"extends: nowhere.yaml\n", "list.yaml:1: key 'extends': expected a file, found none at /"},
      {"base: base.yaml\nexperiments:\n - {name: a, paper: {blue: 3}}\n", "key 'blue': unknown"},
      {"base: base.yaml\nexperiments: [\n", "not valid YAML"},
      {"- a\n", "expected keys with values, found a list"}};
  for (const auto& [text, message] : cases) {
    CAPTURE(text);
    const auto found = lists.refusal(text);
    CHECK_THAT(found, ContainsSubstring(message));
    CHECK(found.find('\n') == std::string::npos);
  }
}

TEST_CASE("rows are judged by the base's metric, which all have") {
  const Lists lists;
  CHECK(lists.load("base: base.yaml\n").metric.name == "BLEU");
  const auto list = lists.load(
      "base: base.yaml\nset: {train.metric: chrf}\ntarget: 50\npublished: [{name: a, bleu: 20}, {name: b, "
      "score: 30, "
      "bleu: 20}]\n"
      "experiments: [{name: a, paper: {bleu: 25.8, score: 51}}, {name: b, paper: {bleu: 25}}]\n");
  CHECK(list.metric.name == "chrF2");
  CHECK_FALSE(list.published[0].score);
  CHECK(list.published[1].score == 30);
  CHECK(find(list, "a").paper.score == 51);
  CHECK_FALSE(find(list, "b").paper.score);
  CHECK_THAT(lists.refusal("base: base.yaml\nexperiments: [{name: a, set: {train.metric: chrf}}]\n"),
             ContainsSubstring("a: key 'train.metric': expected that of the base, bleu, found chrf"));
  CHECK_THAT(lists.refusal("base: base.yaml\nset: {train.metric: rouge}\n"),
             ContainsSubstring("key 'train.metric': expected bleu, chrf, chrf++"));
  CHECK_THAT(lists.refusal("base: base.yaml\nset: {train.metric: chrf}\ntarget: 101\n"),
             ContainsSubstring("key 'target': expected chrF2 from 0 to 100, found '101'"));
  CHECK(lists.load("base: base.yaml\nset: {train.metric: perplexity}\ntarget: 101\n").target == 101);
  CHECK_THAT(lists.refusal("base: base.yaml\nset: {train.metric: chrf}\ntokenize: 13a\n"),
             ContainsSubstring("key 'tokenize': expected train.metric bleu beside it, found chrf"));
}
