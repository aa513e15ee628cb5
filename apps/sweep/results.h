// What transformer-sweep measures, keeps and prints.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "transformer/eval/metric.h"

namespace transformer::apps {

/// What is varied.
struct SweepPoint {
  std::size_t average = 1;           ///< of so many last checkpoints
  std::int64_t beam = 1;             ///< hypotheses
  std::optional<double> alpha = {};  ///< none with a beam of 1, whose only output no ranking can change
};

/// What is measured.
struct SweepScore {
  double score = 0;  ///< of the metric
  double brevity_penalty = 0;
  double length_ratio = 0;  ///< words of the translations to words of the reference
  double seconds = 0;       ///< of the search, which serves all alphas that are missing beside one another
};

struct SweepRow {
  SweepPoint point;
  SweepScore score;
};

/// All that a score depends on beside the point, as names and values.
using SweepConditions = nlohmann::ordered_json;

/// A row as a line of JSON, without line end. metric: its key there.
std::string to_line(const SweepRow& row, const std::string& metric, const SweepConditions& conditions);

/// The rows measured so far, in memory and, where there is one, in a file of such lines.
class SweepResults {
 public:
  /// Reads the file, if it exists, and opens it for more; the beginning of a result that was cut off at its
  /// end is dropped. An empty path means no file; to standard output ("-"), a pipe or a device the lines only
  /// go. Results by another metric stay as they are. Throws InputError
  /// "FILE:LINE: …" for lines of another kind, also where their end is missing.
  SweepResults(const std::string& path, std::string metric);

  std::optional<SweepScore> find(const SweepPoint& point, const SweepConditions& conditions) const;

  /// Throws RunError when the line cannot be written.
  void add(const SweepRow& row, const SweepConditions& conditions);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void read();

  std::string path_, metric_;
  std::unique_ptr<std::FILE, Close> file_;
  std::map<std::string, SweepScore> scores_;  // by a line's values that are not measured
};

/// The rows as a table in Markdown, with the first of the best scores in bold type.
std::string format_table(const std::vector<SweepRow>& rows, const eval::Metric& metric);

/// The first row with the best score; there must be one.
const SweepRow& best_row(const std::vector<SweepRow>& rows, const eval::Metric& metric);

/// "average 5, beam 4, alpha 0.6"
std::string describe(const SweepPoint& point);

}  // namespace transformer::apps
