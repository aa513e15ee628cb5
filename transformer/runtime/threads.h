// How many threads compute.
#pragma once

namespace transformer::runtime {

/// Lets LibTorch's operations run on `wanted` threads; 0 means as many as LibTorch finds cores. Where the
/// system would refuse some of their threads (a limit on processes, or on memory for stacks), or where there
/// would be more than kMostThreadsPerCore for each core, a warning says so and fewer are used. Returns how
/// many. To be called before anything computes.
///
/// LibTorch itself waits for ever for a refused thread of one of its pools, and OpenMP ends the process.
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
