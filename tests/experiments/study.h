// A list of experiments whose programs are scripts: they write what the real ones would, in no time.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/data/sample_text.h"
#include "tests/temporary_folder.h"
#include "transformer/base/text_file.h"
#include "transformer/data/prepare.h"
#include "transformer/experiments/study.h"

namespace transformer::test {

/// Experiments base (two seeds) and wide, on a dev set of three sentences. Each call of a program adds a line
/// to `calls`: the program's name and its arguments.
class ScriptedStudy {
 public:
  ScriptedStudy() {
    folder.write("train.en", join_lines(english_lines()));
    folder.write("train.de", join_lines(german_lines()));
    folder.write("dev.en", "The woman sees two bicycles.\nThe teacher paints the mountains.\nAn old man.\n");
    folder.write("dev.de", "Die Frau sieht zwei Fahrräder.\nDie Lehrerin malt die Berge.\nEin alter Mann.\n");
    std::filesystem::create_directory(folder.path() / "bin");
    // It notes each call, then does what a test lets it do.
    for (const auto* name : {"prepare", "train", "average", "translate"}) script(name, "");
    script("train", R"(mkdir -p "$run/checkpoints/last"
echo '{"step":5,"split":"train","perplexity":9,"flops":10,"seconds":1}' >"$run/metrics.jsonl"
echo '{"step":10,"split":"dev","perplexity":7.5,"flops":20,"seconds":2}' >>"$run/metrics.jsonl")");
    script("average", "mkdir -p \"$output\"");
    script("translate", "cp " + (folder.path() / "dev.de").string() + R"( "$output")");
    load("{name: base, seeds: 2}, {name: wide, group: C, set: {model.d_ff: 64}, paper: {bleu: 26.2}}");
  }

  /// Writes the list and its base again, with these experiments, and loads it.
  void load(const std::string& experiments, const std::string& more = "") {
    folder.write(
        "base.yaml",
        "data: {source: en, target: de, vocabulary: 120, train: train, dev: dev, prepared: prepared}\n"
        "model: {layers: 1, d_model: 16, d_ff: 32, heads: 2, d_k: 8, d_v: 8}\ntrain: {steps: 10}\n");
    study.list = experiments::load_experiment_list(folder.write(
        "list.yaml", "title: A study\nbase: base.yaml\n" + more + "experiments: [" + experiments + "]\n"));
    study.output = folder.path() / "out";
    study.programs = folder.path() / "bin";
    study.precision = "fp32";
    study.threads = 1;
    std::filesystem::create_directories(study.output);
  }

  /// Makes a program of the study: a shell script, in which $run, $output and $config are the values of these
  /// options.
  void script(const std::string& program, const std::string& body) const {
    const auto file = folder.write("bin/transformer-" + program,
                                   "#!/bin/sh\necho \"" + program + " $*\" >>" + calls_file().string() + R"(
while [ $# -gt 0 ]; do
  case $1 in --run) run=$2 ;; --output) output=$2 ;; --config) config=$2 ;; esac
  shift
done
)" + body + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  void prepare() const { data::prepare(study.list.variations.front().experiment.data, {.quiet = true}); }

  std::vector<std::string> calls() const {
    return std::filesystem::exists(calls_file()) ? read_lines(calls_file()) : std::vector<std::string>();
  }
  void forget_calls() const { std::filesystem::remove(calls_file()); }

  /// The number of calls that hold a text.
  std::ptrdiff_t count_calls(const std::string& text) const {
    const auto all = calls();
    return std::ranges::count_if(all, [&](const auto& call) { return call.find(text) != std::string::npos; });
  }

  TemporaryFolder folder;
  experiments::Study study;

 private:
  std::filesystem::path calls_file() const { return folder.path() / "calls"; }
};

}  // namespace transformer::test
