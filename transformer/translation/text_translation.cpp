#include "transformer/translation/text_translation.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/stopwatch.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/runtime/device.h"
#include "transformer/translation/batches.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/forced_scores.h"
#include "transformer/translation/model_search.h"
#include "transformer/translation/tree_parts.h"
#include "transformer/translation/workers.h"
#include "transformer/trees/linearised_tree.h"

namespace transformer::translation {
namespace {

/// The engine gains nothing from larger batches, and more of them keep all workers busy to the end.
constexpr std::size_t kMostSentences = 64;

/// Lines that a worker turns into ids before it asks for more.
constexpr std::size_t kLinesAtOnce = 32;

using Ids = std::vector<std::int32_t>;
using Alphas = std::span<const double>;
using Translations = std::vector<Translation>;

/// How worker number `worker` searches for translations of a batch, under each alpha.
using Search = std::function<std::vector<search::Found>(std::size_t worker, const SourceBatch& batch,
                                                        const SearchCalls& calls)>;

void check_size(const data::Tokenizer& tokenizer, std::int64_t expected) {
  if (tokenizer.size() == expected) return;
  throw InputError(fmt::format("{}: expected the {} pieces of the model's vocabulary, found {}",
                               tokenizer.path().string(), expected, tokenizer.size()));
}

/// Vocabularies with byte_fallback can spell a line break, which would shift all lines that follow, and a NUL
/// byte, which ends the text for many a reader.
std::string in_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return text;
}

void restore_trees(const std::string& words, Translation& translation) {
  for (auto& text : translation.texts) {
    const auto restored = trees::restored(text, words, /*align_marks=*/true);
    if (&text == &translation.texts.front()) translation.mended = restored.mended;
    text = trees::to_brackets(restored.tree);
  }
}

/// Everything but the search.
class Translating {
 public:
  Translating(const data::Tokenizer& source, const data::Tokenizer& target,
              std::span<const std::string> lines, const search::DecodeOptions& options, std::size_t alphas,
              const TranslateCallbacks& callbacks, const TranslateExtras& extras, std::size_t workers)
      : source_(source),
        target_(target),
        lines_(lines),
        callbacks_(callbacks),
        extras_(extras),
        workers_(workers),
        tree_parts_(extras.trees && options.whole_trees ? tree_parts(target)
                                                        : std::vector<search::TreePart>()),
        results_(alphas, Translations(lines.size())) {}

  std::vector<Translations> run(const models::ModelOptions& model, std::int64_t batch_tokens,
                                std::size_t most_sentences, const Search& search) {
    auto batches =
        make_batches(encode(static_cast<std::size_t>(longest_source(model))), batch_tokens, most_sentences);
    for (auto& batch : batches) {
      done_ -= batch.lines.size();
      add_prefixes(batch, static_cast<std::size_t>(longest_forced(model)));
      if (!tree_parts_.empty()) count_words(batch);
    }
    for_pieces(workers_, batches.size(), [&](std::size_t worker, std::size_t i) {
      take(batches[i], search(worker, batches[i], calls_of(batches[i])));
    });
    return std::move(results_);
  }

  /// The numbers of a batch's lines, for draws.
  std::vector<std::size_t> numbers_of(const SourceBatch& batch) const {
    std::vector<std::size_t> numbers;
    for (const auto line : batch.lines) numbers.push_back(number_of(line));
    return numbers;
  }

 private:
  std::size_t number_of(std::size_t line) const {
    return extras_.numbers.empty() ? line : extras_.numbers[line];
  }

  /// The ids of each line, at most `longest`. A line without any is translated by this.
  std::vector<Ids> encode(std::size_t longest) {
    std::vector<Ids> ids(lines_.size());
    done_ = lines_.size();
    const auto pieces = (lines_.size() + kLinesAtOnce - 1) / kLinesAtOnce;
    for_pieces(workers_, pieces, [&](std::size_t, std::size_t piece) {
      const Stopwatch watch;
      const auto end = std::min((piece + 1) * kLinesAtOnce, lines_.size());
      for (auto line = piece * kLinesAtOnce; line < end; ++line) {
        ids[line] = source_.encode(lines_[line], longest);
        const bool truncated = ids[line].size() > longest;
        ids[line].resize(std::min(ids[line].size(), longest));
        for (auto& translations : results_) {
          translations[line].truncated_source = truncated;
          if (ids[line].empty()) translations[line] = {{search::Hypothesis{.finished = true}}, {""}};
        }
      }
      count_tokenizer(watch.seconds());
    });
    return ids;
  }

