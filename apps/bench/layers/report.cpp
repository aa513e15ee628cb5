#include "apps/bench/layers/report.h"

#include <fmt/format.h>

namespace transformer::bench {
namespace {

using Object = nlohmann::ordered_json;

Object begin(const char* what, LayerKind kind) {
  return {{"benchmark", "layers"}, {"what", what}, {"layer", name_of(kind)}};
}

void add_shape(Object& json, const LayerShape& shape) {
  json["length"] = shape.length;
  json["width"] = shape.width;
  json["kernel"] = shape.kernel;
  json["window"] = shape.window;
  json["head_width"] = shape.head_width;
  json["sequences"] = shape.sequences;
}

ResultLine growth_line(const LayerResults& results, LayerKind kind, Along along) {
  const auto growth = growth_of(results, kind, along);
  const auto stated = stated_costs(kind);
  const auto& plan = results.plan;
  const bool length = along == Along::length;
  const double exponent = length ? stated.by_length : stated.by_width;
  auto json = begin("exponent", kind);
  json["of"] = length ? "length" : "width";
  json["from"] = length ? plan.fit_lengths : plan.fit_widths;
  json["to"] = length ? plan.lengths.back() : plan.widths.back();
  json["at"] = length ? plan.at.width : plan.at.length;
  json["complexity"] = stated.complexity;
  json["stated"] = exponent > 0 ? Object(exponent) : Object(nullptr);
  json["operations"] = growth.operations->exponent;
  json["time"] = growth.seconds->exponent;
  json["time_standard_error"] = growth.seconds->error;
  return {json,
          fmt::format("{}: time grows with {}^{:.2f} from {} to {}, operations with {}^{:.2f}; the paper: {}",
                      name_of(kind), length ? "n" : "d", growth.seconds->exponent,
                      json["from"].get<std::int64_t>(), json["to"].get<std::int64_t>(), length ? "n" : "d",
                      growth.operations->exponent, stated.complexity)};
}

ResultLine crossing_line(const LayerResults& results, const Rivals& pair) {
  const auto& plan = results.plan;
  const auto by_operations = operations_crossing(pair, plan.at);
  const auto seconds = seconds_crossing(results, pair);
  auto json = begin("crossing", pair.attention);
  json["with"] = name_of(pair.recurrence);
  json["width"] = plan.at.width;
  json["length_by_operations"] = by_operations;
  json["length_by_time"] = seconds ? Object(*seconds) : Object(nullptr);
  return {json, fmt::format("{} and {}, d = {}: as many operations at n = {}, as much time at {}",
                            name_of(pair.attention), name_of(pair.recurrence), plan.at.width, by_operations,
                            seconds ? fmt::format("n = {:.0f}", *seconds) : "none of the lengths measured")};
}

}  // namespace

nlohmann::ordered_json as_json(const LayerPoint& point) {
  auto json = begin("time", point.kind);
  add_shape(json, point.shape);
  json["operations"] = operations(point.kind, point.shape);
  json["sequential_operations"] = sequential_operations(point.kind, point.shape);
  json["forward_seconds"] = point.forward;
  json["backward_seconds"] = point.backward;
  json["repetitions"] = point.repetitions;
  return json;
}

std::string as_text(const LayerPoint& point) {
  return fmt::format(
      "{}, n = {}, d = {}: forward {:.3f} ms, backward {:.3f} ms; {:.3g} operations forward, {} in a row",
      name_of(point.kind), point.shape.length, point.shape.width, 1e3 * point.forward, 1e3 * point.backward,
      operations(point.kind, point.shape), sequential_operations(point.kind, point.shape));
}

nlohmann::ordered_json as_json(const LayerPath& path) {
  auto json = begin("path", path.kind);
  add_shape(json, path.shape);
  json["path"] = path.layers;
  json["stated"] = stated_costs(path.kind).path;
  return json;
}

std::string as_text(const LayerPath& path) {
  return fmt::format("{}: position 1 reaches position {} in {}; the paper: {}", name_of(path.kind),
                     path.shape.length, path.layers, stated_costs(path.kind).path);
}

std::vector<ResultLine> conclusions(const LayerResults& results) {
  std::vector<ResultLine> lines;
  for (const auto along : {Along::length, Along::width}) {
    for (const auto kind : layer_kinds()) {
      const auto growth = growth_of(results, kind, along);
      if (growth.seconds && growth.operations) lines.push_back(growth_line(results, kind, along));
    }
  }
  if (results.plan.lengths.empty()) return lines;
  for (const auto& pair : rivals()) lines.push_back(crossing_line(results, pair));
  return lines;
}

}  // namespace transformer::bench
