// Texts that a program reads whole. They are files with equal numbers of lines; one may be standard input.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "transformer/base/text_file.h"

namespace transformer::apps {

/// An option and the path that was given for it.
using TextOption = std::pair<std::string, std::string>;

/// Standard input can be read once: throws InputError, naming the option, for the second path that is "-".
void check_standard_input(const std::vector<TextOption>& options);

/// The lines of a file, or of standard input where the path is "-"; either may be compressed. Throws
/// InputError as read_lines does, and where there is none.
std::vector<std::string> read_text(const std::string& path, ByteOrderMark mark = ByteOrderMark::drop);

/// Throws InputError, naming both, unless `lines`, of `path`, are as many as `expected`, those of `other`.
void check_line_count(std::size_t lines, const std::string& path, std::size_t expected,
                      const std::string& other);

}  // namespace transformer::apps
