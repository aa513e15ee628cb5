#include "transformer/base/log.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/dist_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"

namespace transformer {
namespace {

/// Standard error with an optional status line that stays below all messages. Its mutex covers both.
class TerminalSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void show_status(std::string_view line) {
    const std::lock_guard lock(mutex_);
    if (status_.empty() && line.empty()) return;
    status_ = line;
    print(fmt::format("\r\x1b[K{}", status_));
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    const std::string_view line(text.data(), text.size());
    print(status_.empty() ? std::string(line) : fmt::format("\r\x1b[K{}{}", line, status_));
  }
  void flush_() override { std::fflush(stderr); }

 private:
  static void print(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  }
  std::string status_;
};

/// Hands messages on to all sinks, with what they quote from files made printable. Some have several lines.
class PrintableSink : public spdlog::sinks::dist_sink<std::mutex> {
 public:
  using dist_sink::dist_sink;

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const auto text = printable({message.payload.data(), message.payload.size()}, "\n");
    auto copy = message;
    copy.payload = text;
    dist_sink::sink_it_(copy);
  }
};

struct Sinks {
  /// The only sink of the logger. The logger itself stays as it is once other threads may use it.
  std::shared_ptr<spdlog::sinks::dist_sink_mt> all;
  std::shared_ptr<TerminalSink> terminal;
  std::shared_ptr<spdlog::sinks::basic_file_sink_mt> file;
  spdlog::level::level_enum level = spdlog::level::info;
};

Sinks& sinks() {
  static Sinks instance;
  return instance;
}

}  // namespace

void start_logging(const std::string& level, bool quiet) {
  const auto parsed = spdlog::level::from_str(level);
  if (parsed == spdlog::level::off && level != "off") {
    throw InputError(
        fmt::format("log level: expected trace, debug, info, warning, error or off, found \"{}\"", level));
  }
  sinks().level = parsed;
  sinks().terminal = std::make_shared<TerminalSink>();
  sinks().terminal->set_level(quiet ? std::max(parsed, spdlog::level::warn) : parsed);
  sinks().terminal->set_pattern("%H:%M:%S %l: %v");
  sinks().all = std::make_shared<PrintableSink>(std::vector<spdlog::sink_ptr>{sinks().terminal});
  if (sinks().file) sinks().all->add_sink(sinks().file);
  auto logger = std::make_shared<spdlog::logger>("", sinks().all);
  // The sinks select; the logger itself lets through what the most talkative of them may want.
  logger->set_level(std::min(parsed, spdlog::level::info));
  logger->flush_on(logger->level());  // a killed run keeps its last words
  spdlog::set_default_logger(logger);
}

void add_log_file(const std::filesystem::path& path) {
  if (!sinks().terminal) start_logging();
  if (sinks().file) sinks().all->remove_sink(sinks().file);
  sinks().file.reset();
  if (std::filesystem::is_directory(path))
    throw InputError(fmt::format("{}: expected a file for the log, found a folder", path.string()));
  try {
    auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
    file->set_level(std::min(sinks().level, spdlog::level::info));
    file->set_pattern("%Y-%m-%d %H:%M:%S %l: %v");
    sinks().all->add_sink(file);
    sinks().file = std::move(file);
  } catch (const spdlog::spdlog_ex& error) {
    throw RunError(fmt::format("{}: cannot be opened for the log: {}", path.string(), error.what()));
  }
}

void log_to_file(std::string_view message) {
  if (!sinks().file) return;
  sinks().file->log(spdlog::details::log_msg("", spdlog::level::info,
                                             spdlog::string_view_t(message.data(), message.size())));
  sinks().file->flush();
}

bool stderr_is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

void show_status_line(std::string_view line) {
  if (!stderr_is_terminal()) return;
  if (!sinks().terminal) start_logging();
  sinks().terminal->show_status(line);
}

}  // namespace transformer
