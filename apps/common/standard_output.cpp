#include "apps/common/standard_output.h"

#include <poll.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace transformer::apps {

bool output_failed() {
  return !std::cout || std::ferror(stdout) != 0;
}

bool output_reader_is_gone() {
  pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

void print_if_read(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  if (!output_failed() || !output_reader_is_gone()) return;
  __fpurge(stdout);
  std::clearerr(stdout);
}

}  // namespace transformer::apps
