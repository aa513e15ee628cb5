// As much of protocol buffers' wire format as SentencePiece's models and TensorBoard's events take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// How a field is written.
enum class ProtoKind : std::uint8_t { integer = 0, eight_bytes = 1, bytes = 2, four_bytes = 5 };

/// A view of a field of a message.
struct ProtoField {
  std::uint64_t number = 0;
  ProtoKind kind = ProtoKind::integer;
  std::uint64_t value = 0;        ///< of all kinds but bytes: the bits
  std::string_view content = {};  ///< of bytes: text, or a message
  std::string_view whole = {};    ///< all of the field, to be copied
};

/// The fields of a message in their order, or nothing when it is damaged.
std::optional<std::vector<ProtoField>> proto_fields(std::string_view message);

void append_proto_integer(std::string& message, std::uint32_t number, std::uint64_t value);
void append_proto_float(std::string& message, std::uint32_t number, float value);
void append_proto_double(std::string& message, std::uint32_t number, double value);
/// Text, or a message in a message.
void append_proto_bytes(std::string& message, std::uint32_t number, std::string_view content);

}  // namespace transformer
