// Work for several threads that has more pieces than there are threads.
#pragma once

#include <cstddef>
#include <functional>

namespace transformer::translation {

/// Calls work(worker, piece) once for each piece 0 … pieces - 1, on at most `workers` threads. The caller's
/// thread is worker 0. Each worker takes the next piece when it has finished one. If a call throws, no
/// further piece is begun, and the first exception is thrown here.
void for_pieces(std::size_t workers, std::size_t pieces,
                const std::function<void(std::size_t worker, std::size_t piece)>& work);

}  // namespace transformer::translation
