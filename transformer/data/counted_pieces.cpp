#include "transformer/data/counted_pieces.h"

#include <fmt/format.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/model_message.h"
#include "transformer/data/normalization.h"

namespace transformer::data {
namespace {

/// One line, and no more.
class SingleLine : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return done_; }
  void Next() override { done_ = true; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::string line_ = "a";
  bool done_ = false;
};

}  // namespace

std::string model_of_one_piece(const DataOptions& options, const std::filesystem::path& place,
                               std::unordered_map<std::string, std::string> arguments) {
  const Normalization normalization(options.normalization, place);
  arguments.merge(normalization.arguments());
  arguments.insert({{"use_all_vocab", "true"},
                    {"unk_id", std::to_string(kUnknown)},
                    {"pad_id", std::to_string(kPad)},
                    {"bos_id", std::to_string(kBos)},
                    {"eos_id", std::to_string(kEos)},
                    {"num_threads", "1"},
                    {"minloglevel", "2"}});
  if (options.masks) arguments.emplace("control_symbols", kMaskPiece);
  SingleLine line;
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &line, &model);
  if (!status.ok())
    throw InputError(fmt::format("SentencePiece cannot make a vocabulary: {}", status.ToString()));
  return without_rule_path(model);
}

std::int64_t for_each_line(const LineSource& next,
                           const std::function<void(const std::string& line)>& count) {
  std::int64_t too_long = 0;
  for (std::string line; next(line);) {
    if (line.size() > kLongestTrainingLine)
      ++too_long;
    else
      count(line);
  }
  return too_long;
}

CountedPieces most_frequent(std::unordered_map<std::string, std::int64_t> counts, const DataOptions& options,
                            std::int64_t too_long, std::string_view what) {
  if (counts.empty()) throw InputError(describe_no_text(too_long));
  CountedPieces all{{std::make_move_iterator(counts.begin()), std::make_move_iterator(counts.end())}, 0};
  std::ranges::sort(all.kept, [](const Count& a, const Count& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (const auto& count : all.kept) all.total += count.second;
  const auto most = all.kept.front().second;
  const auto rare = std::ranges::find_if(
      all.kept, [&](const Count& count) { return count.second < options.min_frequency; });
  all.kept.erase(rare, all.kept.end());
  const auto room = static_cast<std::size_t>(options.vocabulary - special_pieces(options));
  if (all.kept.size() > room) all.kept.resize(room);
  if (all.kept.empty())
    throw InputError(fmt::format(
        "data.min_frequency: expected at most {}, as often as the training text's most frequent {} occurs, "
        "found {}",
        most, what, options.min_frequency));
  return all;
}

std::string with_pieces(std::string_view model, const CountedPieces& pieces) {
  std::int64_t special = 0;
  std::string result;
  for (const auto& field : fields_of(model)) {
    if (field.number != ModelField::pieces) continue;
    if (model_piece_of(field.content).type == PieceType::normal) continue;
    result.append(field.whole);
    ++special;
  }
  for (const auto& [text, count] : pieces.kept) {
    std::string piece;
    append_proto_bytes(piece, PieceField::text, text);
    append_proto_float(
        piece, PieceField::score,
        static_cast<float>(std::log(static_cast<double>(count) / static_cast<double>(pieces.total))));
    append_proto_bytes(result, ModelField::pieces, piece);
  }
  for (const auto& field : fields_of(model))
    if (field.number != ModelField::pieces && field.number != ModelField::self_test)
      result.append(field.whole);
  std::string size;  // if a message comes twice, the second one's fields count
  append_proto_integer(size, TrainerField::vocabulary,
                       static_cast<std::uint64_t>(special) + pieces.kept.size());
  append_proto_bytes(result, ModelField::trainer, size);
  return result;
}

}  // namespace transformer::data
