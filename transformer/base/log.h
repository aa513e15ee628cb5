// Messages for people. They go to standard error, never to standard output, which belongs to results.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace transformer {

/// Sends what is logged with spdlog::info() and its siblings to standard error. `level` is one of trace,
/// debug, info, warning, error, off; anything else is an InputError. `quiet` leaves warnings and errors. To
/// be called before other threads log.
void start_logging(const std::string& level = "info", bool quiet = false);

/// Also appends messages from `info` up (or from the level given to start_logging, if lower) to a file, with
/// dates, whatever standard error shows. A second file takes the place of the first. Throws RunError when it
/// cannot be opened.
void add_log_file(const std::filesystem::path& path);

/// Logs a line to the log file alone, where there is one.
void log_to_file(std::string_view message);

/// Whether standard error is a terminal that can redraw a line.
bool stderr_is_terminal();

/// Keeps `line` as the last line of the terminal, below the messages; an empty one removes it. Does nothing
/// when standard error is no terminal.
void show_status_line(std::string_view line);

}  // namespace transformer
