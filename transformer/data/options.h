// How raw parallel text becomes a data set.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/base/choices.h"

namespace transformer::data {

/// Source tokens of a sentence, without its end, beyond which the rest of it is not translated.
inline constexpr std::int64_t kLongestSource = 1024;

/// Of a vocabulary: the special ones, and some to write with.
inline constexpr std::int64_t kFewestPieces = 8;

/// The piece that stands for a token to be predicted. No text has it.
inline constexpr const char* kMaskPiece = "<mask>";

/// How many times one side of a pair may be as long as the other; 0: any number.
constexpr bool is_ratio(double ratio) {
  return ratio == 0 || ratio >= 1;
}

/// The kind of tokens in a vocabulary that is made from the training text.
enum class TokenizerKind {
  bpe,         ///< subwords, by byte-pair encoding (5.1)
  words,       ///< whatever stands between blanks after normalisation (word_vocabulary.h)
  characters,  ///< code points after normalisation (character_vocabulary.h)
  bytes,       ///< of the text as UTF-8, after normalisation: all 256
};

constexpr const char* name_of(TokenizerKind kind) {
  switch (kind) {
    case TokenizerKind::bpe:
      return "bpe";
    case TokenizerKind::words:
      return "words";
    case TokenizerKind::characters:
      return "characters";
    case TokenizerKind::bytes:
      return "bytes";
  }
  no_such_choice();
}

/// Whether rare pieces can be left out (min_frequency).
constexpr bool has_counts(TokenizerKind kind) {
  return kind == TokenizerKind::words || kind == TokenizerKind::characters;
}

constexpr bool has_whole_words(TokenizerKind kind) {
  return kind == TokenizerKind::words;
}

/// What becomes of training sentences of more than max_tokens.
enum class Longer {
  drop,  ///< the pair is left out
  cut,   ///< each side keeps its first max_tokens
};

constexpr const char* name_of(Longer longer) {
  switch (longer) {
    case Longer::drop:
      return "drop";
    case Longer::cut:
      return "cut";
  }
  no_such_choice();
}

/// What an example is.
enum class ExampleKind {
  pairs,      ///< a source and its target: translation
  documents,  ///< one text, which is called the target: language models
  labelled,   ///< a text and its label, or those of its words: encoders with a head
  answers,    ///< a text and a part of it, such as a question, a text and the answer: encoders with a head
  trees,      ///< the words of a bracketed tree and the tree, linearised (6.3): parsing
};

constexpr const char* name_of(ExampleKind kind) {
  switch (kind) {
    case ExampleKind::pairs:
      return "pairs";
    case ExampleKind::documents:
      return "documents";
    case ExampleKind::labelled:
      return "labelled";
    case ExampleKind::answers:
      return "answers";
    case ExampleKind::trees:
      return "trees";
  }
  no_such_choice();
}

/// Whether an example has a source and a target.
constexpr bool has_two_sides(ExampleKind kind) {
  return kind != ExampleKind::documents;
}

/// Whether the target is no text: its vocabulary is one of whole words, with one for each label.
constexpr bool has_target_labels(ExampleKind kind) {
  return kind == ExampleKind::labelled || kind == ExampleKind::answers || kind == ExampleKind::trees;
}

/// Whether the source may have parts (labelled_texts.h), and an encoder learns from it.
constexpr bool has_parts(ExampleKind kind) {
  return kind == ExampleKind::labelled || kind == ExampleKind::answers;
}

/// Whether a split's text is one file, which the configuration names: X, not X.en and X.de.
constexpr bool is_one_file(ExampleKind kind) {
  return kind == ExampleKind::documents || kind == ExampleKind::trees;
}

/// What of a text file is a document.
enum class DocumentKind {
  line,
  paragraph,  ///< lines without a blank one between them
  file,
};

constexpr const char* name_of(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::line:
      return "line";
    case DocumentKind::paragraph:
      return "paragraph";
    case DocumentKind::file:
      return "file";
  }
  no_such_choice();
}

/// SentencePiece's change of a text's characters before it splits them into pieces.
enum class NormalizationRule {
  nmt_nfkc,  ///< Unicode's NFKC, control characters dropped and all kinds of blanks one
  nfkc,
  nmt_nfkc_cf,  ///< and to lower case
  nfkc_cf,
  identity,
  lower_punctuation,
};

/// As the configuration and SentencePiece name them.
constexpr const char* name_of(NormalizationRule rule) {
  switch (rule) {
    case NormalizationRule::nmt_nfkc:
      return "nmt_nfkc";
    case NormalizationRule::nfkc:
      return "nfkc";
    case NormalizationRule::nmt_nfkc_cf:
      return "nmt_nfkc_cf";
    case NormalizationRule::nfkc_cf:
      return "nfkc_cf";
    case NormalizationRule::identity:
      return "identity";
    case NormalizationRule::lower_punctuation:
      return "lower_punctuation";
  }
  no_such_choice();
}

