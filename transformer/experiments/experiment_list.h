// Several experiments that vary one base: Table 3 of the paper, or a study of one's own.
//
//     title: Dropout and width           # optional
//     base: base.yaml                    # an experiment's file
//     output: ../runs/study              # where results go
//     seeds: 2                           # 1 and 2; or a list; 1 if not given
//     average: 1                         # checkpoints whose mean is judged; 1: the last one itself; also of
//                                        # an experiment alone
//     set: {train.steps: 2000}           # for all experiments
//     test: true                         # translate and score the test sets, too
//     tokenize: [13a, moses-en lowercase]  # how their words are found (eval/tokenize.h), and whether case
//                                        # counts; 13a if not given
//     sustained: 9.5e12                  # FLOP/s of a device, for the cost of training as Table 2 has it
//     target: 38                         # score of the dev set: is the mean over seeds better?
//     reach_base: true                   # after how many updates is a row as good as the base at its end?
//     published:                         # systems that are not run, for Table 2
//       - {name: ByteNet, group: A, bleu: 23.75, flops: 1e20}   # `score` is one of any metric
//     claims:                            # what is said of a row's score, and whether it holds here
//       - {claim: Depth pays, source: "6.2", row: deep, against: base, expected: better}
//       - {claim: One head is enough, row: one-head, expected: equal, within: 0.5}  # of the score; against
//       base
//     extends: other.yaml                # a list whose keys and experiments hold where this one is silent
//     relative: other.yaml               # a list whose experiments are changes of its base, in proportion of
//                                        # this one
//     experiments:
//       - {name: wide, set: {model.d_model: 512, model.d_ff: 2048}}
//       - {name: dropout, set: {model.dropout: [0.1, 0.3]}}          # a list of values is a grid
//       - {name: one-head, scale: {model.heads: 1/8, model.d_k: 8}}  # times what the base has
//       - {name: own, config: own.yaml, seeds: 3, average: 5, group: A}
//       - {name: dk-16, relative: dk-quarter, set: {model.d_k: 16}, paper: {perplexity: 5.16, bleu: 25.1}}
//
// Rows are judged by train.metric of the base: its score of the dev set. What is said of BLEU (`bleu` of
// `paper` and `published`) is left out where that is another metric.
//
// `relative` of an experiment is its name in lists that take it in proportion: with a base of d_k 8,
// dk-quarter has 2. `paper` may also say parameters, in millions.
//
// The experiment `base` is the baseline and comes first; it need not be listed. An experiment that an
// extended list has already gets its further keys. Paths are relative to the file in which they stand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/config/experiment.h"
#include "transformer/eval/metric.h"
#include "transformer/report/report.h"

namespace transformer::experiments {

/// The name of the experiment that the others are compared with.
inline constexpr const char* kBaseline = "base";

/// What follows the name of a tokenization under which BLEU ignores case.
inline constexpr std::string_view kLowercase = " lowercase";

struct Variation {
  std::string group;  ///< the paper's letter
  std::string name;   ///< unique, and fit for a folder
  config::Experiment experiment;
  std::vector<std::int64_t> seeds;
  report::PaperFigures paper;
  std::int64_t average = 1;  ///< the last checkpoints whose mean is judged
  std::string note = {};     ///< on its keys, as load_given_experiment() would log it (config/yaml.h)
};

struct ExperimentList {
  std::filesystem::path file;  ///< where it stands
  std::string title;
  std::filesystem::path output;                      ///< empty where none is given
  std::vector<Variation> variations;                 ///< the baseline first
  bool test = false;                                 ///< whether test sets are translated
  eval::Metric metric = {};                          ///< by which rows are judged: train.metric of all
  std::vector<eval::MetricOptions> tokenize = {{}};  ///< BLEU of test sets
  double sustained = 0;                              ///< FLOP/s of a device; 0: not given
  std::optional<double> target = {};                 ///< score of the dev set
  bool reach_base = false;
  std::vector<report::PublishedSystem> published = {};
  std::vector<report::Claim> claims = {};
  std::string note = {};  ///< those of all variations, in a line; may be empty
};

/// `overrides`: "key.path=value", for all experiments and over all files. Throws InputError "file:line: …"
/// for whatever is wrong in the list or in one of its experiments.
ExperimentList load_experiment_list(const std::filesystem::path& file,
                                    const std::vector<std::string>& overrides = {});

}  // namespace transformer::experiments
