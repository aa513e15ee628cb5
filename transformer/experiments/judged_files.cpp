#include "transformer/experiments/judged_files.h"

#include <fmt/format.h>

#include <iterator>
#include <sstream>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

namespace transformer::experiments {

namespace fs = std::filesystem;

void check_sum(const fs::path& file, const std::string& sum) {
  if (!sum.empty() && sha256_file(file) != sum)
    throw InputError(
        fmt::format("{}: expected the file whose SHA-256 run.json has, found another: remove it, and "
                    "it is made again",
                    file.string()));
}

eval::Sentences read_judged(const fs::path& file, const std::string& sum, const eval::Sentences& references) {
  check_sum(file, sum);
  auto lines = read_lines(file);
  if (lines.size() != references.size())
    throw InputError(fmt::format("{}: expected {} lines, one for each of the prepared set, found {}",
                                 file.string(), references.size(), lines.size()));
  return lines;
}

std::vector<eval::Counts> counts_in(const eval::Metric& metric, const eval::Sentences& lines,
                                    const eval::Sentences& references, const fs::path& file) {
  if (!metric.is_of_predictions()) return eval::count_sentences(metric, {lines, {references}});
  const auto size = metric.count_predictions({}).size();
  std::vector<eval::Counts> all;
  for (const auto& line : lines) {
    std::istringstream numbers(line);
    eval::Counts counts{std::istream_iterator<std::int64_t>(numbers), {}};
    if (counts.size() != size || !numbers.eof())
      throw InputError(
          fmt::format("{}:{}: expected {} whole numbers, what {} counts of a sentence, found '{}'",
                      file.string(), all.size() + 1, size, metric.name, line.substr(0, 100)));
    all.push_back(std::move(counts));
  }
  return all;
}

}  // namespace transformer::experiments
