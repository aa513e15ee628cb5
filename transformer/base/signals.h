// SIGINT (Ctrl-C) and SIGTERM.
#pragma once

#include <functional>

namespace transformer {

/// Lets `action` answer each SIGINT and SIGTERM from now on. It is called on a thread of its own, where,
/// other than in a signal handler, it may do anything. To be called once, before other threads begin.
void answer_signals(std::function<void()> action);

}  // namespace transformer
