#include "transformer/formats/ctranslate2/ctranslate2_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/prepared.h"
#include "transformer/formats/ctranslate2/ctranslate2_modern.h"
#include "transformer/formats/ctranslate2/ctranslate2_variables.h"
#include "transformer/formats/imported_experiment.h"
#include "transformer/formats/json_object.h"
#include "transformer/formats/token_numbering.h"
#include "transformer/translation/text_translation.h"

namespace transformer::formats {
namespace ctranslate2 {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = "model.bin";

/// A vocabulary, and what our model has of it.
struct Side {
  fs::path file;
  std::vector<std::string> tokens;  ///< as many as rows, or one less: the last row is of unknown tokens
  std::int64_t rows = 0;
  TokenNumbering numbering = {};
  std::string first = {};
};

class Importer {
 public:
  Importer(const fs::path& folder, const fs::path& tokenizer) : folder_(folder), tokenizer_(tokenizer) {}

  CTranslate2Import import() {
    const auto file = folder_ / kModel;
    const config::Experiment defaults;
    // As many as our own translator uses: the begin token stands before the output.
    const auto positions = translation::kLongestSource + defaults.decode.length_offset + 2;
    auto modern =
        modern_ctranslate2(load_ctranslate2_file(file, kOldestCTranslate2), positions, file.string());
    texts_ = modern.texts;
    model_ = model_of_variables(modern.file, file.string());
    if (exists(folder_ / "config.json")) read_config(modern.file.version);
    number(modern.starts_from_zeros);
    checkpoints::LoadedModel loaded;
    loaded.directory = folder_;
    loaded.tokenizers = tokenizers();
    renumber();
    loaded.experiment = experiment(loaded.tokenizers);
    loaded.model = model_with(model_.weights, options(), {source_.numbering.size(), target_.numbering.size()},
                              file.string());
    return {.model = std::move(loaded), .is_quantised = modern.is_quantised};
  }

 private:
  models::ModelOptions& options() { return model_.options; }

  void read_config(std::uint32_t version) {
    const JsonObject config(folder_ / "config.json");
    if (const auto epsilon = config.real("layer_norm_epsilon", 1e-12, 1)) options().norm_epsilon = *epsilon;
    if (version < kCTranslate2Version) return;
    texts_.unknown = config.text("unk_token").value_or(texts_.unknown);
    texts_.begin = config.text("bos_token").value_or(texts_.begin);
    texts_.end = config.text("eos_token").value_or(texts_.end);
    texts_.source_begin = config.boolean("add_source_bos").value_or(false);
    texts_.source_end = config.boolean("add_source_eos").value_or(false);
    texts_.start = config.text("decoder_start_token");
    if (!texts_.start && !config.content().contains("decoder_start_token")) texts_.start = texts_.begin;
  }

  fs::path vocabulary_file(const std::string& name) const {
    for (const auto* ending : {".json", ".txt"})
      if (auto file = folder_ / (name + ending); exists(file)) return file;
    return {};
  }

  Side read_side(const std::string& name, std::int64_t rows) const {
    Side side{.file = vocabulary_file(name), .tokens = {}, .rows = rows};
    if (side.file.empty())
      throw InputError(
          fmt::format("{}: expected shared_vocabulary, or source_vocabulary and "
                      "target_vocabulary (.json or .txt), found none",
                      folder_.string()));
    side.tokens = read_tokens(side.file);
    const auto count = std::ssize(side.tokens);
    const bool adds_unknown = std::ranges::find(side.tokens, texts_.unknown) == side.tokens.end();
    if (count != rows && !(adds_unknown && count + 1 == rows))
      throw InputError(fmt::format("{}: expected {} tokens, as many as rows of the embedding, found {}",
                                   side.file.string(), rows, count));
    if (count < rows) side.tokens.push_back(texts_.unknown);
    return side;
  }

  static std::optional<std::int64_t> find(const Side& side, const std::string& token) {
    const auto found = std::ranges::find(side.tokens, token);
    return found == side.tokens.end() ? std::nullopt
                                      : std::optional<std::int64_t>(found - side.tokens.begin());
  }

  std::int64_t expect(const Side& side, const std::string& token, const char* what) const {
    const auto found = find(side, token);
    if (!found)
      throw InputError(fmt::format("{}: expected '{}', the token that {}, found none", side.file.string(),
                                   printable(token), what));
    return *found;
  }

  /// What fills batches, if a vocabulary has a token for it.
  static std::optional<std::int64_t> pad_of(const Side& side) {
    for (const auto* name : {"<blank>", "<pad>"})
      if (const auto found = find(side, name)) return found;
    return std::nullopt;
  }

