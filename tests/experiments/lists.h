// Lists of experiments in a folder, for the tests beside it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/experiments/experiment_list.h"

namespace transformer::test {

/// A list in a folder with a base.yaml of d_model 64, 8 heads, 6 layers.
struct Lists {
  TemporaryFolder folder;

  Lists() {
    folder.write("base.yaml", "model: {d_model: 64, heads: 8, d_k: 8, d_v: 8}\ndata: {prepared: p}\n");
    folder.write("baseless.yaml", "experiments: [{name: a}]\n");
  }

  experiments::ExperimentList load(const std::string& text,
                                   const std::vector<std::string>& overrides = {}) const {
    return experiments::load_experiment_list(folder.write("list.yaml", text), overrides);
  }

  std::string refusal(const std::string& text) const {
    try {
      load(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

inline std::vector<std::string> names(const experiments::ExperimentList& list) {
  std::vector<std::string> all;
  for (const auto& variation : list.variations) all.push_back(variation.name);
  return all;
}

inline const experiments::Variation& find(const experiments::ExperimentList& list, const std::string& name) {
  const auto found = std::ranges::find(list.variations, name, &experiments::Variation::name);
  REQUIRE(found != list.variations.end());
  return *found;
}

}  // namespace transformer::test
