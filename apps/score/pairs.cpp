#include "apps/score/pairs.h"

#include <fmt/format.h>

#include <utility>

#include "apps/common/data_file.h"
#include "apps/common/text_input.h"
#include "transformer/base/error.h"
#include "transformer/base/streams.h"
#include "transformer/data/blocks.h"
#include "transformer/translation/forced_scores.h"
#include "transformer/trees/linearised_tree.h"

namespace transformer::apps {
namespace {

/// A text's ids. A line that is too long is refused, not cut: its score would be another sentence's.
std::vector<std::vector<std::int32_t>> encode(const std::vector<std::string>& lines, const std::string& path,
                                              const data::Tokenizer& tokenizer, std::int64_t longest) {
  std::vector<std::vector<std::int32_t>> ids;
  ids.reserve(lines.size());
  std::size_t too_long = 0, first = 0;
  for (const auto& line : lines) {
    ids.push_back(tokenizer.encode(line, static_cast<std::size_t>(longest)));
    if (static_cast<std::int64_t>(ids.back().size()) <= longest) continue;
    if (too_long++ == 0) first = ids.size();
  }
  if (too_long > 0)
    throw InputError(fmt::format("{}:{}: expected at most {} tokens, found more; of {} lines {} are too long",
                                 input_name(path), first, longest, lines.size(), too_long));
  return ids;
}

/// Trees in brackets as the tokens that a model learns of them.
std::vector<std::string> linearised(std::vector<std::string> trees, const std::string& path, bool tags) {
  for (std::size_t i = 0; i < trees.size(); ++i) {
    try {
      trees[i] = trees::linearised(trees::plain_tree(trees::parse_tree(trees[i])), tags);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}:{}: expected a tree in brackets, as the model learnt: {}",
                                   input_name(path), i + 1, error.what()));
    }
  }
  return trees;
}

}  // namespace

std::vector<std::filesystem::path> ScoredTexts::files() const {
  std::vector<std::filesystem::path> named;
  for (const auto& file : {source, target, data})
    if (!file.empty()) named.emplace_back(file);
  return named;
}

std::vector<translation::ForcedPair> read_pairs(const ScoredTexts& texts, checkpoints::LoadedModel& model,
                                                const std::string& model_name) {
  if (!texts.data.empty()) {
    const auto opened = open_data(texts.data, model.experiment, model, model_name);
    return translation::forced_pairs(*data::examples_of(opened.data, opened.block));
  }
  if (texts.target.empty()) throw InputError("--target: expected a text, or --data, found neither");
  const bool alone = model.model->as_sequence_to_sequence() == nullptr;
  if (alone != texts.source.empty())
    throw InputError(
        alone ? "--source: expected nothing for a model that maps no source to a target, found a text"
              : "--source: expected the sentences that --target translates, found nothing");
  check_standard_input({{"--source", texts.source}, {"--target", texts.target}});
  const auto longest = translation::longest_forced(model.model->options());
  std::vector<std::vector<std::int32_t>> source;
  if (!alone) source = encode(read_text(texts.source), texts.source, *model.tokenizers.source, longest);
  auto lines = read_text(texts.target);
  const auto& data = model.experiment.data;
  if (data.examples == data::ExampleKind::trees)
    lines = linearised(std::move(lines), texts.target, data.tree_tags);
  auto target = encode(lines, texts.target, *model.tokenizers.target, longest);
  if (!alone) check_line_count(target.size(), texts.target, source.size(), texts.source);
  std::vector<translation::ForcedPair> pairs(target.size());
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!alone) pairs[i].source = std::move(source[i]);
    pairs[i].target = std::move(target[i]);
  }
  return pairs;
}

}  // namespace transformer::apps
