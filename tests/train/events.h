// Reads event files back, record by record.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/protobuf.h"
#include "transformer/train/event_file.h"

namespace transformer::test {

struct Event {
  double time = 0;
  std::int64_t step = 0;
  std::string version = {};
  bool starts = false;
  std::vector<train::Scalar> scalars = {};
  std::string tag = {}, text = {};
};

inline std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// The records of a file, whose checksums have to be right.
inline std::vector<std::string> records_of(std::string_view bytes) {
  std::vector<std::string> records;
  while (!bytes.empty()) {
    REQUIRE(bytes.size() >= 16);
    const auto length = little_endian(bytes.substr(0, 8));
    CHECK(little_endian(bytes.substr(8, 4)) == train::masked_crc32c(bytes.substr(0, 8)));
    REQUIRE(bytes.size() >= 16 + length);
    records.emplace_back(bytes.substr(12, length));
    CHECK(little_endian(bytes.substr(12 + length, 4)) == train::masked_crc32c(records.back()));
    bytes.remove_prefix(16 + length);
  }
  return records;
}

inline std::vector<ProtoField> fields_of(std::string_view message) {
  const auto fields = proto_fields(message);
  REQUIRE(fields);
  return *fields;
}

/// The content of the only field of that number, or nothing.
inline std::string content_of_field(std::string_view message, std::uint64_t number) {
  const auto fields = fields_of(message);
  for (const auto& field : fields)
    if (field.number == number) return std::string(field.content);
  return {};
}

inline void read_value(std::string_view value, Event& event) {
  const auto tag = content_of_field(value, 1);
  const auto fields = fields_of(value);
  for (const auto& field : fields) {
    if (field.number == 2)
      event.scalars.push_back({tag, std::bit_cast<float>(static_cast<std::uint32_t>(field.value))});
    if (field.number == 8) {
      event.tag = tag;
      event.text = content_of_field(field.content, 8);
    }
  }
}

inline Event event_of(std::string_view record) {
  Event event;
  const auto fields = fields_of(record);
  for (const auto& field : fields) {
    if (field.number == 1) event.time = std::bit_cast<double>(field.value);
    if (field.number == 2) event.step = static_cast<std::int64_t>(field.value);
    if (field.number == 3) event.version = field.content;
    if (field.number == 7) event.starts = true;
    if (field.number != 5) continue;
    const auto values = fields_of(field.content);
    for (const auto& value : values) read_value(value.content, event);
  }
  return event;
}

/// Those of the only event file in a folder that is not empty, after its version and its start.
inline std::vector<Event> measured_events(const std::filesystem::path& folder) {
  std::vector<Event> events;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!train::EventFile::is_ours(entry.path()) || entry.file_size() == 0) continue;
    ++files;
    for (const auto& record : records_of(content_of(entry.path()))) events.push_back(event_of(record));
  }
  CHECK(files == 1);
  REQUIRE(events.size() >= 2);
  CHECK(events[0].version == "brain.Event:2");
  CHECK(events[1].starts);
  CHECK(events[1].step == 0);
  events.erase(events.begin(), events.begin() + 2);
  return events;
}

}  // namespace transformer::test
