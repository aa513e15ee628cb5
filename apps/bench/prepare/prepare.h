// How fast text becomes ids.
#pragma once

#include <filesystem>

#include "transformer/data/corpus.h"

namespace transformer::bench {

struct PrepareSpeed {
  double megabytes_per_second = 0;  ///< of text, 10^6 bytes
  double sentences_per_second = 0;
  double peak_megabytes = 0;  ///< of memory that the process held, from its start on
};

/// Encodes a text file with a SentencePiece model on `threads` threads as transformer-prepare does: reading
/// and checking the lines is part of it, training a vocabulary and writing a data set are not.
/// Throws InputError for files that cannot be read.
PrepareSpeed bench_prepare(const data::SideFile& text, const std::filesystem::path& tokenizer, int threads);

}  // namespace transformer::bench
