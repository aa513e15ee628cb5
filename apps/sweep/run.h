// How transformer-sweep does its work.
#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "apps/common/program.h"
#include "apps/sweep/results.h"
#include "apps/sweep/setting.h"
#include "transformer/translation/translator.h"

namespace transformer::apps {

struct SweepArguments {
  CommonOptions common;
  std::string run;
  std::vector<std::size_t> averages{1, 5};
  std::vector<std::int64_t> beams{1, 4};
  std::vector<double> alphas{0, 0.6, 1};
  std::string data = "dev";
  std::string output, write;
  bool overwrite = false;
  bool json = false;
};

struct SweepLine {
  SweepRow row;
  SweepConditions conditions;
};

class Sweep {
 public:
  /// Looks at everything before there is work to lose. Throws InputError for what cannot be.
  explicit Sweep(const SweepArguments& arguments);

  /// Measures what is not known yet, and returns a line for each combination, in the arguments' order.
  std::vector<SweepLine> run();

  /// Makes a model directory, arguments.write, that translates as that row did: of the mean of as many
  /// checkpoints, with its beam and length penalty as the model's own.
  void write(const SweepPoint& best) const;

  const SweepSetting& setting() const { return setting_; }

 private:
  /// One of the averages, with all that its scores depend on beside the point.
  struct Average {
    std::size_t count = 1;
    std::vector<std::filesystem::path> checkpoints;
    SweepConditions conditions;
  };
  /// The combinations that one search serves.
  struct Search {
    const Average* average = nullptr;
    std::int64_t beam = 1;
    std::vector<SweepPoint> points;
  };

  static std::vector<Average> choose_averages(const SweepArguments& arguments);
  std::vector<SweepPoint> points(std::size_t average, std::int64_t beam) const;
  std::vector<Search> missing() const;
  void measure(const Search& search, translation::Translator& engine,
               const translation::TranslateCallbacks& callbacks);

  const SweepArguments& arguments_;
  translation::TranslatorOptions engine_;
  std::filesystem::path newest_;  // checkpoint
  std::vector<Average> averages_;
  SweepSetting setting_;
  SweepResults results_;
};

}  // namespace transformer::apps
