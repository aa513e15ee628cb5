#include "transformer/translation/attention_maps.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/blank_mark.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/nn/attention_record.h"
#include "transformer/nn/variant_parts.h"
#include "transformer/translation/scoring.h"
#include "transformer/variants/choice.h"

namespace transformer::translation {
namespace {

constexpr std::int64_t kMostTokens = 4096;       // padded, of either side, computed together
constexpr std::int64_t kMostWeights = 50 << 20;  // of all layers and heads of one kind of attention

/// So many padded tokens that the longest pair's batch keeps within kMostWeights.
std::int64_t batch_tokens(const AttentionSizes& sizes, std::span<const ForcedPair> pairs) {
  std::size_t width = 1;
  for (const auto& pair : pairs) width = std::max(width, forced_width(pair));
  const auto layers = std::max({sizes.encoder_layers, sizes.masked_layers, sizes.source_layers});
  return std::min(kMostTokens, kMostWeights / (static_cast<std::int64_t>(width) * layers * sizes.heads));
}

/// The weights of one row in a batch, without its padding, from one kind of attention: (B, H, T, S) per
/// layer.
maps::AttentionWeights weights_of(const std::vector<torch::Tensor>& layers, std::int64_t row,
                                  std::size_t queries, std::size_t keys) {
  maps::AttentionWeights weights{.layers = layers.size(), .queries = queries, .keys = keys};
  for (const auto& layer : layers) {
    const auto own = layer[row]
                         .slice(1, 0, static_cast<std::int64_t>(queries))
                         .slice(2, 0, static_cast<std::int64_t>(keys))
                         .to(torch::kCPU, torch::kFloat)
                         .contiguous();
    weights.heads = static_cast<std::size_t>(own.size(0));
    weights.values.insert(weights.values.end(), own.const_data_ptr<float>(),
                          own.const_data_ptr<float>() + own.numel());
  }
  return weights;
}

maps::Piece special_piece(const data::Tokenizer& tokenizer, std::int32_t id) {
  return {.text = tokenizer.piece_of(id), .begins_word = true, .is_special = true};
}

/// A map that has no weights yet.
maps::AttentionMap map_of(const ForcedPair& pair, const checkpoints::Tokenizers& tokenizers,
                          TextOrigin target, bool has_source) {
  maps::AttentionMap map;
  if (has_source) {
    map.source = pieces_of(pair.source, *tokenizers.source, TextOrigin::given);
    map.source.push_back(special_piece(*tokenizers.source, kEos));
  }
  map.target = pieces_of(pair.target, *tokenizers.target, target);
  map.read = {special_piece(*tokenizers.target, pair.first)};
  map.read.insert(map.read.end(), map.target.begin(), map.target.end());
  map.target.push_back(special_piece(*tokenizers.target, pair.last));
  return map;
}

/// Lets the model read, for what it leaves in a record.
void read(models::Model& model, const torch::Tensor& source, const torch::Tensor& input) {
  const auto device = model.device();
  if (auto* mapping = model.as_sequence_to_sequence())
    mapping->states(source.to(device), input.to(device));
  else
    models::language_model(model).states(input.to(device));
}

}  // namespace

std::vector<maps::Piece> pieces_of(std::span<const std::int32_t> ids, const data::Tokenizer& tokenizer,
                                   TextOrigin origin) {
  // Where it is a piece itself, it is never a part of an unknown one.
  const bool marks_stand_alone = tokenizer.id_of(kBlankMark) != kUnknown;
  const auto unknown_begins = [&](const std::vector<maps::Piece>& before) {
    switch (origin) {
      case TextOrigin::given:
        return !marks_stand_alone;
      case TextOrigin::decoded:
        return before.empty() || before.back().text != kBlankMark;
    }
    no_such_choice();
  };
  std::vector<maps::Piece> pieces;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto text = tokenizer.piece_of(ids[i]);
    bool begins = pieces.empty() || text.starts_with(kBlankMark);
    if (ids[i] == kUnknown) begins = begins || unknown_begins(pieces);
    if (i > 0 && ids[i - 1] == kUnknown && origin == TextOrigin::decoded) begins = true;
    pieces.push_back({.text = std::move(text), .begins_word = begins});
  }
  return pieces;
}

std::vector<std::int32_t> encode_as_translated(const std::string& line, const data::Tokenizer& tokenizer,
                                               std::int64_t longest) {
  const auto most = static_cast<std::size_t>(longest);
  auto ids = tokenizer.encode(line, most);
  ids.resize(std::min(ids.size(), most));
  return ids;
}

AttentionSizes attention_sizes(const models::AnyModel& model) {
  const auto& options = model->options();
  if (const auto& variant = options.variants.attention)
    nn::check_has_weights({variant, models::place_of(options)});
  const SearchMode mode(model);
  nn::AttentionRecord record;
  read(*model.ptr(), torch::full({1, 1}, kEos, torch::kLong), torch::full({1, 1}, kBos, torch::kLong));
  const auto layers = [&](variants::Role role) { return std::ssize(record.of(role)); };
  const bool maps_source = model.ptr()->as_sequence_to_sequence() != nullptr;
  const auto& shown = record.of(maps_source ? variants::Role::source : variants::Role::decoder);
  if (shown.empty())
    throw InputError(fmt::format("attention: expected a model with attention over {}, found model.kind: {}",
                                 maps_source ? "the source" : "its text", variants::print(options.kind)));
  return {.encoder_layers = layers(variants::Role::encoder),
          .masked_layers = layers(variants::Role::decoder),
          .source_layers = layers(variants::Role::source),
          .heads = shown.front().size(1)};
}

std::int64_t count_attention_weights(const AttentionSizes& sizes, std::span<const ForcedPair> pairs) {
  std::int64_t count = 0;
  for (const auto& pair : pairs) {
    const auto source = std::ssize(pair.source) + 1, target = std::ssize(pair.target) + 1;
    count += sizes.encoder_layers * source * source + sizes.masked_layers * target * target +
             sizes.source_layers * target * source;
  }
  return sizes.heads * count;
}

std::vector<maps::AttentionMap> attention_maps(models::AnyModel model,
                                               const checkpoints::Tokenizers& tokenizers,
                                               std::span<const ForcedPair> pairs, TextOrigin target) {
  const auto sizes = attention_sizes(model);
  const SearchMode mode(model);
  const bool has_source = model->as_sequence_to_sequence() != nullptr;
  std::vector<maps::AttentionMap> found(pairs.size());
  for (const auto& batch : forced_batches(pairs, batch_tokens(sizes, pairs))) {
    const auto [source, input] = forced_tensors(pairs, batch);
    nn::AttentionRecord record;
    read(*model, source, input);
    for (std::size_t row = 0; row < batch.size(); ++row) {
      auto& map = found[batch[row]];
      map = map_of(pairs[batch[row]], tokenizers, target, has_source);
      const auto own = [&](variants::Role role, std::size_t queries, std::size_t keys) {
        return weights_of(record.of(role), static_cast<std::int64_t>(row), queries, keys);
      };
      const auto read = map.read.size(), sources = map.source.size();
      map.encoder = own(variants::Role::encoder, sources, sources);
      map.masked = own(variants::Role::decoder, read, read);
      map.cross = own(variants::Role::source, read, sources);
    }
  }
  return found;
}

}  // namespace transformer::translation
