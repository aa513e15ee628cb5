#include "transformer/formats/huggingface/seq2seq_structure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/config/keys.h"
#include "transformer/formats/weights.h"

namespace transformer::formats::seq2seq {
namespace {

using models::ModelOptions;

/// Of equally near ones the first is named.
constexpr std::array kFamilies{Family::bart, Family::m2m_100, Family::t5};

/// A value as a configuration writes it.
std::string written(const std::string& key, const ModelOptions& model) {
  config::Experiment experiment;
  experiment.model = model;
  return config::find_key(key)->get(experiment);
}

/// Where fairseq's layers differ from T5's.
void express_fairseq(Family family, ModelOptions& o) {
  constexpr double kEpsilon = 1e-5;  // no key of theirs
  const bool vectors = nn::are_learned_vectors(o.positions) ||
                       (about(family).stores_positions && nn::are_sinusoids(o.positions));
  if (!vectors) o.positions = nn::Positions::learned;
  o.norm_type = nn::NormKind::layer;
  o.norm_epsilon = kEpsilon;
  o.feed_forward = nn::FeedForwardKind::positionwise;
  if (o.d_model % o.heads != 0) o.heads = 1;
  o.d_k = std::min(o.d_k, o.d_model / o.heads);
  o.d_v = std::min(o.d_v, o.d_model / o.heads);
  o.d_model = std::max<std::int64_t>(o.d_model + o.d_model % 2, 4);  // for sines and cosines
}

/// `model` as the family would have it. Numbers decide what the options leave open: whether biases are zeros,
/// and matrices equal.
ModelOptions expressed(Family family, const ModelOptions& model) {
  auto o = model;
  o.norm = about(family).norms_at_the_end ? nn::NormPlacement::pre : nn::NormPlacement::post;
  o.embedding_norm = about(family).embedding_norm;
  o.residual = true;
  o.parallel_sublayers = false;
  o.attention_score = nn::AttentionScore::product;
  o.attention_window = 0;
  o.kv_heads = model.kv_heads == model.heads ? model.heads : 0;
  o.qk_norm = false;
  o.source_end = true;
  if (family == Family::t5) {
    o.positions = nn::Positions::bias;
    o.norm_type = nn::NormKind::rms;
    if (o.feed_forward == nn::FeedForwardKind::glu || !nn::exists(o.feed_forward))
      o.feed_forward = nn::FeedForwardKind::geglu;
  } else {
    express_fairseq(family, o);
  }
  return o;
}

struct Need {
  std::string key, expected;
};

std::vector<Need> needs_of(Family family, const ModelOptions& model) {
  std::vector<Need> needs;
  const auto theirs = expressed(family, model);
  models::each_option([&](const std::string& name, auto member) {
    const auto key = "model." + name;
    if (model.*member != theirs.*member) needs.push_back({key, written(key, theirs)});
  });
  return needs;
}

}  // namespace

Family family_for(const ModelOptions& model) {
  check_no_variants(model, "Hugging Face's encoder-decoders");
  std::vector<std::vector<Need>> needs;
  for (const auto family : kFamilies) {
    needs.push_back(needs_of(family, model));
    if (needs.back().empty()) return family;
  }
  const auto nearest = std::ranges::min_element(needs, {}, &std::vector<Need>::size) - needs.begin();
  std::vector<std::string> others;
  for (std::size_t i = 0; i < kFamilies.size(); ++i)
    if (static_cast<std::ptrdiff_t>(i) != nearest)
      others.push_back(fmt::format("{} needs {}: {}", about(kFamilies.at(i)).name, needs[i].front().key,
                                   needs[i].front().expected));
  const auto place = static_cast<std::size_t>(nearest);
  const auto& [key, expected] = needs[place].front();
  throw InputError(fmt::format("{}: expected {} for {}, found {} ({})", key, expected,
                               about(kFamilies.at(place)).name, written(key, model),
                               fmt::join(others, ", ")));
}

}  // namespace transformer::formats::seq2seq
