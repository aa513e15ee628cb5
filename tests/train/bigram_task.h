// A task other than translation: predict the next of six symbols from the previous one, by a table of logits.
// It has one side, no tokenizer, and plain numbers as text. Each epoch hides other inputs.
#pragma once

#include <torch/nn/pimpl.h>
#include <torch/utils.h>

#include <algorithm>
#include <functional>
#include <random>
#include <utility>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/random.h"
#include "transformer/base/text_file.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/train/task.h"

namespace transformer::test {

inline constexpr std::int64_t kSymbols = 6;
inline constexpr std::int64_t kHidden = kSymbols;  ///< stands for a symbol that is not shown
using Sequences = std::vector<std::vector<std::int64_t>>;

/// Sequences of 4 to 12 symbols. After x comes x + 1, round about, but for one in ten, which is drawn.
inline Sequences random_sequences(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t bound) { return static_cast<std::int64_t>(random()) % bound; };
  Sequences sequences(count);
  for (auto& sequence : sequences) {
    sequence.push_back(below(kSymbols));
    for (auto length = 3 + below(9); length > 0; --length)
      sequence.push_back(below(10) == 0 ? below(kSymbols) : (sequence.back() + 1) % kSymbols);
  }
  return sequences;
}

struct BigramImpl : torch::nn::Module {
  torch::Tensor table = register_parameter("table", torch::zeros({kSymbols + 1, kSymbols}));
};
TORCH_MODULE(Bigram);

struct BigramBatch {
  torch::Tensor before, labels;  // (N)
};

/// Micro-batches for which there is no memory.
using Fails = std::function<bool(const train::Examples::MicroBatch&)>;

class BigramExamples : public train::Examples {
 public:
  /// `hidden_by` draws what is hidden; with 0, nothing is.
  BigramExamples(const Sequences& sequences, std::uint64_t hidden_by, const Fails& fails)
      : sequences_(sequences), hidden_by_(hidden_by), fails_(fails) {}

  data::BatchSize size_of(const MicroBatch& examples) const override {
    data::BatchSize size{.rows = std::ssize(examples)};
    for (const auto i : examples) {
      const auto length = std::ssize(sequence(i)) - 1;
      size.target_length = std::max(size.target_length, length);
      size.target_tokens += length;
    }
    return size;
  }

  double flops(const Update& update) const override {
    double tokens = 0;
    for (const auto& examples : update) tokens += static_cast<double>(size_of(examples).target_tokens);
    return 6 * tokens * kSymbols;
  }

  std::any make_batch(const MicroBatch& examples) const override {
    if (fails_(examples)) throw std::bad_alloc();
    std::vector<std::int64_t> before, labels;
    for (const auto i : examples) {
      for (std::size_t at = 1; at < sequence(i).size(); ++at) {
        const auto place = static_cast<std::uint64_t>(i) * 100 + at;
        const bool hidden = hidden_by_ != 0 && splitmix(hidden_by_ + place) % 10 == 0;
        before.push_back(hidden ? kHidden : sequence(i)[at - 1]);
        labels.push_back(sequence(i)[at]);
      }
    }
    return BigramBatch{torch::tensor(before), torch::tensor(labels)};
  }

 private:
  const std::vector<std::int64_t>& sequence(std::int64_t i) const {
    return sequences_.at(static_cast<std::size_t>(i));
  }

  const Sequences& sequences_;
  std::uint64_t hidden_by_;
  const Fails& fails_;
};

class BigramObjective : public train::Objective {
 public:
  BigramObjective(Bigram model, Sequences sequences)
      : model_(std::move(model)), sequences_(std::move(sequences)) {}

  torch::nn::Module& module() override { return *model_; }
  std::int64_t size() const override { return std::ssize(sequences_); }

  std::uint64_t data_checksum() const override {
    std::uint64_t sum = 0;
    for (const auto& sequence : sequences_)
      for (const auto symbol : sequence) sum = splitmix(sum + static_cast<std::uint64_t>(symbol) + 1);
    return sum;
  }

