// Text in, text out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transformer/data/options.h"
#include "transformer/data/tokenizer.h"
#include "transformer/engine/batch_decoder.h"
#include "transformer/models/model.h"
#include "transformer/search/draws.h"
#include "transformer/search/hypothesis.h"
#include "transformer/search/observer.h"
#include "transformer/search/options.h"
#include "transformer/translation/module_decoder.h"

namespace transformer::translation {

using data::kLongestSource;

/// kLongestSource, or with learned positions max_positions - 1 where that is less.
std::int64_t longest_source(const models::ModelOptions& options);

/// What lines come with, and another way to translate them.
struct TranslateExtras {
  /// What each line's translations begin with, or empty. A line without tokens has the empty translation
  /// still. If the target's texts begin with a piece (data::Tokenizer::begin), it precedes the prefix.
  std::span<const std::string> prefixes = {};
  std::optional<search::DrawOptions> draw = {};  ///< translations are drawn, in the place of a search
  std::span<const std::size_t> numbers = {};     ///< of the lines, which decide draws; empty: 0, 1, …
  /// Outputs are linearised trees of the lines' words: the texts are those trees, mended where need be
  /// (trees/linearised_tree.h).
  bool trees = false;
};

/// One line's translation.
struct Translation {
  std::vector<search::Hypothesis> hypotheses;  ///< the nbest best, best first, or the samples; never empty
  std::vector<std::string> texts;              ///< of the hypotheses, each without line breaks
  bool truncated_source = false;               ///< the line was longer than longest_source()
  bool mended = false;                         ///< the best one, of trees, was none
};

/// Where the time goes: seconds of all workers.
struct TranslateTimes {
  engine::PhaseTimes model;
  double search = 0.0;     ///< what the search itself takes
  double tokenizer = 0.0;  ///< both ways
};

/// Called by one thread at a time.
struct TranslateCallbacks {
  std::function<void(std::size_t done)> progress = {};  ///< after each batch, with the number of lines so far
  search::BeforeStep before_step = {};
  TranslateTimes* times = nullptr;  ///< added to (by the engine only)
  /// Told of each step, where `sentence` is the number of the line; each line's steps are in their order.
  search::Observer observer = {};
};

/// Translates lines of text: [alpha][line], by one search for all of `alphas` as beam_search has them
/// (model_search.h). Lines of like length are translated together, in batches of at most options.batch_tokens
/// padded source tokens (a longer line stands alone). `workers` threads take a batch each, smaller ones where
/// there are few lines, and compute on their own. A line without tokens has the empty translation, once, with
/// score 0. Throws InputError when a tokenizer and the model disagree about the size of the vocabulary, and
/// for a prefix that is longer than a target can be (longest_forced()).
std::vector<std::vector<Translation>> translate(const engine::PackedModel& model,
                                                const data::Tokenizer& source, const data::Tokenizer& target,
                                                std::span<const std::string> lines,
                                                const search::DecodeOptions& options, std::size_t workers,
                                                std::span<const double> alphas = {},
                                                const TranslateCallbacks& callbacks = {},
                                                const TranslateExtras& extras = {});

/// The same by a model's modules.
std::vector<std::vector<Translation>> translate(ModuleDecoder& decoder, const data::Tokenizer& source,
                                                const data::Tokenizer& target,
                                                std::span<const std::string> lines,
                                                const search::DecodeOptions& options,
                                                std::span<const double> alphas = {},
                                                const TranslateCallbacks& callbacks = {},
                                                const TranslateExtras& extras = {});

/// The same with a model as it is trained. On the CPU it is packed for this call, in bf16 if its weights are
/// or if a surrounding runtime::PrecisionScope says so, and there are as many workers as LibTorch has
/// threads. On other devices, and where the engine does not know the model (engine/support.h), its modules
/// compute.
std::vector<std::vector<Translation>> translate(const models::AnyModel& model, const data::Tokenizer& source,
                                                const data::Tokenizer& target,
                                                std::span<const std::string> lines,
                                                const search::DecodeOptions& options,
                                                std::span<const double> alphas = {},
                                                const TranslateCallbacks& callbacks = {},
                                                const TranslateExtras& extras = {});

}  // namespace transformer::translation
