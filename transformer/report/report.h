// What a set of experiments measured, and its report: Markdown, CSV and HTML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/eval/significance.h"

namespace transformer::report {

/// What rows are judged by: a metric of the dev set, as eval/metric_table.h has them.
struct Score {
  std::string id = "score";     ///< in CSV and in names of files: "bleu"
  std::string title = "score";  ///< in tables and sentences: "BLEU"
  bool less_is_better = false;
  std::string signature = {};  ///< what it is measured with
};

/// A point of a learning curve: the dev set's perplexity per subword, never smoothed, after so many updates.
struct CurvePoint {
  std::int64_t step = 0;
  double perplexity = 0;
  std::optional<double> score = {};
};

/// The state of a run whose figures count.
inline constexpr std::string_view finished = "finished";

/// One training: what is known of it so far.
struct Run {
  std::int64_t seed = 0;
  std::string state;              ///< "finished", "training, step 1200 of 1600", "waiting", "failed: …"
  std::vector<CurvePoint> curve;  ///< in the order of steps
  std::int64_t steps = 0;         ///< updates made
  double seconds = 0;             ///< of training, all sittings together
  double flops = 0;               ///< spent on training: matrix products, forward and backward
  std::optional<double> perplexity = {};                ///< of the dev set after the last update, per subword
  std::optional<double> score = {};                     ///< of the dev set, by the last checkpoint
  std::vector<std::optional<double>> test_scores = {};  ///< of the test set's, by Report::test_measures
};

/// What the paper's Table 3 says of a row; absent where it says nothing.
struct PaperFigures {
  std::optional<double> perplexity = {}, score = {}, parameters = {};  ///< parameters in millions
  std::optional<double> bleu = {};  ///< in lists alone: the score of those that are judged by BLEU
};

/// One line of the table: an experiment with all its seeds.
struct Row {
  std::string group;  ///< the paper's letter, or empty
  std::string name;
  std::string changes;  ///< what differs from the baseline: "h 1, d_k 512, d_v 512"; empty for the baseline
  std::int64_t parameters = 0;
  std::vector<Run> runs;  ///< a seed each, at least one
  PaperFigures paper;
  /// The score of the finished runs, averaged over seeds: 95 % interval by bootstrap over the dev set's
  /// sentences.
  std::optional<eval::Interval> score_interval = {};
  /// Its score less the baseline's, both averaged over their finished seeds. Absent for the baseline, and
  /// where their dev sets differ.
  std::optional<eval::Comparison> against_baseline = {};
  std::string test = {};  ///< the name of its test set, where that is scored
  /// Whether its perplexity is of the baseline's dev set in the baseline's subwords: of another, the two say
  /// nothing of each other.
  bool same_subwords = true;
};

/// How a row stands to another, to the baseline if no other is said.
enum class Direction { worse, equal, better };

/// What somebody says of a row's score.
struct Claim {
  std::string text = {};
  std::string source = {};             ///< where it is said: "3.2.1"; may be empty
  std::string row = {}, against = {};  ///< names of rows
  Direction expected = Direction::worse;
  double within = 0;  ///< how far apart the scores of equal rows may be
  /// Both averaged over their finished seeds. Absent until each has one, and where their dev sets differ.
  std::optional<eval::Comparison> comparison = {};
};

/// A system that was not trained here: what is published of its score and of the FLOPs of its training.
struct PublishedSystem {
  std::string group = {}, name = {};
  std::optional<double> score = {}, flops = {};
  std::optional<double> bleu = {};  ///< as of PaperFigures
};

/// What the baseline's translations of the dev set are to be better than.
struct TrivialOutput {
  std::string name;             ///< "the source as it is"
  eval::Comparison comparison;  ///< of the baseline's score with it
};

/// A score of test sets.
struct TestMeasure {
  std::string
      name;  ///< of BLEU's tokenization, with "lowercase" where case is ignored; empty of other scores
  std::string signature;
  std::string language = {};  ///< the only one that its rules are for: "German"; empty where they are for any
};

struct Report {
  std::string title;
  std::vector<std::string> departures;  ///< from the paper, a sentence each
  std::vector<std::string> notes;       ///< on how the figures were made, a sentence each
  Score score;                          ///< what rows are judged by
  std::string dev;                      ///< the name of the dev set
  std::string baseline;                 ///< the name of the row that others are compared with
  std::vector<Row> rows;
  std::vector<TestMeasure> test_measures;  ///< none where test sets are not scored
  double sustained = 0;                    ///< FLOP/s of the device that trains; 0 where nobody said
  std::optional<double> target = {};       ///< that a row's mean score over seeds is to surpass
  bool reach_base = false;                 ///< whether tables say when a row is as good as the baseline's end
  std::vector<PublishedSystem> published;
  std::vector<Claim> claims;
  std::vector<TrivialOutput> trivial = {};  ///< none before a run of the baseline is finished
  /// Why a run failed, with the end of its log.
  struct Failure {
    std::string run;  ///< "row, seed 1"
    std::string reason;
    std::vector<std::string> log;
  };
  std::vector<Failure> failures;
};

// All of these take any report, even one without rows; what is missing or not finite is shown as such. Text
// that is not UTF-8, and control characters, become U+FFFD.

/// Tables as GitHub shows them.
std::string to_markdown(const Report& report);

/// A line for each run under a line of column names, in full precision; the figures of a row are repeated in
/// each of its runs. What a report has of test sets and published systems is in further columns and lines.
/// Claims are not in it. Fields are quoted as RFC 4180 says, lines end in LF.
std::string to_csv(const Report& report);

/// One file that needs nothing else: inline CSS and SVG, no scripts.
std::string to_html(const Report& report);

/// Dev perplexity against updates, a panel for each group, as an SVG file on white.
std::string learning_curves_svg(const Report& report);

/// The score against the number of parameters, a point for each row with a finished run, as an SVG file on
/// white.
std::string score_by_parameters_svg(const Report& report);

}  // namespace transformer::report