  void set_bucket_tokens(std::int64_t) override {}
  void set_micro_tokens(std::int64_t) override {}  // they are all of four sequences

  /// Updates of two micro-batches of four sequences.
  train::Epoch epoch(std::uint64_t seed, std::int64_t number) const override {
    on_epoch(number);
    const auto draw = splitmix(seed + 1000 * static_cast<std::uint64_t>(number) + 1);
    std::vector<std::pair<std::uint64_t, std::int64_t>> order;
    for (std::int64_t i = 0; i < size(); ++i)
      order.emplace_back(splitmix(draw + static_cast<std::uint64_t>(i)), i);
    std::ranges::sort(order);
    std::vector<train::Examples::Update> updates;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i % 8 == 0) updates.emplace_back();
      if (i % 4 == 0) updates.back().emplace_back();
      updates.back().back().push_back(order[i].second);
    }
    return {data::BatchPlan(std::move(updates)), examples(draw)};
  }

  train::Epoch evaluation() const override {
    std::vector<train::Examples::Update> updates;
    for (std::int64_t i = 0; i < size(); ++i) {
      if (i % 5 == 0) updates.push_back({{}});
      updates.back().back().push_back(i);
    }
    return {data::BatchPlan(std::move(updates)), examples(0)};
  }

  torch::Tensor outputs(const std::any& batch) override {
    before_outputs();
    return model_->table.index_select(0, std::any_cast<const BigramBatch&>(batch).before);
  }

  ops::TokenLoss loss(const std::vector<torch::Tensor>& outputs, const std::any& batch) override {
    return ops::label_smoothed_loss(outputs.at(0), std::any_cast<const BigramBatch&>(batch).labels, 0.0);
  }

  /// Of the symbols that are predicted.
  double accuracy() {
    const torch::NoGradGuard no_gradients;
    std::int64_t right = 0, all = 0;
    const auto [plan, examples] = evaluation();
    for (const auto& micro_batch : plan.micro_batches()) {
      const auto batch = examples->make_batch(micro_batch);
      const auto best = outputs(batch).argmax(1);
      right += best.eq(std::any_cast<const BigramBatch&>(batch).labels).sum().item<std::int64_t>();
      all += best.size(0);
    }
    return static_cast<double>(right) / static_cast<double>(all);
  }

  Fails fails = [](const auto&) { return false; };
  std::function<void(std::int64_t number)> on_epoch = [](auto) {};
  std::function<void()> before_outputs = [] {};

 private:
  std::shared_ptr<const BigramExamples> examples(std::uint64_t hidden_by) const {
    return std::make_shared<BigramExamples>(sequences_, hidden_by, fails);
  }

  Bigram model_;
  Sequences sequences_;
};

class BigramTask : public train::Task {
 public:
  explicit BigramTask(std::string alphabet = "abcdef") : alphabet_(std::move(alphabet)) {}

  BigramObjective& training() override { return training_; }
  BigramObjective& dev() override { return dev_; }
  std::int64_t d_model() const override { return kSymbols; }
  std::string describe_data() const override { return std::to_string(training_.size()) + " sequences"; }
  std::vector<std::string> file_names() const override { return {"alphabet.txt"}; }

  void write_files(const std::filesystem::path& folder) const override {
    on_write(folder);
    write_file_atomically(folder / "alphabet.txt", alphabet_);
  }
  void check_files(const std::filesystem::path& checkpoint) const override {
    const auto file = checkpoint / "alphabet.txt";
    if (read_file(file) != alphabet_) throw InputError(file.string() + ": another alphabet");
  }
  std::optional<train::DevMetric> dev_metric() override {
    before_metric();
    return train::DevMetric{"Accuracy", dev_.accuracy()};
  }

  std::function<void()> before_metric = [] {};
  std::function<void(const std::filesystem::path& folder)> on_write = [](const auto&) {};

 private:
  std::string alphabet_;
  Bigram model_;
  BigramObjective training_{model_, random_sequences(100, 1)}, dev_{model_, random_sequences(300, 2)};
};

}  // namespace transformer::test
