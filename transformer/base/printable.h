// Text of unknown origin, made fit for a message.
#pragma once

#include <string>
#include <string_view>

namespace transformer {

/// The text in one line that a terminal shows as it is: control characters and bytes that are not UTF-8
/// become \n, \t, \r or \x and two digits. Those in `kept` stay.
std::string printable(std::string_view text, std::string_view kept = {});

}  // namespace transformer
