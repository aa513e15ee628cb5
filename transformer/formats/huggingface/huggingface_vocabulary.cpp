#include "transformer/formats/huggingface/huggingface_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/text_file.h"
#include "transformer/data/renumbered_model.h"
#include "transformer/data/scored_pieces.h"
#include "transformer/formats/huggingface/tokenizer_json.h"
#include "transformer/formats/json_file.h"
#include "transformer/formats/json_object.h"
#include "transformer/formats/plain_tokenizers.h"

namespace transformer::formats::huggingface {
namespace {

namespace fs = std::filesystem;

/// Whether their ids are ours already, as in exports. An end may also begin texts; then nothing else may be
/// in the place of our begin.
bool fits(const SpecialIds& special, const std::set<std::int64_t>& suppressed) {
  return special.unknown == kUnknown && special.pad == kPad && special.end == kEos &&
         (special.begin == kBos || (special.begin == kEos && suppressed.contains(kBos)));
}

/// An id that two special tokens share is the later one's.
std::vector<std::int64_t> order_of(SpecialIds special, const Config& config) {
  if (fits(special, config.suppressed)) special.begin = kBos;
  std::array<std::int64_t, kEos + 1> first{};
  first[kUnknown] = special.unknown.value_or(Numbering::kNew);
  first[kPad] = special.pad.value_or(Numbering::kNew);
  first[kBos] = special.begin.value_or(Numbering::kNew);
  first[kEos] = special.end.value_or(Numbering::kNew);
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::size_t later = i + 1; later < first.size(); ++later)
      if (first.at(i) == first.at(later)) first.at(i) = Numbering::kNew;
  std::vector<std::int64_t> theirs(first.begin(), first.end());
  for (std::int64_t id = 0; id < config.vocabulary; ++id)
    if (std::ranges::find(first, id) == first.end()) theirs.push_back(id);
  return theirs;
}

std::vector<std::string> pieces_in(const std::vector<std::int64_t>& theirs,
                                   const std::vector<std::string>& own) {
  constexpr std::array kNames{"<unk>", "<pad>", "<s>", "</s>"};
  std::unordered_set<std::string> taken(own.begin(), own.end());
  const auto fresh = [&](std::string name) {
    while (!taken.insert(name).second) name = "<" + name + ">";
    return name;
  };
  std::vector<std::string> pieces;
  for (std::size_t id = 0; id < theirs.size(); ++id) {
    const auto theirs_of_it = theirs[id];
    if (theirs_of_it == Numbering::kNew)
      pieces.push_back(fresh(kNames.at(id)));
    else if (theirs_of_it < std::ssize(own))
      pieces.push_back(own[static_cast<std::size_t>(theirs_of_it)]);
    else
      pieces.push_back(fresh(unused_piece(theirs_of_it)));
  }
  return pieces;
}

/// The id of unk_token, which is text or has text for its content.
std::optional<std::int64_t> unknown_of(const fs::path& file, const std::vector<std::string>& pieces) {
  if (!exists(file)) return std::nullopt;
  const JsonObject about(file);
  const auto* token = about.find("unk_token");
  if (token != nullptr && token->is_object() && token->contains("content")) token = &token->at("content");
  if (token == nullptr || !token->is_string()) return std::nullopt;
  const auto found = std::ranges::find(pieces, token->get<std::string>());
  return found == pieces.end() ? std::nullopt : std::optional<std::int64_t>(found - pieces.begin());
}

}  // namespace

torch::Tensor Numbering::renumbered(const torch::Tensor& rows) const {
  auto zero = rows.narrow(0, 0, 1).clone().zero_();
  const auto all = torch::cat({rows, zero});
  auto places = torch::tensor(theirs);
  return all.index_select(0, places.masked_fill(places.eq(kNew), rows.size(0)));
}

Numbering read_numbering(const fs::path& folder, const Config& config) {
  const auto file = folder / "tokenizer.model";
  auto special = config.special;
  Numbering result;
  if (const auto pairs = folder / "vocab.json", merges = folder / "merges.txt";
      !exists(file) && exists(pairs) && exists(merges)) {
    const auto own = read_pieces(JsonObject(pairs), config.vocabulary);
    special.unknown = unknown_of(folder / "tokenizer_config.json", own);
    result.theirs = order_of(special, config);
    const auto pieces = pieces_in(result.theirs, own);
    const auto content = data::ByteLevelPairs::content_of(pieces, read_merges(merges));
    result.tokenizer = std::make_shared<const data::Tokenizer>(data::Tokenizer::of_content(content, pairs));
    return result;
  }
  if (!exists(file)) {
    result.theirs = order_of(special, config);
    std::vector<std::string> words;
    for (std::size_t id = kEos + 1; id < result.theirs.size(); ++id)
      words.push_back(std::to_string(result.theirs[id]));
    result.tokenizer =
        std::make_shared<const data::Tokenizer>(data::Tokenizer::of_content(data::word_model(words), file));
    return result;
  }
  const auto content = read_file(file);
  const auto own = data::own_numbering(content, file.string());
  if (std::ssize(own.pieces) > config.vocabulary)
    throw InputError(fmt::format("{}: expected at most {} pieces, the vocab_size of config.json, found {}",
                                 file.string(), config.vocabulary, own.pieces.size()));
  special.unknown = own.unknown;
  if (!special.begin) special.begin = own.begin;
  if (!special.end) special.end = own.end;
  if (!special.pad) special.pad = own.pad;
  result.theirs = order_of(special, config);
  const auto pieces = pieces_in(result.theirs, own.pieces);
  result.tokenizer = std::make_shared<const data::Tokenizer>(data::Tokenizer::of_content(
      data::renumbered_model(content, pieces, data::ModelUse::encode, file.string()), file));
  return result;
}

void write_vocabulary(const data::Tokenizer& tokenizer, std::int32_t begin, const fs::path& folder) {
  using Json = nlohmann::ordered_json;
  const auto* pairs = tokenizer.pairs();
  const auto piece = [&](std::int32_t id) { return tokenizer.piece_of(id); };
  Json about{{"tokenizer_class", pairs != nullptr ? "GPT2Tokenizer" : "LlamaTokenizer"},
             {"unk_token", piece(kUnknown)},
             {"pad_token", piece(kPad)},
             {"bos_token", piece(begin)},
             {"eos_token", piece(kEos)},
             {"add_bos_token", true}};
  if (pairs != nullptr) {
    write_pieces(folder / "vocab.json", pairs->vocabulary().pieces());
    write_merges(folder / "merges.txt", pairs->merges());
  } else {
    const auto shared = std::make_shared<const data::Tokenizer>(tokenizer);
    write_plain_tokenizers({shared, shared}, folder);
    about["legacy"] = false;
  }
  write_json(folder / "tokenizer_config.json", about);
}

}  // namespace transformer::formats::huggingface
