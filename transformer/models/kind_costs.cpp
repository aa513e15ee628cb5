#include "transformer/models/kind_costs.h"

#include <map>
#include <utility>

#include "transformer/base/error.h"

namespace transformer::models {
namespace {

std::map<std::string, KindCosts>& all_costs() {
  static std::map<std::string, KindCosts> all;
  return all;
}

}  // namespace

void add_costs(const std::string& kind, KindCosts costs) {
  all_costs()[kind] = std::move(costs);
}

const KindCosts* find_costs(const ModelOptions& options) {
  const auto found = all_costs().find(options.kind.name);
  return found == all_costs().end() ? nullptr : &found->second;
}

const KindCosts& costs_of(const ModelOptions& options) {
  if (const auto* found = find_costs(options)) return *found;
  std::string known = "encoder-decoder";
  for (const auto& [name, costs] : all_costs()) known += ", " + name;
  throw InputError("model.kind: expected " + known + ", or a kind that --load brings, found '" +
                   options.kind.name + "'");
}

}  // namespace transformer::models
