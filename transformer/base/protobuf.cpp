#include "transformer/base/protobuf.h"

#include <bit>
#include <cstddef>

namespace transformer {
namespace {

constexpr unsigned kKindBits = 3;  // of the integer in front of a field, which the number follows

/// Seven bits a byte, the lowest first; the eighth says that more follow.
std::optional<std::uint64_t> take_integer(std::string_view& rest) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !rest.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80U) return value;
  }
  return std::nullopt;
}

/// Little endian.
std::optional<std::uint64_t> take_fixed(std::string_view& rest, std::size_t bytes) {
  if (rest.size() < bytes) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest[i])) << (8 * i);
  rest.remove_prefix(bytes);
  return value;
}

std::optional<ProtoField> take_field(std::string_view& rest) {
  const auto whole = rest;
  const auto tag = take_integer(rest);
  if (!tag) return std::nullopt;
  ProtoField field;
  field.number = *tag >> kKindBits;
  field.kind = static_cast<ProtoKind>(*tag & 7U);
  std::optional<std::uint64_t> value;
  switch (field.kind) {  // of others nothing is known
    case ProtoKind::integer:
    case ProtoKind::bytes:
      value = take_integer(rest);
      break;
    case ProtoKind::eight_bytes:
      value = take_fixed(rest, 8);
      break;
    case ProtoKind::four_bytes:
      value = take_fixed(rest, 4);
  }
  if (!value) return std::nullopt;
  if (field.kind == ProtoKind::bytes) {
    if (*value > rest.size()) return std::nullopt;
    field.content = rest.substr(0, *value);
    rest.remove_prefix(*value);
  } else {
    field.value = *value;
  }
  field.whole = whole.substr(0, whole.size() - rest.size());
  return field;
}

void append_integer(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) bytes.push_back(static_cast<char>(value | 0x80U));
  bytes.push_back(static_cast<char>(value));
}

void append_tag(std::string& message, std::uint32_t number, ProtoKind kind) {
  append_integer(message,
                 (static_cast<std::uint64_t>(number) << kKindBits) | static_cast<std::uint64_t>(kind));
}

/// Little endian.
template <typename Bits>
void append_fixed(std::string& message, Bits bits) {
  for (unsigned shift = 0; shift < 8 * sizeof(bits); shift += 8)
    message.push_back(static_cast<char>(bits >> shift));
}

}  // namespace

std::optional<std::vector<ProtoField>> proto_fields(std::string_view message) {
  std::vector<ProtoField> fields;
  while (!message.empty()) {
    const auto field = take_field(message);
    if (!field) return std::nullopt;
    fields.push_back(*field);
  }
  return fields;
}

void append_proto_integer(std::string& message, std::uint32_t number, std::uint64_t value) {
  append_tag(message, number, ProtoKind::integer);
  append_integer(message, value);
}

void append_proto_float(std::string& message, std::uint32_t number, float value) {
  append_tag(message, number, ProtoKind::four_bytes);
  append_fixed(message, std::bit_cast<std::uint32_t>(value));
}

void append_proto_double(std::string& message, std::uint32_t number, double value) {
  append_tag(message, number, ProtoKind::eight_bytes);
  append_fixed(message, std::bit_cast<std::uint64_t>(value));
}

void append_proto_bytes(std::string& message, std::uint32_t number, std::string_view content) {
  append_tag(message, number, ProtoKind::bytes);
  append_integer(message, content.size());
  message.append(content);
}

}  // namespace transformer
