// The kinds of models: the encoder-decoder, and those that somebody adds. Here a configuration becomes a
// model, and nowhere else.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "transformer/models/kind_costs.h"
#include "transformer/models/model.h"
#include "transformer/variants/registry.h"

namespace transformer::models {

using MakeModel = std::function<std::shared_ptr<Model>(
    const ModelOptions& options, const VocabularySizes& vocabulary, const variants::Values& values)>;

/// Makes a kind known: model.kind in configurations, with the options and the keys that it declares. Throws
/// InputError for a name or an option that cannot be, and for a name that is taken.
void add_kind(variants::Declaration declaration, MakeModel make, CountFlops flops = {}, CountKept kept = {});

/// The same for a class that is constructed from options, vocabularies and values.
template <std::derived_from<Model> Kind>
void add_kind(variants::Declaration declaration, CountFlops flops = {}, CountKept kept = {}) {
  add_kind(
      std::move(declaration),
      [](const ModelOptions& options, const VocabularySizes& vocabulary, const variants::Values& values) {
        return std::make_shared<Kind>(options, vocabulary, values);
      },
      std::move(flops), std::move(kept));
}

/// A new model, whose weights are drawn from the CPU's default generator. Throws InputError for a kind that
/// is not known.
AnyModel make(const ModelOptions& options, const VocabularySizes& vocabulary);

}  // namespace transformer::models
