// Bytes as text, by RFC 4648.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace transformer {

/// Filled up with "=" to a multiple of four letters.
std::string to_base64(std::string_view bytes);

/// The other way, also without "=" at the end. Nothing of other text.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace transformer
