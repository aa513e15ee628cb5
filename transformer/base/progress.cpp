#include "transformer/base/progress.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "transformer/base/log.h"

namespace transformer {
namespace {

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::size_t terminal_width() {
  winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  const auto whole = std::llround(std::min(seconds, 1e12));
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole / 3600 % 24);
}

std::string format_progress(std::string_view label, std::int64_t done, std::int64_t total,
                            std::string_view text, double elapsed_seconds, double remaining_seconds,
                            std::size_t width) {
  const double share =
      total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 0.0;
  std::string tail = total > 0 ? fmt::format("{}/{} {:.0f}%", done, total, std::floor(share * 100))
                               : fmt::format("{}", done);
  if (!text.empty()) tail += fmt::format("  {}", text);
  tail += fmt::format("  {} elapsed", format_duration(elapsed_seconds));
  if (total > 0 && done < total) tail += fmt::format(", {} left", format_duration(remaining_seconds));

  constexpr std::size_t bar_size = 20;
  std::string line(label);
  if (total > 0 && width >= label.size() + tail.size() + bar_size + 5) {
    const auto filled = static_cast<std::size_t>(share * bar_size);
    line += fmt::format(" [{}{}]", std::string(filled, '='), std::string(bar_size - filled, ' '));
  }
  line += " " + tail;
  // A line that wraps cannot be redrawn.
  if (width > 0 && line.size() >= width) line.resize(width - 1);
  return line;
}

double Pace::remaining(double elapsed, std::int64_t done, std::int64_t total) {
  if (elapsed - later_.elapsed >= std::max(60.0, elapsed / 4)) {
    earlier_ = later_;
    later_ = {elapsed, done};
  }
  return (elapsed - earlier_.elapsed) * static_cast<double>(total - done) /
         static_cast<double>(done - earlier_.done);
}

Progress::Progress(std::string label, std::int64_t total, ProgressOptions options)
    : label_(std::move(label)),
      total_(total),
      options_(options),
      terminal_(!options.quiet && stderr_is_terminal()),
      done_(options.start),
      pace_(options.start),
      started_(Clock::now()),
      drawn_(started_ - std::chrono::hours(1)),
      logged_(started_) {}

Progress::~Progress() {
  if (terminal_) show_status_line({});
}

void Progress::update(std::int64_t done, std::string_view text) {
  done_ = done;
  text_ = text;
  const auto now = Clock::now();
  const bool draw = terminal_ && seconds_between(drawn_, now) >= 0.1;
  const bool log = seconds_between(logged_, now) >= options_.log_interval;
  if (!draw && !log) return;
  const double elapsed = seconds_between(started_, now);
  const double remaining = pace_.remaining(elapsed, done_, total_);
  if (draw) {
    drawn_ = now;
    show_status_line(format_progress(label_, done_, total_, text_, elapsed, remaining, terminal_width()));
  }
  if (log) {
    logged_ = now;
    const std::string line = format_progress(label_, done_, total_, text_, elapsed, remaining, 0);
    // The terminal shows the bar already; elsewhere the line is all that tells of progress.
    if (terminal_ || options_.quiet) {
      log_to_file(line);
    } else {
      spdlog::info(line);
    }
  }
}

void Progress::finish() {
  if (terminal_) show_status_line({});
  const double elapsed = seconds_between(started_, Clock::now());
  const double remaining = pace_.remaining(elapsed, done_, total_);  // of what ends before its time
  const std::string line = format_progress(label_, done_, total_, text_, elapsed, remaining, 0);
  if (options_.quiet) {
    log_to_file(line);
  } else {
    spdlog::info(line);
  }
}

}  // namespace transformer
