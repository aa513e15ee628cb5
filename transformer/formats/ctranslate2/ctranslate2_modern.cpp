#include "transformer/formats/ctranslate2/ctranslate2_modern.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/formats/ctranslate2/ctranslate2_parts.h"
#include "transformer/nn/positional_encoding.h"

namespace transformer::formats {
namespace {

/// Removes what a file says in its own way, and adds what ours says.
class Modernising {
 public:
  Modernising(CTranslate2File file, const std::string& source) : source_(source) {
    result_.file = std::move(file);
  }

  CTranslate2Modern make(std::int64_t positions) {
    check_specification();
    read_texts();
    if (file().revision < kOwnAttributes) share_attributes();
    rename_source_embedding();
    dequantise();
    set_flags();
    add_positions(positions);
    file().specification = newest().name;
    file().revision = newest().revision;
    return std::move(result_);
  }

 private:
  static constexpr std::uint32_t kOwnTexts = 6;  // the version whose config.json is about texts
  static constexpr std::uint32_t kOwnHeads = 3, kOwnAttributes = 5;  // revisions
  static constexpr const char* kScale = "_scale";
  static const CTranslate2Specification& newest() { return ctranslate2_specifications().front(); }

  CTranslate2File& file() { return result_.file; }
  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(fmt::format("{}: {}", source_, problem));
  }

  void check_specification() {
    const auto& [specification, revision] = std::pair(file().specification, file().revision);
    const bool fixed = specification == "TransformerBase" || specification == "TransformerBig";
    if (specification != newest().name && !fixed)
      refuse(fmt::format("expected a translation model ({}, TransformerBase or TransformerBig), found {}",
                         newest().name, specification));
    if (revision < kOldestCTranslate2 || revision > newest().revision)
      refuse(fmt::format("expected revision {} to {} of {}, found {}", kOldestCTranslate2, newest().revision,
                         specification, revision));
    if (revision < kOwnHeads) set("num_heads", specification == "TransformerBig" ? 16 : 8);
  }

  bool has(const std::string& name) const {
    return result_.file.variables.contains(name) || result_.file.aliases.contains(name);
  }
  const torch::Tensor& get(const std::string& name) {
    const auto alias = file().aliases.find(name);
    const auto found = file().variables.find(alias == file().aliases.end() ? name : alias->second);
    if (found == file().variables.end()) refuse(fmt::format("'{}' is missing", name));
    return found->second;
  }
  void set(const std::string& name, double value) {
    file().aliases.erase(name);
    file().variables[name] = torch::tensor(value, torch::kDouble);
  }
  void set_default(const std::string& name, double value) {
    if (!has(name)) set(name, value);
  }

  /// Removes a number and returns it.
  double take(const std::string& name, double usual) {
    if (!has(name)) return usual;
    const auto value = get(name);
    if (value.dim() != 0) refuse(fmt::format("'{}': expected one number", name));
    file().variables.erase(name);
    file().aliases.erase(name);
    return value.to(torch::kDouble).item<double>();
  }
  bool take_flag(const std::string& name, bool usual) { return take(name, usual ? 1 : 0) != 0; }

  void take_text(const std::string& name, std::string& text) {
    const auto found = file().variables.find(name);
    if (found == file().variables.end()) return;
    const auto bytes = found->second;
    if (bytes.scalar_type() != torch::kChar || bytes.dim() != 1)
      refuse(fmt::format("'{}': expected a text, found other numbers", name));
    text.assign(reinterpret_cast<const char*>(bytes.const_data_ptr<std::int8_t>()),  // NOLINT
                static_cast<std::size_t>(bytes.numel()));
    file().variables.erase(found);
  }

  void read_texts() {
    auto& texts = result_.texts;
    const bool own = file().version < kOwnTexts;
    take_text("unk_token", texts.unknown);
    take_text("bos_token", texts.begin);
    take_text("eos_token", texts.end);
    const bool begin = take_flag("with_source_bos", false), end = take_flag("with_source_eos", false);
    const bool target_begin = take_flag("with_target_bos", true);
    const bool by_user = take_flag("user_decoder_start_tokens", false);
    if (!own) return;
    texts.source_begin = begin;
    texts.source_end = end;
    texts.start = target_begin ? texts.begin : texts.end;
    if (by_user) texts.start.reset();
  }

  /// Older files say once what later ones say for each side.
  void share_attributes() {
    for (const std::string name : {"num_heads", "pre_norm", "activation"}) {
      if (!has(name)) continue;
      const auto value = take(name, 0);
      for (const auto& side : newest().sides) set(side + "/" + name, value);
    }
    take("embeddings_merge", 0);
    take("alignment_layer", -1);
    take("alignment_heads", 1);
    if (take_flag("with_relative_position", false))
      refuse("'with_relative_position': expected 0, since these positions are computed otherwise, found 1");
  }

  void rename(const std::string& from, const std::string& to) {
    if (!has(from) || has(to)) return;
    if (auto variable = file().variables.extract(from)) {
      variable.key() = to;
      file().variables.insert(std::move(variable));
      for (auto& [alias, name] : file().aliases)
        if (name == from) name = to;
    } else {
      auto alias = file().aliases.extract(from);
      alias.key() = to;
      file().aliases.insert(std::move(alias));
    }
  }

