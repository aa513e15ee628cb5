#include "transformer/base/printable.h"

#include <fmt/format.h>

#include "transformer/base/text_file.h"

namespace transformer {
namespace {

std::string escaped(char c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

/// Whether U+0080 … U+009F begins here: terminals obey these, too.
bool is_wide_control(std::string_view text) {
  return text.size() > 1 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0;
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string line;
  auto valid = first_invalid_utf8(text).value_or(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == valid) {
      line += escaped(text[i]);
      const auto rest = text.substr(i + 1);
      valid = i + 1 + first_invalid_utf8(rest).value_or(rest.size());
    } else if (is_wide_control(text.substr(i))) {
      line += escaped(text[i]) + escaped(text[i + 1]);
      ++i;
    } else if (is_control(text[i]) && kept.find(text[i]) == std::string_view::npos) {
      line += escaped(text[i]);
    } else {
      line += text[i];
    }
  }
  return line;
}

}  // namespace transformer
