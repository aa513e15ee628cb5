// The table of tensors (models/tensors.h) against the modules, for every option.
#include "transformer/models/tensors.h"

#include <algorithm>
#include <utility>

#include "tests/catch.h"
#include "tests/options/model_variants.h"
#include "transformer/models/kinds.h"

using namespace transformer;

namespace {

/// A row for each parameter of the model; those of a variant from outside, below one name, in one row.
std::vector<models::TensorInfo> rows_of(models::AnyModel& model) {
  constexpr std::string_view kVariant = ".variant.";
  std::vector<models::TensorInfo> rows;
  for (const auto& parameter : model->named_parameters()) {
    const auto& tensor = parameter.value();
    auto name = parameter.key();
    const auto place = name.find(kVariant);
    if (place == std::string::npos) {
      rows.push_back({.name = name, .shape = tensor.sizes().vec(), .is_trained = tensor.requires_grad()});
      continue;
    }
    name.resize(place + kVariant.size() - 1);
    if (rows.empty() || rows.back().name != name)
      rows.push_back({.name = name, .shape = {0}, .is_variant = true});
    rows.back().shape[0] += tensor.numel();
  }
  return rows;
}

}  // namespace

TEST_CASE("the table of tensors is the modules', for every option") {
  auto all = test::single_variants();
  for (const auto& pairs : {test::pairwise_variants(), test::pairwise_outside_variants()})
    all.insert(all.end(), pairs.begin(), pairs.end());
  for (const auto& [name, options] : all) {
    for (const auto& [kind, size] : {std::pair{models::kEncoderDecoder, 0}, std::pair{models::kDecoder, 0},
                                     std::pair{models::kEncoder, 0}, std::pair{models::kEncoder, 10}}) {
      INFO(name << kind << size);
      auto of_kind = options;
      if (kind != models::kEncoderDecoder) of_kind.kind.name = kind;
      of_kind.embedding_norm = true;
      of_kind.encoder = {.embedding_size = size, .output_transform = true, .segments = 3};
      const bool shared =
          kind == models::kEncoder ? nn::ties_output(options.tie) : nn::ties_embeddings(options.tie);
      const models::VocabularySizes words{11, shared ? 11 : 13};
      auto model = models::make(of_kind, words);
      const auto found = rows_of(model);
      const auto table = models::tensors_of(of_kind, words);
      REQUIRE(table.size() == found.size());
      for (std::size_t i = 0; i < table.size(); ++i) {
        INFO(found[i].name);
        CHECK(table[i].name == found[i].name);
        CHECK(table[i].shape == found[i].shape);
        CHECK(table[i].is_trained == found[i].is_trained);
        CHECK(table[i].is_variant == found[i].is_variant);
      }
      CHECK(model->named_buffers().is_empty());  // statistics are parameters without gradients
    }
  }
}
