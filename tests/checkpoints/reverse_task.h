// A task that a tiny model learns in seconds: say a row of digits backwards.
#pragma once

#include <random>
#include <set>

#include "tests/temporary_folder.h"
#include "transformer/config/experiment.h"
#include "transformer/data/prepare.h"

namespace transformer::test {

/// `count` rows of 3 to 7 digits between blanks, none of them in `seen`, to which they are added.
inline std::vector<std::string> digit_rows(std::size_t count, std::set<std::string>& seen) {
  static std::mt19937 random(1);  // unlike the distributions, the engine is the same everywhere
  std::vector<std::string> rows;
  while (rows.size() < count) {
    std::string row;
    for (auto length = 3 + random() % 5; length > 0; --length)
      row += std::string(row.empty() ? "" : " ") + static_cast<char>('0' + random() % 10);
    if (seen.insert(row).second) rows.push_back(row);
  }
  return rows;
}

/// Writes a split of the task: name.in and name.out, and which words translate which, name.links. The last
/// word of a row has no link, as there are such words in real text.
inline void write_rows(const TemporaryFolder& folder, const std::string& name,
                       const std::vector<std::string>& rows) {
  std::string source, target, links;
  for (const auto& row : rows) {
    source += row + "\n";
    target += std::string(row.rbegin(), row.rend()) + "\n";
    const auto last = row.size() / 2;  // digits and blanks take turns
    for (std::size_t i = 0; i < last; ++i) links += std::to_string(i) + "-" + std::to_string(last - i) + " ";
    links += "\n";
  }
  folder.write(name + ".in", source);
  folder.write(name + ".out", target);
  folder.write(name + ".links", links);
}

/// Prepares the task below `folder`; no row of the dev set is in the training set. One token a digit.
inline data::DataOptions prepare_reverse_task(const TemporaryFolder& folder, std::size_t train,
                                              std::size_t dev, bool overwrite = false) {
  std::set<std::string> seen;
  write_rows(folder, "train", digit_rows(train, seen));
  write_rows(folder, "dev", digit_rows(dev, seen));
  data::DataOptions options;
  options.source = "in";
  options.target = "out";
  options.train = (folder.path() / "train").string();
  options.dev = (folder.path() / "dev").string();
  options.vocabulary = 25;  // 4 special pieces, 10 digits, the blank, and each digit behind a blank
  options.prepared = (folder.path() / "prepared").string();
  data::prepare(options, {.overwrite = overwrite, .threads = 1, .quiet = true});
  return options;
}

/// 20 000 weights.
inline models::ModelOptions tiny_model() {
  return {.encoder_layers = 1,
          .decoder_layers = 1,
          .d_model = 32,
          .d_ff = 64,
          .heads = 4,
          .d_k = 8,
          .d_v = 8,
          .max_positions = 257};
}

inline config::Experiment tiny_experiment(const data::DataOptions& data, std::int64_t seed = 1) {
  config::Experiment experiment;
  experiment.seed = seed;
  experiment.data = data;
  experiment.model = tiny_model();
  return experiment;
}

}  // namespace transformer::test
