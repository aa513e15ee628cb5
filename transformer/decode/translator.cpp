#include "transformer/decode/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/decode/beam_search.h"
#include "transformer/decode/greedy.h"

namespace transformer::decode {
namespace {

/// A shorter sentence counts as one of so many tokens: the decoder's memory grows with the number of
/// sentences.
constexpr std::size_t kShortest = 16;

/// A line's ids, with the end token, and its place among the lines.
struct Source {
  std::size_t line = 0;
  std::vector<std::int32_t> ids;
};

void check_size(const data::Tokenizer& tokenizer, std::int64_t expected) {
  if (tokenizer.size() == expected) return;
  throw InputError(fmt::format("{}: expected the {} pieces of the model's vocabulary, found {}",
                               tokenizer.path().string(), expected, tokenizer.size()));
}

/// Encodes the lines, longest first. Lines without tokens are left out, and their translation is made here.
std::vector<Source> encode(const data::Tokenizer& tokenizer, std::span<const std::string> lines,
                           std::size_t longest, std::vector<Translation>& results) {
  std::vector<Source> sources;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    auto ids = tokenizer.encode(lines[line], longest);
    if (ids.empty()) {
      results[line] = {{Hypothesis{.finished = true}}, {""}, false};
      continue;
    }
    results[line].truncated_source = ids.size() > longest;
    ids.resize(std::min(ids.size(), longest));
    ids.push_back(kEnd);
    sources.push_back({line, std::move(ids)});
  }
  std::stable_sort(sources.begin(), sources.end(),
                   [](const Source& a, const Source& b) { return a.ids.size() > b.ids.size(); });
  return sources;
}

/// Vocabularies with byte_fallback can spell a line break, which would shift all lines that follow, and a NUL
/// byte, which ends the text for many a reader.
std::string in_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return text;
}

/// How many of the sources, which are sorted by falling length, make the first batch.
std::size_t first_batch(std::span<const Source> sources, std::int64_t batch_tokens) {
  const auto width = std::max(sources.front().ids.size(), kShortest);
  return std::clamp(static_cast<std::size_t>(batch_tokens) / width, std::size_t{1}, sources.size());
}

/// (B, S), padded behind.
torch::Tensor to_tensor(std::span<const Source> batch) {
  const auto width = static_cast<std::int64_t>(batch.front().ids.size());
  auto ids = torch::full({static_cast<std::int64_t>(batch.size()), width}, kPad, torch::kLong);
  auto* row = ids.data_ptr<std::int64_t>();
  for (const auto& source : batch) {
    std::copy(source.ids.begin(), source.ids.end(), row);
    row += width;
  }
  return ids;
}

std::vector<std::vector<Hypothesis>> search(models::EncoderDecoder& model, const torch::Tensor& source,
                                            const DecodeOptions& options, const BeforeStep& before_step) {
  if (options.beam > 1) return beam_search(model, source, options, before_step);
  std::vector<std::vector<Hypothesis>> results;
  for (auto& hypothesis : greedy_search(model, source, options, before_step))
    results.push_back({std::move(hypothesis)});
  return results;
}

}  // namespace

std::int64_t longest_source(const models::ModelOptions& options) {
  if (options.positions != nn::Positions::learned) return kLongestSource;
  return std::min(kLongestSource, options.max_positions - 1);
}

std::vector<Translation> translate(models::EncoderDecoder& model, const data::Tokenizer& source,
                                   const data::Tokenizer& target, std::span<const std::string> lines,
                                   const DecodeOptions& options, const TranslateCallbacks& callbacks) {
  check_size(source, model->vocabulary().source);
  check_size(target, model->vocabulary().target);
  std::vector<Translation> results(lines.size());
  const auto sources =
      encode(source, lines, static_cast<std::size_t>(longest_source(model->options())), results);
  std::span<const Source> rest = sources;
  while (!rest.empty()) {
    const auto batch = rest.first(first_batch(rest, options.batch_tokens));
    rest = rest.subspan(batch.size());
    auto found = search(model, to_tensor(batch), options, callbacks.before_step);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto& result = results[batch[i].line];
      result.hypotheses = std::move(found[i]);
      for (const auto& hypothesis : result.hypotheses)
        result.texts.push_back(in_one_line(target.decode(hypothesis.ids)));
    }
    if (callbacks.progress) callbacks.progress(lines.size() - rest.size());
  }
  return results;
}

}  // namespace transformer::decode
