#include "transformer/formats/huggingface/albert_tokenizer.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "transformer/base/base64.h"
#include "transformer/base/blank_mark.h"
#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/text_file.h"
#include "transformer/data/albert_rules.h"

namespace transformer::formats::encoders {
namespace {

using nlohmann::json;

/// A member of an object, or null.
json member(const json& object, const char* key) {
  return object.is_object() ? object.value(key, json()) : json();
}

json section(const JsonObject& file, const char* key) {
  const auto* found = file.find(key);
  return found == nullptr ? json() : *found;
}

data::AlbertRules rules_of(const JsonObject& about) {
  const auto name = about.text("tokenizer_class").value_or("AlbertTokenizer");
  if (name != "AlbertTokenizer" && name != "AlbertTokenizerFast")
    about.refuse("tokenizer_class", "AlbertTokenizer beside a unigram model");
  for (const auto* key : {"remove_space", "add_prefix_space"})
    if (!about.boolean(key).value_or(true)) about.refuse(key, "true");
  if (const auto* more = about.find("sp_model_kwargs"); more != nullptr && !more->empty())
    about.refuse("sp_model_kwargs", "nothing");
  return {.lower_case = about.boolean("do_lower_case").value_or(true),
          .keep_accents = about.boolean("keep_accents").value_or(false)};
}

/// The model's own map of characters. The steps around it must be those that the rules say.
std::string map_in(const JsonObject& file, const data::AlbertRules& rules) {
  std::vector<std::string> expected{"Replace", "Replace"};
  if (!rules.keep_accents) expected.insert(expected.end(), {"NFKD", "StripAccents"});
  if (rules.lower_case) expected.emplace_back("Lowercase");
  const auto normalizer = section(file, "normalizer");
  std::string map, names, wanted;
  for (const auto& name : expected) wanted += " " + name;
  const auto steps = member(normalizer, "normalizers");
  for (const auto& step : steps.is_array() ? steps : json::array()) {
    const auto type = member(step, "type");
    const auto name = type.is_string() ? type.get<std::string>() : std::string();
    if (name == "Precompiled") {
      const auto text = member(step, "precompiled_charsmap");
      const auto bytes = text.is_string() ? from_base64(text.get<std::string>()) : std::nullopt;
      if (!bytes) file.refuse("normalizer", "base64 as 'precompiled_charsmap'");
      map = *bytes;
    } else if (name != "Replace") {
      names += " " + name;
    } else if (!member(member(step, "pattern"), "Regex").is_string()) {  // that one is of blanks
      names += member(step, "content") == "\"" ? " Replace" : " another Replace";
    }
  }
  if (names != wanted)
    file.refuse(
        "normalizer",
        fmt::format("the steps{} beside do_lower_case {} and keep_accents {} of tokenizer_config.json",
                    wanted, rules.lower_case, rules.keep_accents));
  return map;
}

void check_blanks(const JsonObject& file) {
  const auto before = section(file, "pre_tokenizer");
  const auto steps = member(before, "pretokenizers");
  const auto last = steps.is_array() && !steps.empty() ? steps.back() : before;
  const auto scheme = member(last, "prepend_scheme");
  const bool in_front = scheme.is_null() || scheme == "always";
  if (member(last, "type") != "Metaspace" || member(last, "replacement") != kBlankMark || !in_front)
    file.refuse("pre_tokenizer", fmt::format("Metaspace with '{}' in front of each word", kBlankMark));
}

/// Tokens beside the pieces, such as the mask, and which of them are in no text.
void read_added(const JsonObject& file, std::vector<data::UnigramPiece>& pieces) {
  const auto added = section(file, "added_tokens");
  for (const auto& token : added.is_array() ? added : json::array()) {
    const auto id = member(token, "id"), content = member(token, "content");
    const bool fits = id.is_number_integer() && id >= 0 && id <= pieces.size() && content.is_string();
    if (!fits || member(token, "special") != true)
      file.refuse("added_tokens", "special tokens alone, with ids and content");
    const auto place = id.get<std::size_t>();
    if (place == pieces.size()) pieces.push_back({.text = content.get<std::string>()});
    if (pieces[place].text != content.get<std::string>())
      file.refuse("added_tokens", fmt::format("'{}' as the token {}", printable(pieces[place].text), place));
    pieces[place].in_texts = false;
  }
}

void apply(const data::AlbertRules& rules, data::UnigramModel& model, const std::filesystem::path& file) {
  round_scores(model);
  try {
    model.character_map = data::albert_map(model.character_map, rules);
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("{}: expected a normaliser, found that {}", file.string(), error.what()));
  }
}

}  // namespace

bool is_unigram(const JsonObject& file) {
  return member(section(file, "model"), "type") == "Unigram";
}

data::UnigramModel read_albert_tokenizer(const JsonObject& file, const JsonObject& about) {
  const auto rules = rules_of(about);
  const auto content = section(file, "model");
  if (const auto bytes = member(content, "byte_fallback"); !bytes.is_null() && bytes != false)
    file.refuse("model", "false as 'byte_fallback'");
  if (member(content, "unk_id") != 1) file.refuse("model", "1 as 'unk_id'");
  const auto vocabulary = member(content, "vocab");
  const std::string expected = "a list of pieces and scores as 'vocab'";
  if (!vocabulary.is_array()) file.refuse("model", expected);
  data::UnigramModel model;
  for (const auto& piece : vocabulary) {
    if (!piece.is_array() || piece.size() != 2 || !piece[0].is_string() || !piece[1].is_number())
      file.refuse("model", expected);
    model.pieces.push_back({piece[0].get<std::string>(), piece[1].get<float>()});
  }
  check_blanks(file);
  model.character_map = map_in(file, rules);
  read_added(file, model.pieces);
  apply(rules, model, file.file());
  return model;
}

data::UnigramModel read_albert_model(const std::filesystem::path& file, const JsonObject& about) {
  const auto rules = rules_of(about);
  auto model = data::read_unigram_model(read_file(file), file.string());
  split_numbers_from_commas(model);
  apply(rules, model, file);
  return model;
}

}  // namespace transformer::formats::encoders
