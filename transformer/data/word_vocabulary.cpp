#include "transformer/data/word_vocabulary.h"

#include <utility>

#include "transformer/base/atomic_file.h"
#include "transformer/data/counted_pieces.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {

std::int64_t count_words_of(const LineSource& next, const DataOptions& options,
                            const std::filesystem::path& output) {
  const auto model = model_of_one_piece(options, output, {{"model_type", "word"}});
  const auto tokenizer = Tokenizer::of_content(model, output);
  std::unordered_map<std::string, std::int64_t> counts;
  const auto too_long = for_each_line(next, [&](const std::string& line) {
    for (auto& word : tokenizer.words(line)) ++counts[std::move(word)];
  });
  write_file_atomically(output,
                        with_pieces(model, most_frequent(std::move(counts), options, too_long, "word")));
  return too_long;
}

}  // namespace transformer::data