  void add_prefixes(SourceBatch& batch, std::size_t longest) {
    const bool begins = target_.begin() != kUnknown;
    if (extras_.prefixes.empty() && !begins) return;
    for (const auto line : batch.lines) {
      batch.prefixes.push_back(extras_.prefixes.empty() ? Ids()
                                                        : target_.encode(extras_.prefixes[line], longest));
      if (begins && batch.prefixes.back().empty()) batch.prefixes.back() = {target_.begin()};
      if (batch.prefixes.back().size() > longest)
        throw InputError(
            fmt::format("prefix {}: expected at most {} tokens, found more", number_of(line) + 1, longest));
    }
  }

  void count_words(SourceBatch& batch) {
    for (const auto line : batch.lines) batch.words.push_back(std::ssize(trees::words_in(lines_[line])));
  }

  SearchCalls calls_of(const SourceBatch& batch) {
    SearchCalls calls{.prefixes = batch.prefixes, .trees = {tree_parts_, batch.words}};
    if (callbacks_.before_step) calls.before_step = stoppable();
    if (callbacks_.observer) calls.observer = observer_of(batch);
    return calls;
  }

  /// The caller's BeforeStep for several threads: after it has thrown once it is not called again.
  search::BeforeStep stoppable() {
    return [this] {
      const std::lock_guard lock(mutex_);
      if (!stopped_) {
        try {
          return callbacks_.before_step();
        } catch (...) {
          stopped_ = std::current_exception();
        }
      }
      std::rethrow_exception(stopped_);
    };
  }

  /// The caller's observer, to which a batch's sentences are lines.
  search::Observer observer_of(const SourceBatch& batch) {
    return [this, &batch](const search::ObservedStep& step) {
      auto of_line = step;
      of_line.sentence = batch.lines[step.sentence];
      const std::lock_guard lock(mutex_);
      callbacks_.observer(of_line);
    };
  }

  void take(const SourceBatch& batch, std::vector<search::Found> found) {
    const Stopwatch watch;
    for (std::size_t alpha = 0; alpha < results_.size(); ++alpha) {
      for (std::size_t i = 0; i < batch.lines.size(); ++i) {
        auto& result = results_[alpha][batch.lines[i]];
        result.hypotheses = std::move(found[alpha][i]);
        for (const auto& hypothesis : result.hypotheses)
          result.texts.push_back(in_one_line(target_.decode(hypothesis.ids)));
        if (extras_.trees) restore_trees(lines_[batch.lines[i]], result);
      }
    }
    count_tokenizer(watch.seconds());
    const std::lock_guard lock(mutex_);
    done_ += batch.lines.size();
    if (callbacks_.progress) callbacks_.progress(done_);
  }

  void count_tokenizer(double seconds) {
    if (callbacks_.times == nullptr) return;
    const std::lock_guard lock(mutex_);
    callbacks_.times->tokenizer += seconds;
  }

  const data::Tokenizer& source_;
  const data::Tokenizer& target_;
  std::span<const std::string> lines_;
  const TranslateCallbacks& callbacks_;
  const TranslateExtras& extras_;
  std::size_t workers_;
  std::vector<search::TreePart> tree_parts_;  // empty: outputs are free
  std::vector<Translations> results_;         // [alpha][line]
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::exception_ptr stopped_;
};

/// (B, S), padded behind.
torch::Tensor to_tensor(const SourceBatch& batch) {
  const auto width = static_cast<std::int64_t>(batch.ids.front().size());
  auto ids = torch::full({static_cast<std::int64_t>(batch.ids.size()), width}, kPad, torch::kLong);
  auto* row = ids.data_ptr<std::int64_t>();
  for (const auto& source : batch.ids) {
    std::copy(source.begin(), source.end(), row);
    row += width;
  }
  return ids;
}

engine::Precision precision_of(models::SequenceToSequence& model) {
  const bool half = model.projection().weight.scalar_type() == torch::kBFloat16 ||
                    runtime::compute_type() == torch::kBFloat16;
  return half ? engine::Precision::bf16 : engine::Precision::fp32;
}

}  // namespace

