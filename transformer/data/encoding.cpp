#include "transformer/data/encoding.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>

namespace transformer::data {

Sentences encode_all(const Tokenizer& tokenizer, const std::vector<std::string>& lines, std::int64_t most,
                     int threads, const std::function<void(std::int64_t)>& progress) {
  constexpr std::size_t chunk_lines = 1024;
  const auto limit = static_cast<std::size_t>(most);
  std::vector<Sentences> chunks((lines.size() + chunk_lines - 1) / chunk_lines);
  std::atomic<std::size_t> next = 0;
  std::atomic<std::int64_t> done = 0;
  const auto work = [&] {
    for (auto chunk = next++; chunk < chunks.size(); chunk = next++) {
      const auto end = std::min(lines.size(), (chunk + 1) * chunk_lines);
      for (auto line = chunk * chunk_lines; line < end; ++line) {
        const auto ids = tokenizer.encode(lines[line], limit);
        chunks[chunk].add(std::span(ids).first(std::min(ids.size(), limit + 1)));
        ++done;
      }
    }
  };
  std::vector<std::future<void>> workers;
  for (int i = 0; i < std::max(threads, 1); ++i) workers.push_back(std::async(std::launch::async, work));
  for (auto& worker : workers) {
    while (worker.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) {
      if (progress) progress(done);
    }
    worker.get();  // passes on what it threw
  }
  if (progress) progress(done);

  Sentences all;
  for (auto& chunk : chunks) {
    for (std::int64_t i = 0; i < chunk.size(); ++i) all.add(chunk[i]);
    chunk = {};
  }
  return all;
}

}  // namespace transformer::data
