#include "apps/score/pairs.h"

#include <fmt/format.h>

#include <utility>

#include "apps/common/text_input.h"
#include "transformer/base/error.h"
#include "transformer/base/streams.h"
#include "transformer/translation/forced_scores.h"

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

}  // namespace

std::vector<translation::ForcedPair> read_pairs(const std::string& source_file,
                                                const std::string& target_file,
                                                const checkpoints::LoadedModel& model) {
  check_standard_input({{"--source", source_file}, {"--target", target_file}});
  const auto sources = read_text(source_file), targets = read_text(target_file);
  check_line_count(targets.size(), target_file, sources.size(), source_file);
  const auto longest = translation::longest_forced(model.model->options());
  auto source = encode(sources, source_file, *model.tokenizers.source, longest);
  auto target = encode(targets, target_file, *model.tokenizers.target, longest);
  std::vector<translation::ForcedPair> pairs;
  pairs.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i)
    pairs.push_back({std::move(source[i]), std::move(target[i])});
  return pairs;
}

}  // namespace transformer::apps