  void number(bool from_zeros) {
    const auto& [source_rows, target_rows] = model_.vocabulary;
    const bool one_file = !vocabulary_file("shared_vocabulary").empty();
    source_ = read_side(one_file ? "shared_vocabulary" : "source_vocabulary", source_rows);
    target_ = read_side(one_file ? "shared_vocabulary" : "target_vocabulary", target_rows);
    if (!texts_.start)
      throw InputError(
          fmt::format("{}: decoder_start_token: expected a token that begins all outputs, found "
                      "none, since each request gives its own",
                      (folder_ / "config.json").string()));
    options().source_end = texts_.source_end;
    const auto start = expect(target_, *texts_.start, "begins outputs");
    target_.numbering = number_tokens(target_.tokens, {find(target_, texts_.unknown), pad_of(target_),
                                                       from_zeros ? std::nullopt : std::optional(start),
                                                       expect(target_, texts_.end, "ends texts")});
    // A begin of sources is an ordinary token, which tokenizers put in front.
    shared_ = source_.tokens == target_.tokens && !texts_.source_begin;
    if (shared_) {
      source_.numbering = target_.numbering;
      return;
    }
    if (texts_.source_begin) {
      expect(source_, texts_.begin, "begins sources");
      source_.first = texts_.begin;
    }
    std::optional<std::int64_t> end;
    if (texts_.source_end)
      end = expect(source_, texts_.end, "ends sources");
    else if (texts_.end != source_.first)
      end = find(source_, texts_.end);
    const auto begin = texts_.source_begin ? std::nullopt : find(source_, texts_.begin);
    source_.numbering =
        number_tokens(source_.tokens, {find(source_, texts_.unknown), pad_of(source_), begin, end});
  }

  std::shared_ptr<const data::Tokenizer> tokenizer(const Side& side, const fs::path& own) const {
    const auto model = tokenizer_.empty() ? own : tokenizer_;
    return model.empty() ? tokenizer_of_tokens(side.numbering, TokenSplit::words, side.first, side.file)
                         : tokenizer_of_pieces(side.numbering, model, side.first, side.file);
  }

  checkpoints::Tokenizers tokenizers() const {
    const data::PreparedPaths paths{folder_};
    fs::path source = paths.source_tokenizer(true), target = source;
    if (!exists(source)) source = paths.source_tokenizer(false), target = paths.target_tokenizer(false);
    if (!exists(source) || !exists(target)) source = target = fs::path();
    const auto of_target = tokenizer(target_, target);
    if (shared_ && source == target) return {of_target, of_target};
    return {tokenizer(source_, source), of_target};
  }

  /// Rows in the order of our ids.
  void renumber() {
    auto& weights = model_.weights;
    if (!shared_ && nn::ties_embeddings(options().tie)) {
      options().tie = nn::Tie::target;
      weights["source_embedding.weight"] = weights["target_embedding.weight"] = weights["embedding.weight"];
      weights.erase("embedding.weight");
    }
    for (auto& [name, tensor] : weights) {
      if (name == "source_embedding.weight")
        tensor = source_.numbering.renumbered(tensor);
      else if (name == "embedding.weight" || name == "target_embedding.weight" || name == "output.weight")
        tensor = target_.numbering.renumbered(tensor);
    }
    const auto bias =
        target_.numbering.output_bias(options().output_bias ? weights["output_bias"] : torch::Tensor());
    options().output_bias = bias.defined();
    if (bias.defined()) weights["output_bias"] = bias;
  }

  config::Experiment experiment(const checkpoints::Tokenizers& tokenizers) const {
    config::Experiment result;
    if (tokenizers.target->has_words()) result.data.tokenizer_kind = data::TokenizerKind::words;
    result.model = model_.options;
    auto& data = result.data;
    data.shared_vocabulary = shared_;
    data.vocabulary = std::max<std::int64_t>(source_.numbering.size(), 8);
    return checked_experiment(std::move(result), folder_ / kModel);
  }

  fs::path folder_, tokenizer_;
  CTranslate2Texts texts_;
  CTranslate2Model model_;
  Side source_, target_;
  bool shared_ = false;
};

}  // namespace
}  // namespace ctranslate2

bool is_ctranslate2_folder(const std::filesystem::path& folder) {
  return exists(folder / ctranslate2::kModel);
}

CTranslate2Import import_ctranslate2(const std::filesystem::path& folder,
                                     const std::filesystem::path& tokenizer) {
  return ctranslate2::Importer(folder, tokenizer).import();
}

}  // namespace transformer::formats
