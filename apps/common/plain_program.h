// Exit statuses and the end of a program, for all programs, whether they compute or not. Free of LibTorch.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>

#include "transformer/base/exit_status.h"

namespace transformer::apps {

using enum ExitStatus;

/// Parses the command line, runs `body` and ends the program with the status of `body`, or with:
/// * kBadInput after a usage error or an InputError, with one line on standard error.
/// * kFailed after any other exception, with one line on standard error.
/// * kFailed, with a line, if output cannot be written (a full disk).
/// * kFailed, without a word, at the next write after the reader of standard output has gone.
/// * kInterrupted after SIGINT, SIGTERM or SIGHUP. Files that were being written vanish.
///
/// The program goes on if standard error is closed. `set_up`, if given, runs first, before signals are
/// handled. Its errors are handled like those of `body`.
[[noreturn]] void run_plain_program(CLI::App& app, int argc, char** argv, const std::function<int()>& body,
                                    const std::function<void()>& set_up = {});

/// For a program that has something to save. From now on the first SIGINT, SIGTERM or SIGHUP only sets the
/// returned flag; the program must then stop by itself within seconds. A second request (stop_requests.h)
/// ends it at once, together with the programs that it runs.
const std::atomic<bool>& stop_when_signalled();

}  // namespace transformer::apps
