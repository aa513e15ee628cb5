// Bytes that come before it is known where they go.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace transformer::data {

/// A growing row of bytes of any length: some in memory, the others in a file without a name, which is gone
/// with this object and with its process. Failures throw what throw_file_error says of them.
class Spool {
 public:
  /// The file lies in the folder of `place`, which messages name.
  explicit Spool(std::filesystem::path place) : place_(std::move(place)) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  void write(std::span<const std::byte> bytes);

  /// Hands all that was written to `take`, part by part. All parts but the last are of kPart bytes.
  void read(const std::function<void(std::span<const std::byte>)>& take) const;

  static constexpr std::size_t kPart = std::size_t{1} << 20U;

 private:
  void write_part();

  std::filesystem::path place_;
  int descriptor_ = -1;
  std::size_t parts_ = 0;          ///< in the file
  std::vector<std::byte> buffer_;  ///< what follows them
};

}  // namespace transformer::data