constexpr bool makes_lower_case(NormalizationRule rule) {
  switch (rule) {
    case NormalizationRule::nmt_nfkc:
    case NormalizationRule::nfkc:
    case NormalizationRule::identity:
      return false;
    case NormalizationRule::nmt_nfkc_cf:
    case NormalizationRule::nfkc_cf:
    case NormalizationRule::lower_punctuation:
      return true;
  }
  no_such_choice();
}

/// Whether the name alone says that a split's text is a table: X.tsv (or X.tsv.gz, X.tsv.zst). Files of other
/// names are looked into (is_table, corpus.h).
constexpr bool has_table_name(std::string_view prefix, std::string_view ending = ".tsv") {
  for (const std::string_view packed : {".gz", ".zst"})
    if (prefix.ends_with(packed)) prefix.remove_suffix(packed.size());
  return prefix.ends_with(ending);
}

/// Whether the name says that a line is an object of JSON, whose keys are its columns: X.jsonl.
constexpr bool has_json_name(std::string_view prefix) {
  return has_table_name(prefix, ".jsonl");
}

/// The columns of a table that are its sides: two numbers, from 1, or two names, which its first line has.
struct Columns {
  std::string source = "1", target = "2";

  bool operator==(const Columns&) const = default;
};

constexpr bool is_column_number(std::string_view column) {
  return column.find_first_not_of("0123456789") == std::string_view::npos;
}

struct DataOptions {
  ExampleKind examples = ExampleKind::pairs;
  DocumentKind document = DocumentKind::line;  ///< of documents alone
  std::int64_t block = 0;                      ///< tokens of the blocks of documents (blocks.h); 0: none
  std::string source = "en";                   ///< ending of the source side's files
  std::string target = "de";
  /// Path without ending: `train.en` and `train.de` lie beside each other. Or a table of pairs (corpus.h). Of
  /// documents and trees the file itself.
  std::string train = {};
  std::vector<std::string> more_train = {};  ///< training texts behind that one
  /// Of the training texts, in their order: how often an epoch has each example (epoch_shares.h); empty:
  /// once.
  std::vector<double> weights = {};
  std::string dev = {};
  std::string test = {};  ///< may be empty
  Columns columns = {};   ///< of the texts that are tables
  /// Ending of files beside those of the training text, a line for each pair with the links of its words
  /// (base/word_links.h); empty: none.
  std::string links = {};
  bool tree_tags = true;   ///< of trees: with the words' tags; else all are trees::kAnyTag
  std::int64_t pairs = 0;  ///< training takes so many pairs from the front of each text; 0: all
  TokenizerKind tokenizer_kind = TokenizerKind::bpe;
  std::int64_t vocabulary = 37000;  ///< pieces; of words and characters: at most; of bytes: does not count
  std::int64_t min_frequency = 1;   ///< rarer words or characters are unknown
  bool shared_vocabulary = true;
  std::int64_t max_tokens = 256;  ///< of a training sentence, end token not counted
  Longer longer = Longer::drop;   ///< what becomes of training pairs with a longer side
  double max_ratio = 0;           ///< pairs with one side this many times longer are dropped; 0: no limit
  NormalizationRule normalization = NormalizationRule::nmt_nfkc;
  bool byte_fallback = false;
  bool masks = false;          ///< the vocabulary has kMaskPiece, for encoders
  std::string tokenizer = {};  ///< an existing SentencePiece model; empty: train one
  std::string prepared = {};   ///< folder of the prepared data set
  double bpe_dropout = 0;  ///< probability of skipping a merge in training, drawn per epoch (bpe_dropout.h)

  bool operator==(const DataOptions&) const = default;
};

/// What the configuration names as training texts.
inline std::vector<std::string> train_texts(const DataOptions& options) {
  std::vector<std::string> texts{options.train};
  texts.insert(texts.end(), options.more_train.begin(), options.more_train.end());
  return texts;
}

/// Whether there is one tokenizer: of both sides, or of documents. Labels have a vocabulary of their own,
/// as have the tokens of trees.
inline bool has_one_vocabulary(const DataOptions& options) {
  switch (options.examples) {
    case ExampleKind::pairs:
      return options.shared_vocabulary;
    case ExampleKind::documents:
      return true;
    case ExampleKind::labelled:
    case ExampleKind::answers:
    case ExampleKind::trees:
      return false;
  }
  no_such_choice();
}

/// How the vocabulary of labels is made: each is a word.
inline DataOptions label_options(DataOptions options) {
  options.tokenizer_kind = TokenizerKind::words;
  options.vocabulary = 1000000;
  options.min_frequency = 1;
  options.normalization = NormalizationRule::identity;
  options.masks = false;
  return options;
}

}  // namespace transformer::data
