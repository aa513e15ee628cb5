// Standard output, which belongs to results, and its reader, who may go away.
#pragma once

#include <string_view>

namespace transformer::apps {

/// Whether something that was written is lost.
bool output_failed();

/// Whether it is a pipe, a socket or a terminal at whose other end nobody is any more.
bool output_reader_is_gone();

/// Prints for somebody who may watch, where the program's work is elsewhere: a reader that has gone away does
/// not end it.
void print_if_read(std::string_view text);

}  // namespace transformer::apps
