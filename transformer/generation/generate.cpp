#include "transformer/generation/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/translation/workers.h"

namespace transformer::generation {
namespace {

using Ids = std::vector<std::int32_t>;

void expect_options(const GenerationOptions& options) {
  const auto expect = [](bool good, const char* option, const char* expected, std::int64_t found) {
    if (!good) throw InputError(fmt::format("{}: expected {}, found '{}'", option, expected, found));
  };
  expect(options.max_tokens >= 0, "max tokens", "a whole number from 0", options.max_tokens);
  expect(options.samples >= 1, "samples", "a whole number from 1", options.samples);
  expect(options.batch >= 1, "batch", "a whole number from 1", options.batch);
  expect(options.window == 0 || options.window >= 2, "window", "0, or a whole number from 2", options.window);
  for (const auto& stop : options.stop)
    if (stop.empty()) throw InputError("stop: expected a text, found an empty one");
}

/// A text that is being continued.
struct Live {
  std::size_t prompt = 0;
  std::int64_t sample = 0;
  std::int64_t number = 0;  ///< of the model's text
  Ids ids = {};             ///< the prompt's and the continuation's; what slid out of the window is gone
  std::size_t read = 0;     ///< so many of them the model has read
  Continuation found = {};
};

/// All continuations, and which is to be made next.
class Work {
 public:
  Work(const data::Tokenizer& tokenizer, std::span<const Ids> prompts, const GenerationOptions& options,
       const GenerationCalls& calls)
      : tokenizer_(tokenizer), prompts_(prompts), options_(options), calls_(calls), found_(prompts.size()) {
    for (auto& samples : found_) samples.resize(static_cast<std::size_t>(options.samples));
  }

  std::optional<Live> next() {
    const auto job = next_++, prompt = job / options_.samples;
    if (prompt >= std::ssize(prompts_)) return std::nullopt;
    const auto place = static_cast<std::size_t>(prompt);
    return Live{.prompt = place, .sample = job % options_.samples, .ids = prompts_[place]};
  }

  /// Adds a token to a text; returns whether it goes on.
  bool add(Live& text, const search::Drawn& drawn) {
    auto& found = text.found;
    if (drawn.token == kEos) {
      found.end_log_probability = drawn.log_probability;
      return finish(text, End::token);
    }
    text.ids.push_back(drawn.token);
    found.ids.push_back(drawn.token);
    found.log_probabilities.push_back(drawn.log_probability);
    if (!options_.stop.empty() || calls_.spelled) found.text = text_of(text);
    if (const auto place = stop_in(found.text); place != std::string::npos) {
      found.text.resize(place);
      return finish(text, End::stop);
    }
    if (calls_.token) {
      const std::lock_guard lock(mutex_);
      calls_.token(text.prompt, text.sample, found);
    }
    if (std::ssize(found.ids) >= options_.max_tokens) return finish(text, End::limit);
    if (options_.window == 0 || std::ssize(text.ids) <= options_.window) return true;
    return options_.slide || finish(text, End::window);
  }

  bool finish(Live& text, End end) {
    text.found.end = end;
    if (end != End::stop) text.found.text = text_of(text);
    found_[text.prompt][static_cast<std::size_t>(text.sample)] = text.found;
    return false;
  }

  void before_step() {
    if (!calls_.before_step) return;
    const std::lock_guard lock(mutex_);
    calls_.before_step();
  }

  const GenerationOptions& options() const { return options_; }
  std::vector<std::vector<Continuation>> take() { return std::move(found_); }

 private:
  std::string text_of(const Live& text) const {
    return text_behind(tokenizer_, prompts_[text.prompt], text.found.ids);
  }

  std::size_t stop_in(const std::string& text) const {
    auto first = std::string::npos;
    for (const auto& stop : options_.stop) first = std::min(first, text.find(stop));
    return first;
  }

  const data::Tokenizer& tokenizer_;
  std::span<const Ids> prompts_;
  const GenerationOptions& options_;
  const GenerationCalls& calls_;
  std::vector<std::vector<Continuation>> found_;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex mutex_;
};

/// One worker's texts, which join and leave its batch one by one.
class Batch {
 public:
  /// most: texts at once.
  Batch(Work& work, search::TextModel& model, std::int64_t most)
      : work_(work), model_(model), most_(most), sampler_(work.options().sampling) {}

  void run() {
    while (fill()) {
      work_.before_step();
      std::vector<search::TextModel::Reading> readings;
      for (const auto& text : texts_)
        readings.push_back({text.number, std::span(text.ids).subspan(text.read)});
      const auto logits = model_.read(readings);
      const auto width = static_cast<std::size_t>(model_.vocabulary());
      std::size_t row = 0;
      std::erase_if(texts_, [&](Live& text) { return !go_on(text, logits.subspan(width * row++, width)); });
    }
  }

 private:
  bool fill() {
    while (std::ssize(texts_) < most_) {
      auto text = work_.next();
      if (!text) break;
      text->number = next_number_++;
      if (work_.options().max_tokens == 0)
        work_.finish(*text, End::limit);
      else
        texts_.push_back(std::move(*text));
    }
    return !texts_.empty();
  }

  bool go_on(Live& text, std::span<const float> logits) {
    text.read = text.ids.size();
    const auto& options = work_.options();
    const auto drawn = sampler_.draw(logits, text.ids,
                                     search::uniform_of(options.seed, static_cast<std::int64_t>(text.prompt),
                                                        text.sample, std::ssize(text.found.ids)));
    if (!work_.add(text, drawn)) {
      model_.forget(text.number);
      return false;
    }
    if (options.window > 0 && std::ssize(text.ids) > options.window) slide(text);
    return true;
  }

  void slide(Live& text) {
    model_.forget(text.number);
    text.number = next_number_++;
    text.ids.erase(text.ids.begin(), text.ids.end() - work_.options().window / 2);
    text.read = 0;
  }

  Work& work_;
  search::TextModel& model_;
  std::int64_t most_;
  search::Sampler sampler_;
  std::vector<Live> texts_;
  std::int64_t next_number_ = 0;
};

}  // namespace

void check(const GenerationOptions& options, std::span<const Ids> prompts) {
  expect_options(options);
  const search::Sampler checked(options.sampling);
  for (std::size_t i = 0; i < prompts.size(); ++i)
    if (options.window > 0 && std::ssize(prompts[i]) > options.window)
      throw InputError(
          fmt::format("prompt {}: expected at most {} tokens, which the model can read, with what a text "
                      "begins with, found {}",
                      i + 1, options.window, prompts[i].size()));
}

std::vector<std::vector<Continuation>> generate(const MakeTextModel& make, std::size_t workers,
                                                const data::Tokenizer& tokenizer,
                                                std::span<const Ids> prompts,
                                                const GenerationOptions& options,
                                                const GenerationCalls& calls) {
  check(options, prompts);
  Work work(tokenizer, prompts, options, calls);
  const auto share = (std::ssize(prompts) * options.samples - 1) / static_cast<std::int64_t>(workers) + 1;
  translation::for_pieces(workers, workers, [&](std::size_t, std::size_t) {
    const auto model = make();
    Batch(work, *model, std::min(options.batch, share)).run();
  });
  return work.take();
}

}  // namespace transformer::generation
