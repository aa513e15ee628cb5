// Several experiments that vary one base: Table 3 of the paper, or a study of one's own.
//
//     title: Dropout and width           # optional
//     base: base.yaml                    # an experiment's file
//     output: ../runs/study              # where results go
//     seeds: 2                           # 1 and 2; or a list; 1 if not given
//     average: 1                         # checkpoints whose mean is judged; 1: the last one; also a key of
//                                        # an experiment
//     set: {train.steps: 2000}           # for all experiments
//     test: true                         # translate and score the test sets, too
//     tokenize: [13a, moses-en lowercase]  # words of the test sets (eval/tokenize.h), and
//                                        # whether case counts; 13a if not given
//     sustained: 9.5e12                  # FLOP/s of a device, for the cost of training as Table 2 has it
//     target: 38                         # score of the dev set: is the mean over seeds better?
//     reach_base: true                   # after how many updates is a row as good as the base at its end?
//     published:                         # systems that are not run, for Table 2
//       - {name: ByteNet, group: A, bleu: 23.75, flops: 1e20}   # `score` is one of any metric
//     claims:                            # claims about a row's score against another's, or the base's
//       - {claim: Depth pays, source: "6.2", row: deep, against: base, expected: better}
//       - {claim: One head is enough, row: one-head, expected: equal, within: 0.5}  # of the score
//     extends: other.yaml                # a list whose keys and experiments fill what this one leaves out
//     relative: other.yaml               # a list whose experiments are applied to this base as ratios
//     experiments:
//       - {name: wide, set: {model.d_model: 512, model.d_ff: 2048}}
//       - {name: dropout, set: {model.dropout: [0.1, 0.3]}}          # a list of values is a grid
//       - {name: one-head, scale: {model.heads: 1/8, model.d_k: 8}}  # factors of the base's values
//       - {name: own, config: own.yaml, seeds: 3, average: 5, group: A}
//       - {name: dk-16, relative: dk-quarter, set: {model.d_k: 16}, paper: {perplexity: 5.16, bleu: 25.1}}
//
// Rows are judged by train.metric of the base, measured on the dev set. If that is not BLEU, the `bleu` of
// `paper` and `published` is ignored.
//
// `relative` of an experiment is its name in lists that take over its ratios: with a base of d_k 8,
// dk-quarter has 2. `paper` may also give parameters, in millions.
//
// The experiment `base` is the baseline and comes first; it need not be listed. An experiment with the name
// of one in an extended list adds keys to that one. Paths are relative to the file in which they stand.
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

/// Follows the name of a tokenization, for BLEU that ignores case.
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
  std::filesystem::path output;                      ///< empty if not given
  std::vector<Variation> variations;                 ///< the baseline first
  bool test = false;                                 ///< whether test sets are translated
  eval::Metric metric = {};                          ///< train.metric of all; rows are judged by it
  std::vector<eval::MetricOptions> tokenize = {{}};  ///< for BLEU of test sets
  double sustained = 0;                              ///< FLOP/s of a device; 0: not given
  std::optional<double> target = {};                 ///< a score on the dev set
  bool reach_base = false;
  std::vector<report::PublishedSystem> published = {};
  std::vector<report::Claim> claims = {};
  std::string note = {};  ///< the notes of all variations in one line; may be empty
};

/// `overrides`: "key.path=value", for all experiments and over all files. Throws InputError "file:line: …"
/// for whatever is wrong in the list or in one of its experiments.
ExperimentList load_experiment_list(const std::filesystem::path& file,
                                    const std::vector<std::string>& overrides = {});

}  // namespace transformer::experiments
