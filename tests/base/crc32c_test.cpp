#include "transformer/base/crc32c.h"

#include <string>

#include "tests/catch.h"

namespace transformer {

// The check value of the catalogue of CRCs, and the examples of RFC 3720, B.4.
TEST_CASE("CRC-32C has the values that are known of it") {
  CHECK(crc32c("123456789") == 0xE3069283U);
  CHECK(crc32c("") == 0U);
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AAU);
  CHECK(crc32c(std::string(32, '\xFF')) == 0x62A8AB43U);
  std::string rising;
  for (char byte = 0; byte < 32; ++byte) rising.push_back(byte);
  CHECK(crc32c(rising) == 0x46DD794EU);
}

}  // namespace transformer
