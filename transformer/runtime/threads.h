// How many threads compute.
#pragma once

namespace transformer::runtime {

/// Lets LibTorch's operations run on `wanted` threads; 0 means LibTorch's number of cores. Returns the number
/// of threads. Fewer are used, with a warning, if the system would refuse some (a limit on processes, or on
/// memory for stacks), or for more than kMostThreadsPerCore per core. Call this before any computation.
///
/// Without this check LibTorch would wait for ever for a refused thread of its pools, and OpenMP would end
/// the process.
int use_threads(int wanted);

/// With more, threads that wait for each other keep the cores from those that have work.
inline constexpr int kMostThreadsPerCore = 8;

/// How many threads the system grants besides those that run now, up to `most`. It makes them all at once,
/// and ends them.
int grantable_threads(int most);

/// How many threads can compute where `wanted` are asked for and the system grants `granted` more; 1 at
/// least.
int computing_threads(int wanted, int granted);

/// How many more threads a program of `computing` threads may come to have.
int further_threads(int computing);

}  // namespace transformer::runtime
