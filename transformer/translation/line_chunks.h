// Lines as they arrive: many at once from a file, one at a time from a person.
#pragma once

#include <istream>
#include <streambuf>
#include <string>
#include <vector>

#include "transformer/base/text_file.h"
#include "transformer/base/unpacker.h"

namespace transformer::translation {

/// Reads a file descriptor, be what it gives compressed; knows whether a whole line can be had without
/// waiting for more.
class DescriptorBuffer : public std::streambuf {
 public:
  /// The descriptor stays the caller's, and open.
  DescriptorBuffer(int descriptor, std::string name);

  /// Whether the next line (or the end) has arrived, or does within so many milliseconds of silence.
  bool line_arrives(int milliseconds);

 protected:
  int_type underflow() override;

 private:
  bool read_more();  // false at the end; throws what throw_file_error says

  int descriptor_;
  std::string name_;  // for messages
  Unpacker unpacker_;
  std::string bytes_;
  bool ended_ = false;
};

/// Cuts a stream of lines into chunks for translation.
class LineChunks {
 public:
  /// `name` stands for the stream in messages.
  LineChunks(int descriptor, const std::string& name);

  /// The next lines, checked as LineReader does: at most `most`, and fewer when the sender pauses, so that
  /// who types a line gets its translation at once, or when they are very long. Waits for the first line.
  /// Empty at the end.
  std::vector<std::string> next(std::size_t most);

  const LineReader& reader() const { return reader_; }

 private:
  DescriptorBuffer buffer_;
  std::istream stream_;
  LineReader reader_;
};

}  // namespace transformer::translation
