#include "apps/common/plain_program.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <new>
#include <string_view>

#include "apps/common/option_numbers.h"
#include "apps/common/standard_output.h"
#include "transformer/base/end_process.h"
#include "transformer/base/error.h"
#include "transformer/base/log.h"
#include "transformer/base/printable.h"
#include "transformer/base/process.h"
#include "transformer/base/signals.h"
#include "transformer/base/stop_requests.h"
#include "transformer/base/temporary.h"

namespace transformer::apps {
namespace {

constexpr const char* kNoOutput = "cannot write to standard output";

/// Names from files may hold anything, so nothing but printable() lets a message onto the terminal.
int fail(ExitStatus status, std::string_view message) {
  wait_if_exiting();
  // `program … | head` is no error to speak of.
  if (status == kFailed && output_failed() && output_reader_is_gone()) return status;
  std::fflush(stdout);
  std::fputs(fmt::format("error: {}\n", printable(message)).c_str(), stderr);  // which may be gone
  return status;
}

/// The same for an exception of a library, which may go on for many lines.
int fail_with_first_line(std::string_view message) {
  constexpr std::string_view kTried = "you tried to allocate ";  // LibTorch's allocator
  if (const auto tried = message.find(kTried); tried != std::string_view::npos) {
    message.remove_prefix(tried + kTried.size());
    return fail(kFailed,
                fmt::format("out of memory: there are no further {}", message.substr(0, message.find('.'))));
  }
  message.remove_prefix(std::min(message.find_first_not_of('\n'), message.size()));  // TorchScript's begin so
  return fail(kFailed, message.substr(0, message.find('\n')));
}

std::atomic<bool> saves_when_signalled = false;
std::atomic<bool> signalled = false;
const pid_t launcher = ::getppid();  // which may end before a signal comes

/// Held while a signal is answered, and from the body's end on.
std::mutex answering;

void answer_signal(const Signal& signal) {
  static StopRequests requests(launcher);
  const std::lock_guard lock(answering);
  const auto answer = saves_when_signalled ? requests.take(signal, std::chrono::steady_clock::now())
                                           : StopRequests::Answer::stop_at_once;
  switch (answer) {
    case StopRequests::Answer::nothing:
      return;
    case StopRequests::Answer::stop:
      signalled = true;
      spdlog::warn("stopping as soon as all is saved; another signal stops at once");
      return;
    case StopRequests::Answer::stop_at_once: {
      show_status_line("");
      const auto unheard = Process::end_all();
      exit_without_temporaries(kInterrupted);
    }
  }
}

/// "FILE: REASON", as an InputError where the user named the place and a RunError elsewhere.
int fail_on_file(const std::filesystem::filesystem_error& error) {
  try {
    throw_file_error(error.path1(), "access", error.code().value());
  } catch (const InputError& input) {
    return fail(kBadInput, input.what());
  } catch (const RunError& run) {
    return fail(kFailed, run.what());
  }
}

int parse(CLI::App& app, int argc, char** argv, bool& go_on) {
  go_on = false;
  try {
    app.parse(argc, argv);
    check_numbers(app);
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    const auto message = say_type(app, error.what());
    const auto line = message.substr(0, message.find('\n'));
    auto program = app.get_name();
    for (const auto* command : app.get_subcommands()) program += " " + command->get_name();
    return fail(kBadInput, fmt::format("{} ({} --help says what there is)", line, program));
  }
  go_on = true;
  return kDone;
}

int finish_output(int status) {
  std::cout.flush();
  std::fflush(stdout);
  return output_failed() ? fail(kFailed, kNoOutput) : status;
}

int run(const std::function<int()>& body, const std::function<void()>& set_up) {
  try {
    if (set_up) set_up();
    answer_signals(answer_signal);
    return finish_output(body());
  } catch (const InputError& error) {
    return fail(kBadInput, error.what());
  } catch (const Interrupted&) {
    return kInterrupted;
  } catch (const std::filesystem::filesystem_error& error) {
    return fail_on_file(error);
  } catch (const std::bad_alloc&) {
    return fail(kFailed, "out of memory");
  } catch (const RunError& error) {
    return fail(kFailed, output_failed() ? kNoOutput : error.what());
  } catch (const std::exception& error) {
    return fail_with_first_line(output_failed() ? kNoOutput : what_of(error));
  }
}

}  // namespace

void run_plain_program(CLI::App& app, int argc, char** argv, const std::function<int()>& body,
                       const std::function<void()>& set_up) {
  guard_standard_streams();
  bool go_on = false;
  const int parsed = parse(app, argc, argv, go_on);
  const int status = go_on ? run(body, set_up) : finish_output(parsed);
  std::fflush(nullptr);  // may wait for a reader, for whom a signal does not
  const std::lock_guard lock(answering);
  end_process(status);
}

const std::atomic<bool>& stop_when_signalled() {
  saves_when_signalled = true;
  return signalled;
}

}  // namespace transformer::apps
