#include "transformer/formats/llama2c/llama2c_import.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "transformer/base/blank_mark.h"
#include "transformer/base/error.h"
#include "transformer/base/temporary.h"
#include "transformer/base/text_file.h"
#include "transformer/config/validate.h"
#include "transformer/data/scored_pieces.h"
#include "transformer/models/kinds.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;
using torch::Tensor;

static_assert(std::endian::native == std::endian::little, "their numbers are read as they are");

constexpr std::int64_t kTheirBegin = 1, kTheirEnd = 2;

/// What a file begins with: seven integers.
struct Llama2cHeader {
  std::int32_t width = 0, hidden = 0, layers = 0, heads = 0, kv_heads = 0;
  std::int32_t vocabulary = 0;  ///< negative: the output projection is a matrix of its own
  std::int32_t length = 0;

  bool is_sound() const {
    for (const auto size : {width, hidden, layers, heads, kv_heads, length})
      if (size < 1 || size > 1'000'000) return false;
    return heads <= width && width % heads == 0 && kv_heads <= heads && heads % kv_heads == 0 &&
           std::abs(std::int64_t{vocabulary}) > 3 && std::abs(std::int64_t{vocabulary}) <= 10'000'000;
  }
  std::int64_t head() const { return width / heads; }
  std::int64_t pieces() const { return std::abs(std::int64_t{vocabulary}); }
  bool is_tied() const { return vocabulary > 0; }

  double numbers() const {
    const double d = width, f = hidden, kv = static_cast<double>(kv_heads * head());
    const double layer = 2 * d + 2 * d * d + 2 * d * kv + 3 * d * f;
    const double tables = static_cast<double>(length) * static_cast<double>(head());
    return (is_tied() ? 1 : 2) * static_cast<double>(pieces()) * d + layers * layer + d + tables;
  }
};

std::optional<Llama2cHeader> llama2c_header(const std::string& content) {
  Llama2cHeader header;
  if (content.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, content.data(), sizeof header);
  const bool whole = header.is_sound() &&
                     static_cast<double>(content.size()) == sizeof header + sizeof(float) * header.numbers();
  return whole ? std::optional(header) : std::nullopt;
}

/// The weights one after another.
class Llama2cNumbers {
 public:
  explicit Llama2cNumbers(const std::string& content) : next_(content.data() + sizeof(Llama2cHeader)) {}

  Tensor take(const std::vector<std::int64_t>& shape) {
    auto tensor = torch::empty(shape);
    const auto bytes = static_cast<std::size_t>(tensor.numel()) * sizeof(float);
    std::memcpy(tensor.data_ptr<float>(), next_, bytes);
    next_ += bytes;
    return tensor;
  }
  void skip(std::int64_t count) { next_ += count * static_cast<std::int64_t>(sizeof(float)); }

 private:
  const char* next_;
};

/// Rows of theirs in the order of our ids: unknown, padding, begin, end, then all others.
Tensor with_padding_row(const Tensor& rows) {
  const auto padding = torch::zeros({1, rows.size(1)});
  return torch::cat({rows.slice(0, 0, kTheirBegin), padding, rows.slice(0, kTheirBegin)});
}

models::ModelOptions llama2c_options(const Llama2cHeader& header) {
  return {.kind = {models::kDecoder, {}},
          .encoder_layers = models::ModelOptions{}.encoder_layers,
          .decoder_layers = header.layers,
          .d_model = header.width,
          .d_ff = header.hidden,
          .heads = header.heads,
          .d_k = header.head(),
          .d_v = header.head(),
          .dropout = 0,
          .positions = nn::Positions::rotary,
          .norm = nn::NormPlacement::pre,
          .norm_type = nn::NormKind::rms,
          .feed_forward = nn::FeedForwardKind::swiglu,
          .kv_heads = header.kv_heads == header.heads ? 0 : header.kv_heads,
          .tie = header.is_tied() ? nn::Tie::all : nn::Tie::none,
          .scale_embedding = false};
}

