#include "transformer/train/event_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>

#include "transformer/base/crc32c.h"
#include "transformer/base/error.h"
#include "transformer/base/protobuf.h"
#include "transformer/base/temporary.h"

namespace transformer::train {
namespace {

// Numbers of fields and values, as the .proto files have them.
namespace event {
constexpr std::uint32_t kTime = 1, kStep = 2, kVersion = 3, kSummary = 5, kSession = 7;
}
namespace session {
constexpr std::uint32_t kStatus = 1;
constexpr std::uint64_t kStart = 1;
}  // namespace session
namespace summary {
constexpr std::uint32_t kValue = 1, kTag = 1, kSimpleValue = 2, kTensor = 8, kMetadata = 9;
constexpr std::uint32_t kPlugin = 1, kPluginName = 1, kDataClass = 4;
constexpr std::uint64_t kTensorClass = 2;
}  // namespace summary
namespace tensor {
constexpr std::uint32_t kType = 1, kShape = 2, kString = 8;
constexpr std::uint64_t kStringType = 7;
}  // namespace tensor

constexpr std::string_view kPrefix = "events.out.tfevents.", kSuffix = ".transformer";

std::string little_endian(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}

std::string event_at(const EventTime& time) {
  std::string message;
  append_proto_double(message, event::kTime, time.seconds);
  append_proto_integer(message, event::kStep, static_cast<std::uint64_t>(time.step));
  return message;
}

std::string version_event(double now) {
  std::string message;
  append_proto_double(message, event::kTime, now);
  append_proto_bytes(message, event::kVersion, "brain.Event:2");
  return message;
}

/// What readers had of this step and later ones is void.
std::string start_event(double now) {
  std::string start;
  append_proto_integer(start, session::kStatus, session::kStart);
  auto message = event_at({now, 0});
  append_proto_bytes(message, event::kSession, start);
  return message;
}

/// Of every file of ours. TensorFlow's begin with the first record; none has the second one in this form.
std::string beginning(double now) {
  return frame_record(version_event(now)) + frame_record(start_event(now));
}

std::string name_at(double now) {
  return fmt::format("{}{:017.6f}{}", kPrefix, now, kSuffix);  // a later one sorts behind it
}

std::string text_value(std::string_view tag, std::string_view markdown) {
  std::string plugin, metadata, content, value;
  append_proto_bytes(plugin, summary::kPluginName, "text");
  append_proto_bytes(metadata, summary::kPlugin, plugin);
  append_proto_integer(metadata, summary::kDataClass, summary::kTensorClass);
  append_proto_integer(content, tensor::kType, tensor::kStringType);
  append_proto_bytes(content, tensor::kShape, "");  // no dimension: a single string
  append_proto_bytes(content, tensor::kString, markdown);
  append_proto_bytes(value, summary::kTag, tag);
  append_proto_bytes(value, summary::kTensor, content);
  append_proto_bytes(value, summary::kMetadata, metadata);
  return value;
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  const auto crc = crc32c(bytes);
  return ((crc >> 15U) | (crc << 17U)) + 0xA282EAD8U;
}

std::string frame_record(std::string_view content) {
  const auto length = little_endian(content.size(), 8);
  return length + little_endian(masked_crc32c(length), 4) + std::string(content) +
         little_endian(masked_crc32c(content), 4);
}

EventFile::EventFile(const std::filesystem::path& folder, double now) : path_(folder / name_at(now)) {
  if (lies_at(path_))
    throw InputError(
        fmt::format("{}: expected nothing, found a file, which is not replaced", path_.string()));
  errno = 0;
  file_.open(path_, std::ios::binary);
  file_ << beginning(now) << std::flush;
  if (!file_) throw_file_error(path_, "opening", errno);
}

void EventFile::write(const EventTime& time, const std::vector<Scalar>& scalars) {
  std::string values;
  for (const auto& [tag, number] : scalars) {
    std::string value;
    append_proto_bytes(value, summary::kTag, tag);
    append_proto_float(value, summary::kSimpleValue, static_cast<float>(number));
    append_proto_bytes(values, summary::kValue, value);
  }
  auto message = event_at(time);
  append_proto_bytes(message, event::kSummary, values);
  append(message);
}

void EventFile::write(const EventTime& time, std::string_view tag, std::string_view markdown) {
  std::string values;
  append_proto_bytes(values, summary::kValue, text_value(tag, markdown));
  auto message = event_at(time);
  append_proto_bytes(message, event::kSummary, values);
  append(message);
}

bool EventFile::is_ours(const std::filesystem::path& file) {
  const auto name = file.filename().string();
  double named = 0;
  const auto digits = name.substr(std::min(kPrefix.size(), name.size()));
  std::from_chars(digits.data(), digits.data() + digits.size(), named);
  if (name != name_at(named) || !std::filesystem::is_regular_file(std::filesystem::symlink_status(file)))
    return false;
  auto found = beginning(0);  // as long as that of any time
  std::ifstream stream(file, std::ios::binary);
  stream.read(found.data(), std::ssize(found));
  if (stream.gcount() == 0) return true;
  constexpr std::size_t kTime = 8 + 4 + 1;  // behind a record's length, its checksum, and the field's number
  double now = 0;
  std::memcpy(&now, found.data() + kTime, sizeof now);
  return stream && found == beginning(now);
}

void EventFile::append(std::string_view event) {
  errno = 0;
  file_ << frame_record(event) << std::flush;
  if (!file_) throw_file_error(path_, "writing", errno);
}

}  // namespace transformer::train
