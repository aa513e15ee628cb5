// A run directory as those who watch it read it, over or under way: metrics.jsonl and samples.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
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
  std::int64_t steps = 0;  ///< updates of the whole training; 0: not known
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< keys of its configuration, with values
};

/// What a run is doing, as far as its lines tell: it trains where the last one is at most kSilence times as
/// old as lines are apart, or two minutes.
enum class RunState { begun, trains, finished, stopped };
inline constexpr double kSilence = 5;

/// now: Unix seconds.
RunState state_of(const WatchedRun& run, double now);

/// Seconds until its end, at the mean pace of its last half; nothing where nothing tells, or where it is
/// over.
std::optional<double> seconds_left(const WatchedRun& run);

/// Reads what has been written so far. A last line that lacks its end may be half of one, and is passed over
/// then. Throws InputError where the folder has no metrics.jsonl, and for any other line that is none of
/// ours.
WatchedRun read_watched_run(const std::filesystem::path& folder, std::string name);

/// What tells folders apart: their paths without the parts that all of them begin and end with; of one alone,
/// or of the same ones, the last part.
std::vector<std::string> short_names(const std::vector<std::filesystem::path>& folders);

}  // namespace transformer::report
