// What every program shares, be it one that computes or not: exit statuses, and how a program ends. Free of
// LibTorch.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>

#include "transformer/base/exit_status.h"

namespace transformer::apps {

using enum ExitStatus;

/// Parses the command line, runs `body` and ends the program with an exit status: that of `body`, or, after
/// one line on standard error, kBadInput for a usage error or an InputError and kFailed for any other
/// exception. A reader of standard output that goes away ends the program with kFailed and no word as soon as
/// it writes more; output that cannot be written (a full disk) ends it with a message. Standard error that
/// goes away ends nothing. SIGINT, SIGTERM and SIGHUP end it with kInterrupted, and what it was writing
/// vanishes. `set_up`, where given, runs first, before signals are answered; its errors are answered as the
/// body's.
[[noreturn]] void run_plain_program(CLI::App& app, int argc, char** argv, const std::function<int()>& body,
                                    const std::function<void()>& set_up = {});

/// For a program that has something to save: the first SIGINT, SIGTERM or SIGHUP from now on only sets the
/// flag that is returned; the program is to stop by itself then, within seconds. A second request
/// (stop_requests.h) ends it at once, and with it the programs that it runs.
const std::atomic<bool>& stop_when_signalled();

}  // namespace transformer::apps
