// Compressed texts for tests. Who includes this links ZLIB::ZLIB and Zstd::Zstd.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <string>

#include "tests/catch.h"

namespace transformer::test {

inline std::string gzip(std::string text) {
  z_stream state{};
  REQUIRE(deflateInit2(&state, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&state, static_cast<uLong>(text.size())), '\0');
  state.next_in = reinterpret_cast<Bytef*>(text.data());
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&state, Z_FINISH) == Z_STREAM_END);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

inline std::string zstandard(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  auto* const state = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1);  // as the program zstd
  const auto size = ZSTD_compress2(state, packed.data(), packed.size(), text.data(), text.size());
  ZSTD_freeCCtx(state);
  REQUIRE(ZSTD_isError(size) == 0);
  packed.resize(size);
  return packed;
}

}  // namespace transformer::test
