#include "transformer/reading/text_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/answers.h"
#include "transformer/data/labelled_texts.h"
#include "transformer/data/options.h"
#include "transformer/data/word_begins.h"
#include "transformer/ops/sequences_of.h"
#include "transformer/runtime/device.h"

namespace transformer::reading {
namespace {

constexpr std::int64_t kLongest = 8192;  // tokens, where nothing else limits them

/// In evaluation mode while it lives.
class Evaluating {
 public:
  explicit Evaluating(models::Model& model) : model_(model), was_training_(model.is_training()) {
    model_.eval();
  }
  ~Evaluating() { model_.train(was_training_); }
  Evaluating(const Evaluating&) = delete;
  Evaluating& operator=(const Evaluating&) = delete;

 private:
  models::Model& model_;
  bool was_training_;
};

/// states: (T, D), of a text → (D)
torch::Tensor pooled(const torch::Tensor& states, Pooling pooling) {
  switch (pooling) {
    case Pooling::cls:
      return states[0];
    case Pooling::mean:
      return states.to(torch::kFloat).mean(0).to(states.scalar_type());
  }
  no_such_choice();
}

}  // namespace

std::string best_labels(const Labels& labels) {
  std::string line;
  for (const auto& guesses : labels) line += (line.empty() ? "" : " ") + guesses.front().label;
  return line;
}

TextReader::TextReader(models::AnyModel model, checkpoints::Tokenizers tokenizers,
                       torch::ScalarType precision, std::int64_t batch)
    : model_(std::move(model)),
      tokenizers_(std::move(tokenizers)),
      precision_(precision),
      batch_(std::max<std::int64_t>(batch, 1)),
      encoder_(&models::text_encoder(*model_)) {}

TextReader::TextReader(const std::string& model, const ReaderOptions& options)
    : TextReader([&] {
        const auto device = runtime::choose_device(options.device);
        auto loaded = checkpoints::load_model(model, device);
        const auto precision = runtime::choose_precision(options.precision, device);
        return TextReader(loaded.model, loaded.tokenizers, precision, options.batch);
      }()) {}

TextReader::Ids TextReader::ids_of(const std::string& text, std::size_t number) const {
  constexpr std::string_view mask = data::kMaskPiece;
  const auto& tokenizer = *tokenizers_.source;
  const auto longest = models::longest_sequence(model_->options()).value_or(kLongest);
  const bool masks = model_->options().encoder.head == models::Head::none;
  Ids ids{kBos};
  data::for_each_part(text, [&](std::string_view rest) {
    while (true) {
      const auto found = masks ? rest.find(mask) : std::string_view::npos;
      auto before = rest.substr(0, found);
      // A blank in front of a mask is a part of the mask, where it would be a token.
      if (found != std::string_view::npos && tokenizer.pairs() != nullptr)
        before = before.substr(0, before.find_last_not_of(' ') + 1);
      const auto part = tokenizer.encode(before, static_cast<std::size_t>(longest));
      ids.insert(ids.end(), part.begin(), part.end());
      if (found == std::string_view::npos) break;
      ids.push_back(tokenizer.mask());
      rest.remove_prefix(found + mask.size());
    }
    ids.push_back(kEos);
  });
  if (std::ssize(ids) > longest)
    throw InputError(
        fmt::format("text {}: expected at most {} tokens with begin and end, found more", number, longest));
  return ids;
}

template <typename Use>
void TextReader::read(const std::vector<Ids>& texts, const BeforeBatch& before, const Use& use) {
  const torch::NoGradGuard no_gradients;
  const runtime::PrecisionScope scope(precision_);
  const Evaluating evaluating(*model_);
  const auto device = model_->device();
  for (std::size_t begin = 0; begin < texts.size();) {
    if (before) before(begin);
    const auto end = std::min(begin + static_cast<std::size_t>(batch_), texts.size());
    std::vector<std::int64_t> lengths, rows;
    for (auto i = begin; i < end; ++i) {
      lengths.push_back(std::ssize(texts[i]));
      rows.insert(rows.end(), texts[i].begin(), texts[i].end());
    }
    auto sequences = ops::sequences_of(lengths);
    sequences.device_offsets = sequences.device_offsets.to(device);
    sequences.places = sequences.places.to(device);
    const auto states = encoder_->states({torch::tensor(rows).to(device), sequences});
    for (const auto* offset = sequences.host_offsets(); begin < end; ++begin, ++offset)
      use(begin, texts[begin], states.slice(0, offset[0], offset[1]));
  }
}

std::vector<Guess> TextReader::best(const torch::Tensor& logits, std::int64_t most) const {
  auto probabilities = torch::softmax(logits.to(torch::kCPU, torch::kDouble), -1);
  const auto& tokenizer = *tokenizers_.target;
  auto ordinary = probabilities.clone();
  ordinary.slice(0, 0, kEos + 1).fill_(-1);
  ordinary[tokenizer.mask()] = -1;
  const auto ids = std::get<1>(ordinary.topk(std::min(most, tokenizer.size() - (kEos + 2))));
  std::vector<Guess> guesses;
  for (std::int64_t i = 0; i < ids.size(0); ++i) {
    const auto id = ids[i].item<std::int32_t>();
    auto text = tokenizer.bytes_of(id);
    if (text.starts_with(' ')) text.erase(0, 1);
    guesses.push_back({id, tokenizer.piece_of(id), text, probabilities[id].item<double>()});
  }
  return guesses;
}

std::vector<LabelGuess> TextReader::labels(const torch::Tensor& logits) const {
  if (model_->options().encoder.head == models::Head::number)
    return {{fmt::format("{:.6g}", logits[0].item<double>())}};
  const auto sorted = torch::softmax(logits.to(torch::kCPU, torch::kDouble), -1).sort(0, /*descending=*/true);
  std::vector<LabelGuess> all;
  for (std::int64_t i = 0; i < logits.size(0); ++i) {
    auto label = tokenizers_.target->bytes_of(std::get<1>(sorted)[i].item<std::int32_t>() + kEos + 1);
    if (label.starts_with(' ')) label.erase(0, 1);
    all.push_back({std::move(label), std::get<0>(sorted)[i].item<double>()});
  }
  return all;
}

std::vector<std::vector<std::vector<Guess>>> TextReader::fill(std::span<const std::string> texts,
                                                              std::int64_t most, const BeforeBatch& before) {
  if (const auto head = model_->options().encoder.head; head != models::Head::none)
    throw InputError(
        fmt::format("model.head: expected none, for masked tokens, found '{}' in the model", name_of(head)));
  const auto mask = tokenizers_.source->mask();
  std::vector<Ids> ids;
  for (const auto& text : texts) {
    ids.push_back(ids_of(text, ids.size() + 1));
    if (std::ranges::find(ids.back(), mask) == ids.back().end())
      throw InputError(fmt::format("text {}: expected a {}, found none", ids.size(), data::kMaskPiece));
  }
  std::vector<std::vector<std::vector<Guess>>> all(texts.size());
  read(ids, before, [&](std::size_t i, const Ids& text, const torch::Tensor& states) {
    for (std::size_t place = 0; place < text.size(); ++place)
      if (text[place] == mask)
        all[i].push_back(best(encoder_->logits(states[static_cast<std::int64_t>(place)]), most));
  });
  return all;
}

std::vector<Labels> TextReader::label(std::span<const std::string> texts, const BeforeBatch& before) {
  const auto head = model_->options().encoder.head;
  const auto pooling = model_->options().encoder.pooling;
  if (head == models::Head::none)
    throw InputError(
        "model.head: expected classes, number, words or span, for labels, found 'none' in the model");
  const auto begins = is_of_texts(head) ? std::vector<bool>() : data::word_begins(*tokenizers_.source);
  std::vector<Ids> ids;
  for (const auto& text : texts) ids.push_back(ids_of(text, ids.size() + 1));
  std::vector<Labels> all(texts.size());
  read(ids, before, [&](std::size_t i, const Ids& text, const torch::Tensor& states) {
    if (is_of_texts(head)) {
      all[i].push_back(labels(encoder_->logits(pooled(states, pooling))));
      return;
    }
    if (head == models::Head::span) {
      all[i].push_back({answer(texts[i], encoder_->logits(states), words(texts[i], text, begins))});
      return;
    }
    for (const auto& word : words(texts[i], text, begins))
      all[i].push_back(labels(encoder_->logits(states[word.tokens.first + 1])));  // behind kBos
  });
  return all;
}

/// Pieces say where words begin, except WordPiece's.
std::vector<data::NumberedTokens> TextReader::words(const std::string& text, const Ids& ids,
                                                    const std::vector<bool>& begins) const {
  if (tokenizers_.source->word_pieces() != nullptr) return data::tokens_by_word(text, *tokenizers_.source);
  std::vector<data::NumberedTokens> all;
  const std::vector<std::int32_t> inner(ids.begin() + 1, ids.end() - 1);
  for (const auto& tokens : data::tokens_of_words(inner, begins)) all.push_back({std::ssize(all), tokens});
  return all;
}

/// Probabilities of where an answer begins and ends are each over all tokens of the text.
LabelGuess TextReader::answer(const std::string& text, const torch::Tensor& logits,
                              const std::vector<data::NumberedTokens>& words) const {
  constexpr std::int64_t kMostWords = 30;
  const auto probabilities =
      torch::softmax(logits.to(torch::kCPU, torch::kDouble), 0).contiguous();  // (T, 2)
  const auto* p = probabilities.const_data_ptr<double>();
  const auto before = data::words_before_last_part(text);
  data::WordRange best;
  double highest = -1;
  for (auto first = words.begin(); first != words.end(); ++first) {
    if (first->word < before) continue;
    for (auto last = first; last != words.end() && last->word < first->word + kMostWords; ++last) {
      const auto begin_token = first->tokens.first + 1, end_token = last->tokens.last + 1;  // behind kBos
      const double probability = p[2 * begin_token] * p[2 * end_token + 1];
      if (probability <= highest) continue;
      highest = probability;
      best = {first->word, last->word};
    }
  }
  return {highest < 0 ? std::string() : data::words_between(text, best), std::max(highest, 0.0)};
}

std::vector<std::vector<float>> TextReader::embed(std::span<const std::string> texts, Pooling pooling,
                                                  const BeforeBatch& before) {
  std::vector<Ids> ids;
  for (const auto& text : texts) ids.push_back(ids_of(text, ids.size() + 1));
  std::vector<std::vector<float>> all(texts.size());
  read(ids, before, [&](std::size_t i, const Ids&, const torch::Tensor& states) {
    auto vector = pooled(states, pooling).to(torch::kDouble);
    vector = (vector / vector.norm().clamp_min(1e-12)).to(torch::kCPU, torch::kFloat).contiguous();
    all[i].assign(vector.const_data_ptr<float>(), vector.const_data_ptr<float>() + vector.numel());
  });
  return all;
}

}  // namespace transformer::reading
