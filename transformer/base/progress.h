// How far a long piece of work has come: a bar on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace transformer {

struct ProgressOptions {
  /// Shows nothing on standard error. A log file still receives its lines.
  bool quiet = false;
  /// Seconds between the plain lines that go to the log.
  double log_interval = 30;
  /// Work done before this process began, so that the remaining time of a resumed run is right.
  std::int64_t start = 0;
};

/// Estimates the remaining time from the recent pace, since a shared machine varies in speed. The window is
/// the last quarter of the time or more, up to twice as much, and at least a minute.
class Pace {
 public:
  explicit Pace(std::int64_t start) : earlier_{0, start}, later_{0, start} {}

  /// Seconds until `total` is done, where `done` is after `elapsed`; not finite where nothing tells.
  double remaining(double elapsed, std::int64_t done, std::int64_t total);

 private:
  struct Moment {
    double elapsed;
    std::int64_t done;
  };
  Moment earlier_, later_;
};

/// Shows the state of a piece of work: as one redrawn line on a terminal, and now and then as a plain line in
/// the log. If standard error is not a terminal, it gets the plain lines, too. Only one thread may use it.
class Progress {
 public:
  /// `label` begins the line. `total` counts the units of work; 0 means that their number is not known.
  Progress(std::string label, std::int64_t total, ProgressOptions options = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says that `done` units are finished. `text` is shown behind the percentage, for example
  /// "loss 3.21 ppl 12.3". Cheap enough to be called for each unit: the terminal is redrawn ten times a
  /// second at most.
  void update(std::int64_t done, std::string_view text = {});

  /// Removes the bar and logs a last plain line. The destructor removes the bar, too, but logs nothing.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  std::int64_t total_;
  ProgressOptions options_;
  bool terminal_;
  std::int64_t done_;
  std::string text_;
  Pace pace_;
  Clock::time_point started_;
  Clock::time_point drawn_;
  Clock::time_point logged_;
};

/// Seconds as a person reads them: "4s", "3m07s", "2h05m", "3d04h".
std::string format_duration(double seconds);

/// The progress line without control characters: label, bar (where `width` columns leave room for one),
/// percentage, text, elapsed and remaining time. `width` 0 gives the plain line of the log.
std::string format_progress(std::string_view label, std::int64_t done, std::int64_t total,
                            std::string_view text, double elapsed_seconds, double remaining_seconds,
                            std::size_t width);

}  // namespace transformer
