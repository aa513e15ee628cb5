// TensorBoard's file of measurements. It has records in TFRecord's frame. Each record is an Event in protocol
// buffers (event.proto, summary.proto and tensor.proto of TensorBoard).
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace transformer::train {

/// The CRC-32C of a TFRecord: turned by 15 bits, and a constant added.
std::uint32_t masked_crc32c(std::string_view bytes);

/// A record: its length (8 bytes, little endian), masked_crc32c of these, the content, masked_crc32c of that.
std::string frame_record(std::string_view content);

/// When something was measured.
struct EventTime {
  double seconds = 0;  ///< since 1970
  std::int64_t step = 0;
};

struct Scalar {
  std::string tag;
  double value = 0;
};

class EventFile {
 public:
  /// A new file in `folder`, which has to be there. A TensorBoard that has the folder open forgets what it
  /// has read of earlier files. Throws InputError or RunError when it cannot be written, as all of these do.
  EventFile(const std::filesystem::path& folder, double now);

  /// All in one record.
  void write(const EventTime& time, const std::vector<Scalar>& scalars);

  /// Text, which TensorBoard takes for Markdown.
  void write(const EventTime& time, std::string_view tag, std::string_view markdown);

  const std::filesystem::path& path() const { return path_; }

  /// Whether the file has a name that this class gives, and is empty or begins as it lets files begin.
  static bool is_ours(const std::filesystem::path& file);

 private:
  void append(std::string_view event);

  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace transformer::train
