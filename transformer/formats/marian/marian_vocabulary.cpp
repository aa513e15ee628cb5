#include "transformer/formats/marian/marian_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/formats/json_object.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;
using Pieces = std::vector<std::string>;

/// The pieces of a {piece: id} file in the order of their ids.
Pieces read_pieces(const fs::path& file, std::int64_t size) {
  const JsonObject vocabulary(file);
  const auto count = static_cast<std::int64_t>(vocabulary.content().size());
  if (count != size)
    throw InputError(fmt::format("{}: expected {} pieces, the rows of the embedding in config.json, found {}",
                                 file.string(), size, count));
  Pieces pieces(static_cast<std::size_t>(size));
  std::vector<bool> taken(pieces.size());
  for (const auto& [piece, value] : vocabulary.content().items()) {
    const auto id = vocabulary.integer(piece, 0, size - 1);
    if (!id) vocabulary.refuse(piece, "an id");
    const auto place = static_cast<std::size_t>(*id);
    if (taken[place])
      throw InputError(fmt::format("{}: expected an id for one piece, found {} for '{}' and '{}'",
                                   file.string(), *id, pieces[place], piece));
    taken[place] = true;
    pieces[place] = piece;
  }
  return pieces;
}

std::int64_t find(const Pieces& pieces, const std::string& piece, const fs::path& file) {
  const auto found = std::ranges::find(pieces, piece);
  if (found == pieces.end())
    throw InputError(fmt::format("{}: expected the special token '{}', found nothing", file.string(), piece));
  return found - pieces.begin();
}

void check_id(const Pieces& pieces, std::int64_t id, const std::string& piece, const char* key,
              const MarianFiles& files, const fs::path& file) {
  const auto found = find(pieces, piece, file);
  if (found != id)
    throw InputError(fmt::format("{}: expected {} for '{}', as {} in {}, found {}", file.string(), id, piece,
                                 key, files.config().filename().string(), found));
}

std::shared_ptr<const data::Tokenizer> tokenizer_of(const fs::path& spm, const PieceNumbering& numbering,
                                                    const fs::path& vocabulary) {
  return std::make_shared<const data::Tokenizer>(spm,
                                                 data::Vocabulary(numbering.pieces, vocabulary.string()));
}

}  // namespace

MarianVocabularies read_marian_vocabularies(const MarianFiles& files, const MarianConfig& config,
                                            const MarianTokenizerConfig& tokenizer) {
  const bool separate = tokenizer.separate_vocabularies;
  if (separate && config.shared_embeddings)
    throw InputError(
        fmt::format("{}: key 'separate_vocabs': expected false where embeddings are shared, found true",
                    files.tokenizer().string()));
  const auto target_file = separate ? files.target_vocabulary() : files.vocabulary();
  const auto target = read_pieces(target_file, config.vocabulary.target);
  check_id(target, config.end, tokenizer.end, "eos_token_id", files, target_file);
  check_id(target, config.pad, tokenizer.pad, "pad_token_id", files, target_file);
  const auto unknown = find(target, tokenizer.unknown, target_file);
  if (unknown == config.end || unknown == config.pad)
    throw InputError(fmt::format("{}: expected an id of its own for '{}', found {}", target_file.string(),
                                 tokenizer.unknown, unknown));
  const auto begin = own_begin(config.start, {unknown, config.pad, config.end});
  MarianVocabularies result;
  result.target = number_pieces(target, {unknown, config.pad, config.end, begin, config.start});
  if (separate) {
    const auto source = read_pieces(files.vocabulary(), config.vocabulary.source);
    SpecialPieces special{find(source, tokenizer.unknown, files.vocabulary()),
                          find(source, tokenizer.pad, files.vocabulary()),
                          find(source, tokenizer.end, files.vocabulary()), std::nullopt, 0};
    // No source has a begin: any row will do.
    special.start = special.pad;
    const auto place =
        begin ? std::ranges::find(source, target[static_cast<std::size_t>(*begin)]) : source.end();
    if (place != source.end())
      special.begin = own_begin(place - source.begin(), {special.unknown, special.pad, special.end});
    result.source = number_pieces(source, special);
  } else {
    if (config.vocabulary.source != config.vocabulary.target)
      throw InputError(fmt::format(
          "{}: key 'decoder_vocab_size': expected {}, the vocab_size, for one vocabulary, found {}",
          files.config().string(), config.vocabulary.source, config.vocabulary.target));
    result.source = result.target;
  }
  result.tokenizers.source = tokenizer_of(files.source_spm(), result.source, files.vocabulary());
  result.tokenizers.target = tokenizer_of(files.target_spm(), result.target, target_file);
  return result;
}

}  // namespace transformer::formats
