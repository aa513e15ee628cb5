// A run directory as those who watch it read it, over or under way: metrics.jsonl and samples.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace transformer::report {

/// A line of metrics.jsonl.
struct Measurement {
  std::int64_t step = 0;
  bool dev = false;                      ///< of the dev set, or else of the training
  double seconds = 0;                    ///< of training so far, all sittings together
  std::map<std::string, double> values;  ///< by key, where there is a number
};

/// A line of samples.jsonl: what the model made of a sentence of the dev set.
struct SampleTranslation {
  std::int64_t step = 0;
  std::int64_t sentence = 0;  ///< its number
  std::string source, reference, translation;
};

struct WatchedRun {
  std::string name;
  std::vector<Measurement> lines;  ///< as they were written: by step
  std::vector<SampleTranslation> samples;
};

/// Reads what has been written so far. A last line that lacks its end may be half of one, and is passed over
/// then. Throws InputError where the folder has no metrics.jsonl, and for any other line that is none of
/// ours.
WatchedRun read_watched_run(const std::filesystem::path& folder, std::string name);

/// What tells folders apart: their paths without the parts that all of them begin and end with; of one alone,
/// or of the same ones, the last part.
std::vector<std::string> short_names(const std::vector<std::filesystem::path>& folders);

}  // namespace transformer::report