std::map<std::string, Tensor> llama2c_weights(const Llama2cHeader& h, const std::string& content) {
  Llama2cNumbers numbers(content);
  std::map<std::string, Tensor> all;
  const std::int64_t d = h.width, f = h.hidden, kv = h.kv_heads * h.head();
  all["embedding.weight"] = with_padding_row(numbers.take({h.pieces(), d}));
  const auto each_layer = [&](const char* name, const std::vector<std::int64_t>& shape) {
    for (std::int64_t i = 0; i < h.layers; ++i)
      all[fmt::format("decoder.layers.{}.{}", i, name)] = numbers.take(shape);
  };
  each_layer("self_attention_residual.norm.weight", {d});
  each_layer("self_attention.query.weight", {d, d});
  each_layer("self_attention.key.weight", {kv, d});
  each_layer("self_attention.value.weight", {kv, d});
  each_layer("self_attention.output.weight", {d, d});
  each_layer("feed_forward_residual.norm.weight", {d});
  each_layer("feed_forward.gate.weight", {f, d});
  each_layer("feed_forward.outer.weight", {d, f});
  each_layer("feed_forward.inner.weight", {f, d});
  all["decoder.norm.weight"] = numbers.take({d});
  numbers.skip(h.length * h.head());  // cosines and sines, which we compute
  if (!h.is_tied()) all["output.weight"] = with_padding_row(numbers.take({h.pieces(), d}));
  for (std::int64_t i = 0; i < h.layers; ++i)  // they have no biases
    for (const auto& [name, size] : {std::pair{"gate", f}, {"inner", f}, {"outer", d}})
      all[fmt::format("decoder.layers.{}.feed_forward.{}.bias", i, name)] = torch::zeros({size});
  return all;
}

data::Tokenizer llama2c_tokenizer(const fs::path& file, std::int64_t expected) {
  const auto content = read_file(file);
  std::size_t at = sizeof(std::int32_t);  // the longest piece
  std::vector<data::ScoredPiece> pieces;
  std::int64_t id = 0;
  for (; at < content.size(); ++id) {
    float score = 0;
    std::int32_t size = -1;
    if (content.size() - at >= sizeof score + sizeof size) {
      std::memcpy(&score, content.data() + at, sizeof score);
      std::memcpy(&size, content.data() + at + sizeof score, sizeof size);
    }
    at += sizeof score + sizeof size;
    if (size < 0 || at > content.size() || static_cast<std::size_t>(size) > content.size() - at)
      throw InputError(
          fmt::format("{}: expected a score and a text for each piece, found a file that ends in piece {}",
                      file.string(), id));
    std::string text;
    for (const char c : content.substr(at, static_cast<std::size_t>(size)))
      text += c == ' ' ? std::string(kBlankMark) : std::string(1, c);
    at += static_cast<std::size_t>(size);
    if (id > kTheirEnd) pieces.push_back({std::move(text), score});
  }
  if (id != expected)
    throw InputError(
        fmt::format("{}: expected {} pieces, as many as the model's, found {}", file.string(), expected, id));
  return data::Tokenizer::of_content(data::byte_pair_model(pieces), file);
}

}  // namespace

fs::path llama2c_tokenizer_beside(const fs::path& model) {
  const auto folder = parent_folder(model);
  if (fs::exists(folder / "tokenizer.bin")) return folder / "tokenizer.bin";
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("tok") && name.ends_with(".bin")) found.push_back(entry.path());
  }
  if (found.size() != 1)
    throw InputError(
        fmt::format("{}: expected tokenizer.bin or one tok*.bin beside it, or --tokenizer, found {}",
                    model.string(), found.size()));
  return found.front();
}

checkpoints::LoadedModel import_llama2c(const fs::path& file, const fs::path& tokenizer) {
  const auto content = read_file(file);
  const auto header = llama2c_header(content);
  if (!header)
    throw InputError(
        fmt::format("{}: expected a model of llama2.c, of its first version, found another or a damaged file",
                    file.string()));
  checkpoints::LoadedModel loaded;
  loaded.directory = file;
  loaded.experiment.model = llama2c_options(*header);
  loaded.experiment.data.examples = data::ExampleKind::documents;
  loaded.experiment.data.vocabulary = header->pieces() + 1;
  loaded.experiment.data.byte_fallback = true;
  loaded.experiment.data.normalization = data::NormalizationRule::identity;
  loaded.tokenizers.target =
      std::make_shared<data::Tokenizer>(llama2c_tokenizer(tokenizer, header->pieces()));
  loaded.tokenizers.source = loaded.tokenizers.target;
  if (const auto problem = config::find_problem(loaded.experiment))
    throw InputError(fmt::format("{}: {}: {}", file.string(), problem->keys.front(), problem->message));
  loaded.model = models::make(loaded.experiment.model, loaded.tokenizers.sizes());
  checkpoints::assign_weights(*loaded.model, llama2c_weights(*header, content), file.string());
  loaded.model->eval();
  return loaded;
}

}  // namespace transformer::formats
