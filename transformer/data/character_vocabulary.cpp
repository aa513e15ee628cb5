#include "transformer/data/character_vocabulary.h"

#include <string_view>
#include <utility>

#include "transformer/base/atomic_file.h"
#include "transformer/data/counted_pieces.h"
#include "transformer/data/model_message.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {
namespace {

std::unordered_map<std::string, std::string> arguments(std::unordered_map<std::string, std::string> own) {
  own.insert({{"model_type", "char"}, {"add_dummy_prefix", "false"}, {"remove_extra_whitespaces", "false"}});
  return own;
}

void count(const Tokenizer& tokenizer, std::string_view text,
           std::unordered_map<std::string, std::int64_t>& counts) {
  const auto characters = tokenizer.normalized(text);
  for (std::size_t begin = 0, end = 0; begin < characters.size(); begin = end) {
    for (end = begin + 1; end < characters.size() && !begins_character(characters[end]);) ++end;
    ++counts[characters.substr(begin, end - begin)];
  }
}

}  // namespace

std::int64_t count_characters_of(const LineSource& next, const DataOptions& options,
                                 const std::filesystem::path& output) {
  const auto model = model_of_one_piece(options, output, arguments({}));
  const auto tokenizer = Tokenizer::of_content(model, output);
  const bool has_line_ends =
      options.examples == ExampleKind::documents && options.document != DocumentKind::line;
  std::unordered_map<std::string, std::int64_t> counts;
  const auto too_long = for_each_line(next, [&](const std::string& line) {
    count(tokenizer, line, counts);
    if (has_line_ends) ++counts["\n"];
  });
  std::unordered_map<std::string, std::int64_t> line_end;
  count(tokenizer, "\n", line_end);
  if (!line_end.contains("\n")) counts.erase("\n");
  write_file_atomically(output,
                        with_pieces(model, most_frequent(std::move(counts), options, too_long, "character")));
  return too_long;
}

std::int64_t make_bytes(const LineSource& /*next*/, const DataOptions& options,
                        const std::filesystem::path& output) {
  auto model = with_pieces(model_of_one_piece(options, output, arguments({{"byte_fallback", "true"}})), {});
  std::string normalizer;  // if a message comes twice, the second one's fields count
  append_proto_integer(normalizer, NormalizerField::marked_blanks, 0);
  append_proto_bytes(model, ModelField::normalizer, normalizer);
  write_file_atomically(output, model);
  return 0;
}

}  // namespace transformer::data
