// CRC-32C (Castagnoli): the checksum of iSCSI, ext4 and TFRecord.
#pragma once

#include <cstdint>
#include <string_view>

namespace transformer {

/// Of the polynomial 0x1EDC6F41, bits reflected, as RFC 3720 (B.4) has it.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace transformer
