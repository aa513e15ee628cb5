// Work for several threads that has more pieces than there are threads.
#pragma once

#include <cstddef>
#include <functional>

namespace transformer::translation {

/// Calls work(worker, piece) once for each piece 0 … pieces - 1, on `workers` threads at most, of which the
/// caller's is number 0: each takes the next piece when it is done with one. When a call throws, no further
/// piece is begun, and what the first one threw is thrown here.
void for_pieces(std::size_t workers, std::size_t pieces,
                const std::function<void(std::size_t worker, std::size_t piece)>& work);

}  // namespace transformer::translation