std::int64_t longest_source(const models::ModelOptions& options) {
  return std::min(kLongestSource, models::longest_sequence(options).value_or(kLongestSource + 1) - 1);
}

std::vector<Translations> translate(const engine::PackedModel& model, const data::Tokenizer& source,
                                    const data::Tokenizer& target, std::span<const std::string> lines,
                                    const search::DecodeOptions& options, std::size_t workers, Alphas alphas,
                                    const TranslateCallbacks& callbacks, const TranslateExtras& extras) {
  alphas = alphas_of(options, alphas);
  check_size(source, model.vocabulary().source);
  check_size(target, model.vocabulary().target);
  workers = std::max(workers, std::size_t{1});
  std::vector<std::unique_ptr<engine::BatchDecoder>> decoders(workers);
  std::vector<double> seconds(workers);
  Translating translating(source, target, lines, options, alphas.size(), callbacks, extras, workers);
  const auto search = [&](std::size_t worker, const SourceBatch& batch, const SearchCalls& calls) {
    auto& decoder = decoders[worker];
    if (!decoder) decoder = std::make_unique<engine::BatchDecoder>(model);
    const TimeSpan span(seconds[worker]);
    if (!extras.draw) return beam_search(*decoder, batch.ids, options, alphas, calls);
    return std::vector<search::Found>{
        draw(*decoder, batch.ids, options, *extras.draw, translating.numbers_of(batch), calls)};
  };
  const auto share = (lines.size() + workers - 1) / workers;
  auto results = translating.run(model.options(), options.batch_tokens,
                                 std::clamp(share, std::size_t{1}, kMostSentences), search);
  for (std::size_t worker = 0; worker < workers && callbacks.times != nullptr; ++worker) {
    if (!decoders[worker]) continue;
    const auto& times = decoders[worker]->times();
    callbacks.times->model += times;
    callbacks.times->search += seconds[worker] - times.encode - times.decoder - times.output;
  }
  return results;
}

std::vector<Translations> translate(ModuleDecoder& decoder, const data::Tokenizer& source,
                                    const data::Tokenizer& target, std::span<const std::string> lines,
                                    const search::DecodeOptions& options, Alphas alphas,
                                    const TranslateCallbacks& callbacks, const TranslateExtras& extras) {
  const auto& model = decoder.model();
  alphas = alphas_of(options, alphas);
  check_size(source, model->vocabulary().source);
  check_size(target, model->vocabulary().target);
  Translating translating(source, target, lines, options, alphas.size(), callbacks, extras, 1);
  const auto search = [&](std::size_t, const SourceBatch& batch, const SearchCalls& calls) {
    if (!extras.draw) return beam_search(decoder, to_tensor(batch), options, alphas, calls);
    return std::vector<search::Found>{
        draw(model, to_tensor(batch), options, *extras.draw, translating.numbers_of(batch), calls)};
  };
  return translating.run(model->options(), options.batch_tokens, std::numeric_limits<std::size_t>::max(),
                         search);
}

std::vector<Translations> translate(const models::AnyModel& model, const data::Tokenizer& source,
                                    const data::Tokenizer& target, std::span<const std::string> lines,
                                    const search::DecodeOptions& options, Alphas alphas,
                                    const TranslateCallbacks& callbacks, const TranslateExtras& extras) {
  auto own = models::as_encoder_decoder(model);
  if (own && uses_engine(model->options(), model->device()))
    return translate(pack(own, precision_of(*own)), source, target, lines, options,
                     static_cast<std::size_t>(at::get_num_threads()), alphas, callbacks, extras);
  ModuleDecoder decoder(model);
  return translate(decoder, source, target, lines, options, alphas, callbacks, extras);
}

}  // namespace transformer::translation
