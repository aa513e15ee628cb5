// An encoder as a reader of texts: what transformer-fill and transformer-label run, for programs of your own.
//
//     reading::TextReader reader("runs/masks");
//     for (const auto& guess : reader.fill({"The <mask> sat on the mat."}, 5).front().front())
//       std::printf("%s %f\n", guess.text.c_str(), guess.probability);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/data/answers.h"

namespace transformer::reading {

/// Where and how precisely it computes: the names of runtime/device.h.
struct ReaderOptions {
  std::string device = "auto";
  std::string precision = "auto";
  std::int64_t batch = 32;  ///< texts that are read together
};

/// A token that may stand in a mask's place.
struct Guess {
  std::int32_t id = 0;
  std::string piece;       ///< of the vocabulary
  std::string text;        ///< without a blank in front
  double probability = 0;  ///< among all tokens

  bool operator==(const Guess&) const = default;
};

/// A label that a text or a word may have.
struct LabelGuess {
  std::string label;       ///< of a model of numbers: the number
  double probability = 1;  ///< among all labels
};

/// Of a text: one label, or one for each word; with each all labels, the most probable first.
using Labels = std::vector<std::vector<LabelGuess>>;

/// The most probable one of each, with blanks between.
std::string best_labels(const Labels& labels);

using models::Pooling;

/// Called with the number of texts that are read so far; it may throw.
using BeforeBatch = std::function<void(std::size_t done)>;

class TextReader {
 public:
  /// model: a model directory, or a run directory, whose best checkpoint is taken. Throws InputError for what
  /// cannot be read, for a model that reads no texts as a whole, and where there is no such device or
  /// precision for it.
  explicit TextReader(const std::string& model, const ReaderOptions& options = {});

  /// The same for a model that is loaded, which is in evaluation mode while this reads.
  TextReader(models::AnyModel model, checkpoints::Tokenizers tokenizers, torch::ScalarType precision,
             std::int64_t batch = ReaderOptions{}.batch);

  // All throw InputError, naming the text's number from 1, for one that is longer than the model reads.

  /// The `most` most probable tokens for each data::kMaskPiece of each text, best first. Each part of a text
  /// around masks is split into tokens by itself. Special tokens are no guesses. Throws InputError for a text
  /// without a mask, and for a model with a head.
  std::vector<std::vector<std::vector<Guess>>> fill(std::span<const std::string> texts, std::int64_t most,
                                                    const BeforeBatch& before = {});

  /// The labels of each text by the model's head. The label of a span is the answer, some words of the text's
  /// last part, at most 30; its probability is that of its beginning times that of its end. Throws InputError
  /// for a model without one.
  std::vector<Labels> label(std::span<const std::string> texts, const BeforeBatch& before = {});

  models::Head head() const { return model_->options().encoder.head; }

  /// A vector of each text, of length 1. → (D) each
  std::vector<std::vector<float>> embed(std::span<const std::string> texts, Pooling pooling,
                                        const BeforeBatch& before = {});

 private:
  using Ids = std::vector<std::int64_t>;

  /// kBos, tokens and masks, kEos.
  Ids ids_of(const std::string& text, std::size_t number) const;
  /// Calls use(index of the text, its ids, its states (T, D)) for each text.
  template <typename Use>
  void read(const std::vector<Ids>& texts, const BeforeBatch& before, const Use& use);
  std::vector<Guess> best(const torch::Tensor& logits, std::int64_t most) const;
  std::vector<LabelGuess> labels(const torch::Tensor& logits) const;
  std::vector<data::NumberedTokens> words(const std::string& text, const Ids& ids,
                                          const std::vector<bool>& begins) const;
  LabelGuess answer(const std::string& text, const torch::Tensor& logits,
                    const std::vector<data::NumberedTokens>& words) const;

  models::AnyModel model_;
  checkpoints::Tokenizers tokenizers_;
  torch::ScalarType precision_;
  std::int64_t batch_;
  models::TextEncoder* encoder_;
};

}  // namespace transformer::reading