  void rename_source_embedding() {
    for (const std::string kind : {"weight", "weight_scale"})
      rename("encoder/embeddings/" + kind, "encoder/embeddings_0/" + kind);
  }

  /// Numbers q of 8 or 16 bits with a scale s, of all or of each row, mean q / s.
  void dequantise() {
    std::vector<std::string> names, scales;
    for (const auto& [name, variable] : file().variables)
      if (variable.dim() > 0) names.push_back(name);
    for (const auto& name : names) {
      auto& variable = file().variables.at(name);
      if (name.ends_with(kScale)) continue;
      if (variable.is_floating_point()) {
        variable = variable.to(torch::kFloat);
        continue;
      }
      const auto found = file().variables.find(name + kScale);
      if (found == file().variables.end())
        refuse(fmt::format("'{}': expected its scale '{}{}', found none", name, name, kScale));
      auto scale = found->second.to(torch::kFloat);
      const bool too_many = scale.dim() > 1 || (scale.dim() == 1 && variable.dim() > 2);
      if (too_many || (scale.dim() == 1 && scale.size(0) != variable.size(0)) ||
          !scale.gt(0).all().item<bool>() || !torch::isfinite(scale).all().item<bool>())
        refuse(fmt::format("'{}{}': expected a number above 0 for each of {} rows, found others", name,
                           kScale, variable.size(0)));
      if (scale.dim() == 1 && variable.dim() == 2) scale = scale.unsqueeze(1);
      variable = variable.to(torch::kFloat) / scale;
      result_.is_quantised = true;
      scales.push_back(name + kScale);
    }
    for (const auto& name : scales) file().variables.erase(name);
    std::erase_if(file().aliases, [&](const auto& alias) { return alias.first.ends_with(kScale); });
    for (const auto& [name, variable] : file().variables)
      if (!torch::isfinite(variable).all().item<bool>())
        refuse(fmt::format("'{}': expected finite numbers, found others", name));
  }

  /// Flags that a file may leave out.
  void set_flags() {
    for (const auto& side : newest().sides) {
      set_default(side + "/pre_norm", 1);
      set_default(side + "/activation", 0);
      if (!has(side + "/num_heads")) refuse(fmt::format("'{}/num_heads' is missing", side));
      set_scale(side);
    }
    result_.starts_from_zeros = take_flag("decoder/start_from_zero_embedding", false);
    for (const auto* name : {"decoder/alibi", "decoder/scale_alibi", "decoder/start_from_zero_embedding",
                             "encoder/embeddings_merge", "encoder/multi_query_attention"})
      set_default(name, 0);
    // Which heads give alignments, which translating does not depend on.
    set("decoder/alignment_layer", -1);
    set("decoder/alignment_heads", 1);
    set("decoder/alibi_use_positive_positions", 0);
  }

  /// A flag in 8 bits, or the number that embeddings are multiplied by.
  void set_scale(const std::string& side) {
    const auto name = side + "/scale_embeddings";
    const bool is_flag = !has(name) || get(name).scalar_type() == torch::kChar;
    const auto value = take(name, 1);
    const auto width = std::sqrt(static_cast<double>(embedding_width()));
    if (!is_flag && value != 1 && std::abs(value - width) > 1e-4 * width)
      refuse(
          fmt::format("'{}': expected 1 or the root of the model's width, {}, found {}", name, width, value));
    set(name, (is_flag && value != 0) || (!is_flag && value != 1) ? 1 : 0);
  }

  std::int64_t embedding_width() {
    constexpr const char* kEmbedding = "decoder/embeddings/weight";
    if (!has(kEmbedding) || get(kEmbedding).dim() != 2)
      refuse(fmt::format("'{}': expected a matrix, found none", kEmbedding));
    return get(kEmbedding).size(1);
  }

  /// theirs: halves of sines and cosines as in tensor2tensor, from position 1.
  void add_positions(std::int64_t positions) {
    torch::Tensor table;
    for (const auto& side : newest().sides) {
      const auto name = side + "/position_encodings/encodings";
      if (has(name)) continue;
      for (const std::string other :
           {"/layer_0/self_attention/relative_position_keys",
            "/layer_0/self_attention/relative_attention_bias", "/layer_0/self_attention/rotary_dim"})
        if (has(side + other))
          refuse(fmt::format("'{}{}': expected positions that are added to embeddings", side, other));
      if (embedding_width() < 4 || embedding_width() % 2 != 0)
        refuse(fmt::format("expected an even width of sinusoids from 4, found {}", embedding_width()));
      if (!table.defined())
        table = nn::sinusoids(nn::Positions::tensor2tensor, positions + 1, embedding_width()).slice(0, 1);
      file().variables[name] = table.to(torch::kFloat).contiguous();
    }
  }

  CTranslate2Modern result_;
  const std::string& source_;
};

}  // namespace

CTranslate2Modern modern_ctranslate2(CTranslate2File file, std::int64_t positions,
                                     const std::string& source) {
  return Modernising(std::move(file), source).make(positions);
}

}  // namespace transformer::formats
